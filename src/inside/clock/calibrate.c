/* calibrate.c - what one entry and one exit cost here and now, for reports to subtract.
 *
 * The hooks themselves are called, from routines like those that a compiler makes, on a machine of two
 * contexts that is put in the place of the thread's for the moment.  Signals are blocked.  The least of
 * some batches counts.
 *
 * What a hook costs depends on what else the processor has to do. In a loop of nothing but calls it works on several of them at once
 * and the hooks of way inline cost next to nothing; where it may begin a call only when all before it is done, it waits for each
 * of their loads. A program is between: with sampled clocks the cost is the mean of both, for hooks that are called, and nearer to the first by
 * way inline, whose processor sees past the hook (bench/records/accuracy.md).
 *
 * What is charged to the routine entered: with clock tsc, what its context shows; with a sampled clock nothing
 * that could be measured (doc/design.md), since the entry changes the context last and the exit first. */
#include "inside/clock/calibrate.h"

#include "contract/amon.h"
#include "contract/layout.h"
#include "inside/clock/cost.h"
#include "inside/clock/cycles.h"
#include "inside/hooks/hooks.h"
#include "inside/machine/context.h"
#include "inside/machine/front.h"
#include "inside/machine/machine.h"
#include "inside/monitor.h"
#include "inside/process/thread.h"
#include "inside/stacks/stack.h"
#include "inside/state.h"
#include "inside/sys.h"
#include "inside/tls.h"

enum {
	BATCHES = 16,
	CALLS = 128,			/* in a batch */
	FRAMES = 4,
	DEEPEST = 512,			/* words of the stack that a call of a loop takes, at most */
	SLOWEST = 4,			/* ns a cycle of the counter, at most, */
	FASTEST = 16,			/* and cycles a ns */
	APART = 5,			/* tenths that the calls apart weigh in the cost, */
	APART_INLINE = 3,		/* and by way inline */
};

/* The routines: R(n) calls its leaf n times, R_apart(n) too, but each call begins when the one before is all done.  The leaf
 * calls both hooks, as way fentry or as way cyg does, has the code of way inline, or none.  The addresses are those that the hooks see. */
typedef void calibrated_loop(uint64_t n);
calibrated_loop aprof_calibrate_bare HIDDEN, aprof_calibrate_bare_apart HIDDEN;
calibrated_loop aprof_calibrate_fentry HIDDEN, aprof_calibrate_fentry_apart HIDDEN;
calibrated_loop aprof_calibrate_cyg HIDDEN, aprof_calibrate_cyg_apart HIDDEN;
calibrated_loop aprof_calibrate_inline HIDDEN, aprof_calibrate_inline_apart HIDDEN;
calibrated_loop aprof_calibrate_tsc HIDDEN, aprof_calibrate_tsc_apart HIDDEN;
calibrated_loop aprof_calibrate_sites HIDDEN, aprof_calibrate_sites_apart HIDDEN;	/* way inline, by code that tells its call sites */
calibrated_loop aprof_calibrate_sites_tsc HIDDEN, aprof_calibrate_sites_tsc_apart HIDDEN;
#define SITES_OF(name) extern const char name##_site[] HIDDEN, name##_apart_site[] HIDDEN	/* where the leaf returns to in both */
SITES_OF(aprof_calibrate_fentry);
SITES_OF(aprof_calibrate_cyg);
SITES_OF(aprof_calibrate_inline);
SITES_OF(aprof_calibrate_tsc);
SITES_OF(aprof_calibrate_sites);
SITES_OF(aprof_calibrate_sites_tsc);
extern const char aprof_calibrate_fentry_routine[] HIDDEN;
extern const char aprof_calibrate_cyg_leaf[] HIDDEN;
extern const char aprof_calibrate_inline_leaf[] HIDDEN;
extern const char aprof_calibrate_tsc_leaf[] HIDDEN;
extern const char aprof_calibrate_sites_leaf[] HIDDEN;
extern const char aprof_calibrate_sites_tsc_leaf[] HIDDEN;

struct hooks aprof_calibrate_hooks HIDDEN;

_Static_assert(offsetof(struct hooks, entry) == 0 && offsetof(struct hooks, exit) == 8 && offsetof(struct hooks, cyg_enter) == 16 &&
	       offsetof(struct hooks, cyg_exit) == 24, "as in the loops");

/* The hooks are called by registers: a call by name would look, to who reads the code of the program that the monitor is in, as if the
 * program had routines with hooks of that way. */
#define HOOKS(entry, exit) "movq aprof_calibrate_hooks+" entry "(%rip), %r12\n\tmovq aprof_calibrate_hooks+" exit "(%rip), %r13\n"
#define NO_HOOKS ""

#ifdef APROF_MCOUNT			/* in the place of way fentry: a patched routine, whose redirected return tells of the exit */
#include "inside/preload/mcount.h"
#define ENTRY "jmp *aprof_calibrate_copy(%rip)\n"
#define EXIT "ret\n"
#define FENTRY_HOOKS NO_HOOKS
const char *aprof_calibrate_copy HIDDEN;
#else
#define ENTRY "call *%r12\n"
#define EXIT "jmp *%r13\n"
#define FENTRY_HOOKS HOOKS("0", "8")
#endif

#if defined(__x86_64__)
#define LOOP(name, leaf, hooks) LOOP_OF(name, leaf, hooks, "") LOOP_OF(name "_apart", leaf, hooks, "lfence\n\t")
#define LOOP_OF(name, leaf, hooks, before) \
	".hidden " name "\n.globl " name "\n.type " name ", @function\n.p2align 5\n" name ":\n\t" \
	"endbr64\n\tpushq %rbx\n\tpushq %r12\n\tpushq %r13\n\tmovq %rdi, %rbx\n\t" hooks \
	"1:\t" before "call " leaf "\n.hidden " name "_site\n.globl " name "_site\n" name "_site:\tdecq %rbx\n\tjnz 1b\n\tpopq %r13\n\tpopq %r12\n\tpopq %rbx\n\tret\n"

/* A word of the thread, whose place is in rsi. */
#define WORD(offset) "%fs:" AS_TEXT(offset) "(%rsi)"

/* A leaf that tells its call sites: its beginning, and the probe, which goes to MISS where it misses; the routine's address is in REGISTER. */
#define PROBE_AT_SITE(leaf, register, miss) \
	leaf ":\n\t" \
	"pushq %rbp\n\tmovq %rsp, %rbp\n\t" \
	"movq aprof_tls@gottpoff(%rip), %rsi\n\tleaq " leaf "(%rip), " register "\n\t" \
	"movq " WORD(TLS_CURRENT) ", %rdi\n\tmovq 8(%rsp), %rdx\n\t" \
	"leaq (%rdi," register "), %rcx\n\timulq $" AS_TEXT(STEP_FACTOR) ", %rcx, %rcx\n\t" \
	"leaq (%rcx,%rdx), %r9\n\timulq $" AS_TEXT(STEP_FACTOR) ", %r9, %r9\n\t" \
	"movq %r9, %r8\n\tshrq $" AS_TEXT(FRONT_SHIFT) ", %r8\n\tandq " WORD(TLS_SITES_MASK) ", %r8\n\taddq " WORD(TLS_SITES) ", %r8\n\t" \
	"movq (%r8), %r8\n\t" \
	"cmpq %r9, " AS_TEXT(KEY_ID) "-1(%r8)\n\tjne " miss "\n\tcmpq " register ", " AS_TEXT(KEY_ROUTINE) "-1(%r8)\n\tjne " miss "\n\t" \
	"cmpq %rdx, " AS_TEXT(ALIAS_SITE) "-1(%r8)\n\tjne " miss "\n\t"

/* And the call counted, and the context changed. */
#define COUNT_AT_SITE(miss) \
	"movq " AS_TEXT(ALIAS_COUNT) "-1(%r8), %r9\n\tincq (%r9)\n\tcmpq " AS_TEXT(ALIAS_TO) "-1(%r8), %rcx\n\tjne " miss "\n\t" \
	"movq %rcx, " WORD(TLS_CURRENT) "\n"

/* What the plugin's code does to charge its time. Nothing is out of line here. */
#define CHARGE \
	"1:\tmovq " WORD(TLS_LAST) ", %r9\n\ttestq %r9, %r9\n\tjz 3f\n\tmovq " WORD(TLS_CHARGED) ", %r11\n\tmovq " WORD(TLS_CURRENT) ", %rax\n\t" \
	"cmpq " AS_TEXT(KEY_ID) "(%r11), %rax\n\tjne 3f\n" \
	"2:\trdtsc\n\tsalq $32, %rdx\n\torq %rax, %rdx\n\tmovq %r9, %rax\n\tcmpxchgq %rdx, " WORD(TLS_LAST) "\n\tjne 1b\n\t" \
	"subq %rax, %rdx\n\taddq %rdx, " AS_TEXT(KEY_TIME) "(%r11)\n" \
	"3:\t"

__asm__(".text\n"
	"9:\tpushq %rbp\n\tmovq %rsp, %rbp\n\tpopq %rbp\n\tret\n"
	LOOP("aprof_calibrate_bare", "9b", NO_HOOKS)
	".p2align 4\n"
	"9:\t" ENTRY
	".hidden aprof_calibrate_fentry_routine\n.globl aprof_calibrate_fentry_routine\n"
	"aprof_calibrate_fentry_routine:\n\t"
	"pushq %rbp\n\tmovq %rsp, %rbp\n\tpopq %rbp\n\t" EXIT
	LOOP("aprof_calibrate_fentry", "9b", FENTRY_HOOKS)
	".p2align 4\n.hidden aprof_calibrate_cyg_leaf\n.globl aprof_calibrate_cyg_leaf\n"
	"aprof_calibrate_cyg_leaf:\n\t"
	"pushq %rbp\n\tmovq %rsp, %rbp\n\t"
	"movq 8(%rbp), %rsi\n\tleaq aprof_calibrate_cyg_leaf(%rip), %rdi\n\tcall *%r12\n\t"
	"movq 8(%rbp), %rsi\n\tleaq aprof_calibrate_cyg_leaf(%rip), %rdi\n\tcall *%r13\n\t"
	"popq %rbp\n\tret\n"
	LOOP("aprof_calibrate_cyg", "aprof_calibrate_cyg_leaf", HOOKS("16", "24"))
	".p2align 4\n.hidden aprof_calibrate_inline_leaf\n.globl aprof_calibrate_inline_leaf\n"
	"aprof_calibrate_inline_leaf:\n\t"
	"pushq %rbp\n\tmovq %rsp, %rbp\n\t"
	"movq aprof_tls@gottpoff(%rip), %rsi\n\tleaq aprof_calibrate_inline_leaf(%rip), %rax\n\t"
	"movq " WORD(TLS_CURRENT) ", %rdi\n\t"
	"leaq (%rdi,%rax), %rcx\n\timulq $" AS_TEXT(STEP_FACTOR) ", %rcx, %rcx\n\t"
	"movq %rcx, %r8\n\tshrq $" AS_TEXT(FRONT_SHIFT) ", %r8\n\tandq " WORD(TLS_MASK) ", %r8\n\taddq " WORD(TLS_FRONT) ", %r8\n\t"
	"movq (%r8), %r8\n\t"
	"cmpq %rcx, " AS_TEXT(KEY_ID) "(%r8)\n\tjne 1f\n\tcmpq %rax, " AS_TEXT(KEY_ROUTINE) "(%r8)\n\tjne 1f\n\t"
	"incq " AS_TEXT(KEY_CALLS) "(%r8)\n\tmovq %rcx, " WORD(TLS_CURRENT) "\n"
	"1:\tmovq %rdi, " WORD(TLS_CURRENT) "\n\tpopq %rbp\n\tret\n"
	LOOP("aprof_calibrate_inline", "aprof_calibrate_inline_leaf", NO_HOOKS)
	".p2align 4\n.hidden aprof_calibrate_tsc_leaf\n.globl aprof_calibrate_tsc_leaf\n"
	"aprof_calibrate_tsc_leaf:\n\t"
	"pushq %rbp\n\tmovq %rsp, %rbp\n\t"
	"movq aprof_tls@gottpoff(%rip), %rsi\n\tleaq aprof_calibrate_tsc_leaf(%rip), %r10\n\t"
	"movq " WORD(TLS_CURRENT) ", %rdi\n\t"
	"leaq (%rdi,%r10), %rcx\n\timulq $" AS_TEXT(STEP_FACTOR) ", %rcx, %rcx\n\t"
	"movq %rcx, %r8\n\tshrq $" AS_TEXT(FRONT_SHIFT) ", %r8\n\tandq " WORD(TLS_MASK) ", %r8\n\taddq " WORD(TLS_FRONT) ", %r8\n\t"
	"movq (%r8), %r8\n\t"
	"cmpq %rcx, " AS_TEXT(KEY_ID) "(%r8)\n\tjne 4f\n\tcmpq %r10, " AS_TEXT(KEY_ROUTINE) "(%r8)\n\tjne 4f\n\t"
	CHARGE "movq " WORD(TLS_CHARGED) ", %r10\n\t"
	"incq " AS_TEXT(KEY_CALLS) "(%r8)\n\tmovq %r8, " WORD(TLS_CHARGED) "\n\tmovq %rcx, " WORD(TLS_CURRENT) "\n"
	"4:\t" CHARGE "movq %r10, " WORD(TLS_CHARGED) "\n\tmovq %rdi, " WORD(TLS_CURRENT) "\n\tpopq %rbp\n\tret\n"
	LOOP("aprof_calibrate_tsc", "aprof_calibrate_tsc_leaf", NO_HOOKS)
	".p2align 4\n.hidden aprof_calibrate_sites_leaf\n.globl aprof_calibrate_sites_leaf\n"
	PROBE_AT_SITE("aprof_calibrate_sites_leaf", "%rax", "1f")
	COUNT_AT_SITE("1f")
	"1:\tmovq %rdi, " WORD(TLS_CURRENT) "\n\tpopq %rbp\n\tret\n"
	LOOP("aprof_calibrate_sites", "aprof_calibrate_sites_leaf", NO_HOOKS)
	".p2align 4\n.hidden aprof_calibrate_sites_tsc_leaf\n.globl aprof_calibrate_sites_tsc_leaf\n"
	PROBE_AT_SITE("aprof_calibrate_sites_tsc_leaf", "%r10", "4f")
	CHARGE "movq " WORD(TLS_CHARGED) ", %r10\n\t"
	"movq " AS_TEXT(KEY_TIME) "-1(%r8), %r9\n\tmovq %r9, " WORD(TLS_CHARGED) "\n\t"
	COUNT_AT_SITE("4f")
	"4:\t" CHARGE "movq %r10, " WORD(TLS_CHARGED) "\n\tmovq %rdi, " WORD(TLS_CURRENT) "\n\tpopq %rbp\n\tret\n"
	LOOP("aprof_calibrate_sites_tsc", "aprof_calibrate_sites_tsc_leaf", NO_HOOKS));
#endif

/* A machine that knows one call: of item 1 from item 0. */
static struct {
	struct thread thread;
	struct amon_thread record;
	struct amon_counter counters[2]; /* contexts: caller and routine */
	struct item items[2];		/* and what is kept beside */
	struct alias alias;		/* the same call, where call sites are told apart */
	target front[2];
	uint64_t full[3];		/* mask, and both items: wherever a search begins it finds what there is */
	struct frame frames[FRAMES];
	struct shadow shadow;
} fake;

/* Let the hooks find the call of ROUTINE from SITE, where call sites are told apart. */
static void pretend_site(struct aprof_tls *tls, uintptr_t routine, uintptr_t site)
{
	fake.alias = (struct alias){ .key = { .id = key_step(ROOT_ID, routine, site), .routine = routine, .time = (uintptr_t)&fake.counters[1] },
				     .count = &fake.counters[1], .to = fake.counters[1].id, .site = site };
	fake.front[0] = fake.front[1] = (target)&fake.alias + 1;
	tls->sites = fake.front;
	tls->sites_mask = sizeof(target);
	tls->front = aprof_front_none;
}

/* Make the words TLS those of the fake machine, before a call of ROUTINE from SITE, by way inline or another. */
static void pretend(struct aprof_tls *tls, uintptr_t routine, uintptr_t site, bool is_inline)
{
	struct thread *t = &fake.thread;

	fake.counters[0] = (struct amon_counter){ .id = ROOT_ID };
	fake.counters[1] = (struct amon_counter){ .id = context_step(ROOT_ID, routine), .routine = routine };
	fake.front[0] = fake.front[1] = (target)&fake.counters[1];
	fake.full[0] = 1;
	fake.full[1] = full_hash(fake.counters[0].id) << 32 | 1;
	fake.full[2] = full_hash(fake.counters[1].id) << 32 | 2;
	t->full = fake.full + 1;
	t->items[0] = fake.items;
	fake.items[0].id = fake.counters[0].id;
	fake.items[1].id = fake.counters[1].id;
	t->spans[0] = (struct span){ .counters = fake.counters, .capacity = 2 };
	t->nspans = 1;
	t->record = &fake.record;
	t->tls = tls;
	t->stacks.shadow = &fake.shadow;
	fake.shadow = (struct shadow){ .high = UINTPTR_MAX, .base = fake.frames, .end = fake.frames + FRAMES };
	fake.frames[0] = (struct frame){ .cfa = UINTPTR_MAX - 63, .context = ROOT_ID };
	tls->front = clock_is_tsc() && !is_inline ? aprof_front_none : fake.front;
	tls->front_mask = 0;
	tls->sites = aprof_front_none;
	tls->sites_mask = 0;
	if (is_inline ? monitor.inline_sites : monitor.sites && !clock_is_tsc())
		pretend_site(tls, routine, site);
	tls->top = fake.frames;
	tls->end = fake.frames + FRAMES;
	tls->reach = REACH_BIT;
	tls->thread = t;
	tls->inert = 0;
	tls->current = is_inline ? ROOT_ID : 0;
	tls->last = clock_is_tsc() ? cycles_now() : 0;
	tls->charged = fake.counters;
}

/* The cheapest batch of calls by ROUTINE: its time, and that charged to the routine, cycles. */
static struct cost calibrate_least(calibrated_loop *routine)
{
	struct cost best = { UINT64_MAX, 0 };

	for (int i = 0; i < BATCHES; i++) {
		uint64_t inside = fake.counters[1].time, start = cycles_now(), took;

		routine(CALLS);
		took = cycles_now() - start;
		if (took < best.total)
			best = (struct cost){ took, fake.counters[1].time - inside };
	}
	return best;
}

#define TRIAL(name) name, name##_apart, name##_site, name##_apart_site

/* How a way is measured. */
struct trial {
	calibrated_loop *loop, *apart;	/* the loops of its leaf */
	const char *site, *apart_site;	/* where it returns to in them */
	const char *address;		/* at which the hooks see the leaf */
	bool is_inline;			/* it is way inline */
};

/* Cost of the hooks in ROUTINE, a loop of trial T whose call is from SITE, over those of the loop WITHOUT, in cycles of a batch. */
static struct cost measure_in(calibrated_loop *routine, const char *site, calibrated_loop *without, const struct trial *t)
{
	struct aprof_tls *tls = &aprof_tls, saved = *tls;
	struct cost bare = calibrate_least(without), hooked;

	pretend(tls, (uintptr_t)t->address, (uintptr_t)site, t->is_inline);
	routine(1);
	hooked = calibrate_least(routine);
	mem_copy(tls, &saved, sizeof saved);
	hooked.total = hooked.total > bare.total ? hooked.total - bare.total : 1;
	if (hooked.inside > hooked.total)
		hooked.inside = hooked.total;
	return hooked;
}

/* The same by the loops that the clock asks for: clock tsc needs what is within its readings of the time, one behind the other. */
static struct cost calibrate_measure(const struct trial *t)
{
	struct cost cost = measure_in(t->loop, t->site, aprof_calibrate_bare, t);
	uint64_t apart = t->is_inline ? APART_INLINE : APART;

	if (!clock_is_tsc())
		cost.total = (cost.total * (10 - apart) + measure_in(t->apart, t->apart_site, aprof_calibrate_bare_apart, t).total * apart) / 10;
	return cost;
}

#ifdef APROF_MCOUNT
/* Whether the loops' calls will be redirected, whose slots are somewhat below this frame: a leaf whose return is not seen calls itself, as the
 * machine sees it, which this one does not know. */
static bool returns_are_seen(void)
{
	const uintptr_t *frame = __builtin_frame_address(0);

	return mcount_may_redirect(frame) && mcount_may_redirect(frame - DEEPEST);
}
#endif

#if defined(__x86_64__)
/* Way inline, by the code that the program has. */
static struct cost inline_measure(void)
{
	if (monitor.inline_sites && monitor.reads_counter)
		return calibrate_measure(&(struct trial){ TRIAL(aprof_calibrate_sites_tsc), aprof_calibrate_sites_tsc_leaf, true });
	if (monitor.inline_sites)
		return calibrate_measure(&(struct trial){ TRIAL(aprof_calibrate_sites), aprof_calibrate_sites_leaf, true });
	if (monitor.reads_counter)
		return calibrate_measure(&(struct trial){ TRIAL(aprof_calibrate_tsc), aprof_calibrate_tsc_leaf, true });
	return calibrate_measure(&(struct trial){ TRIAL(aprof_calibrate_inline), aprof_calibrate_inline_leaf, true });
}

static struct cost way_measure(int way)
{
	if (way == 0)
		return calibrate_measure(&(struct trial){ TRIAL(aprof_calibrate_fentry), aprof_calibrate_fentry_routine, false });
	if (way == 1)
		return calibrate_measure(&(struct trial){ TRIAL(aprof_calibrate_cyg), aprof_calibrate_cyg_leaf, false });
	return inline_measure();
}

/* Measure WAY, in 1e-12 s. */
static void way_calibrate(int way)
{
	struct moment began = cycles_moment(), ended;
	struct cost cost = way_measure(way);
	uint64_t cycles, nsec;

	ended = cycles_moment();
	cycles = ended.cycles - began.cycles;
	nsec = ended.nsec - began.nsec;
	if (nsec > cycles * SLOWEST || nsec < cycles / FASTEST)
		nsec = 0;		/* the clock was set meanwhile: nothing is known */
	cost_of_hooks[way] = (struct cost){ cost.total * nsec * 1000 / cycles / CALLS, cost.inside * nsec * 1000 / cycles / CALLS };
}
#endif

void calibrate(const struct hooks *hooks)
{
#if defined(__x86_64__)
	static int measures;		/* the process of which a thread does: there is one machine to pretend with */
	int way = cost_way(), none = __atomic_load_n(&measures, __ATOMIC_RELAXED);

	if (way < 0 || cost_of_hooks[way].total)
		return;
#ifdef APROF_MCOUNT
	if (!returns_are_seen())
		return;
	aprof_calibrate_copy = patch_copy((uintptr_t)aprof_calibrate_fentry_routine);
#endif
	if (none == monitor.pid || !__atomic_compare_exchange_n(&measures, &none, monitor.pid, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED)) {
		monitor.unmeasured = true;
		return;
	}
	aprof_calibrate_hooks = *hooks;
	way_calibrate(way);
	__atomic_store_n(&measures, 0, __ATOMIC_RELEASE);
#endif
}
