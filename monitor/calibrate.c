/* calibrate.c - what one entry and one exit cost here and now, for reports to subtract.
 *
 * The hooks themselves are called, from routines like those that a compiler makes, on a machine of two
 * contexts that is put in the place of the thread's for the moment.  Signals are blocked.  The least of
 * some batches counts: what is subtracted from a profile must not be more than was spent. */
#include "clock.h"

enum {
	BATCHES = 16,
	CALLS = 128,			/* in a batch */
	FRAMES = 4,
	INSIDE_PERCENT = 44,		/* part of the cost that samples charge to the routine entered (doc/decisions.md) */
};

/* The routines: R(n) calls its leaf n times.  The leaf calls both hooks, as way fentry or as way cyg
 * does, or none.  The addresses are those that the hooks see. */
void aprof_calibrate_bare(uint64_t n) HIDDEN;
void aprof_calibrate_fentry(uint64_t n) HIDDEN;
void aprof_calibrate_cyg(uint64_t n) HIDDEN;
extern const char aprof_calibrate_fentry_routine[] HIDDEN;
extern const char aprof_calibrate_cyg_leaf[] HIDDEN;

#if defined(__x86_64__)
#define LOOP(name, leaf) \
	".hidden " name "\n.globl " name "\n.type " name ", @function\n.p2align 5\n" name ":\n\t" \
	"endbr64\n\tpushq %rbx\n\tmovq %rdi, %rbx\n" \
	"1:\tcall " leaf "\n\tdecq %rbx\n\tjnz 1b\n\tpopq %rbx\n\tret\n"

__asm__(".text\n"
	"9:\tpushq %rbp\n\tmovq %rsp, %rbp\n\tpopq %rbp\n\tret\n"
	LOOP("aprof_calibrate_bare", "9b")
	".p2align 4\n"
	"9:\tcall __aprof_entry@PLT\n"
	".hidden aprof_calibrate_fentry_routine\n.globl aprof_calibrate_fentry_routine\n"
	"aprof_calibrate_fentry_routine:\n\t"
	"pushq %rbp\n\tmovq %rsp, %rbp\n\tpopq %rbp\n\tcall __return__@PLT\n\tret\n"
	LOOP("aprof_calibrate_fentry", "9b")
	".p2align 4\n.hidden aprof_calibrate_cyg_leaf\n.globl aprof_calibrate_cyg_leaf\n"
	"aprof_calibrate_cyg_leaf:\n\t"
	"pushq %rbp\n\tmovq %rsp, %rbp\n\t"
	"movq 8(%rbp), %rsi\n\tleaq aprof_calibrate_cyg_leaf(%rip), %rdi\n\tcall __cyg_profile_func_enter@PLT\n\t"
	"movq 8(%rbp), %rsi\n\tleaq aprof_calibrate_cyg_leaf(%rip), %rdi\n\tcall __cyg_profile_func_exit@PLT\n\t"
	"popq %rbp\n\tret\n"
	LOOP("aprof_calibrate_cyg", "aprof_calibrate_cyg_leaf"));
#endif

/* A machine that knows one call: of item 1 from item 0. */
static struct {
	struct thread thread;
	struct amon_thread record;
	struct amon_counter counters[2]; /* contexts: caller and routine */
	target front[1];
	uint32_t full[2];		/* mask, and the item + 1 in the only slot */
	struct frame frames[FRAMES];
	struct shadow shadow;
} fake;

static struct { uint64_t cost, inside; } costs[2]; /* of ways fentry and cyg, 1e-12 s; cost 0: not measured */

/* Make the words TLS those of the fake machine, before a call of ROUTINE. */
static void pretend(struct aprof_tls *tls, uintptr_t routine)
{
	struct thread *t = &fake.thread;

	fake.counters[1] = (struct amon_counter){ .from = (uintptr_t)&fake.counters[0], .routine = routine };
	fake.front[0] = (target)&fake.counters[1];
	fake.full[1] = 2;
	t->full = fake.full + 1;
	t->spans[0] = (struct span){ .counters = fake.counters, .capacity = 2 };
	t->nspans = 1;
	t->record = &fake.record;
	t->tls = tls;
	t->shadow = &fake.shadow;
	fake.shadow = (struct shadow){ .high = UINTPTR_MAX, .base = fake.frames, .end = fake.frames + FRAMES };
	fake.frames[0] = (struct frame){ .cfa = UINTPTR_MAX - 63, .context = &fake.counters[0] };
	tls->front = monitor.clock.clock == AMON_CLOCK_TSC ? aprof_front_none : fake.front;
	tls->front_mask = 0;
	tls->top = fake.frames;
	tls->end = fake.frames + FRAMES;
	tls->stack_low = 0;
	tls->thread = t;
	tls->inert = 0;
}

/* Least time of a batch of calls by ROUTINE, cycles. */
static uint64_t least(void (*routine)(uint64_t))
{
	uint64_t best = UINT64_MAX;

	for (int i = 0; i < BATCHES; i++) {
		uint64_t start = clock_cycles(), took;

		routine(CALLS);
		took = clock_cycles() - start;
		best = took < best ? took : best;
	}
	return best;
}

/* Cost of the hooks in ROUTINE, which see it at ADDRESS, to costs[WAY], cycles of one call times CALLS. */
static void measure(int way, void (*routine)(uint64_t), const char *address)
{
	struct aprof_tls *tls = &aprof_tls, saved = *tls;
	uint64_t bare = least(aprof_calibrate_bare), hooked;

	pretend(tls, (uintptr_t)address);
	routine(1);
	fake.counters[1].time = fake.counters[1].calls = 0;
	hooked = least(routine);
	mem_copy(tls, &saved, sizeof saved);
	costs[way].cost = hooked > bare ? hooked - bare : 1;
	costs[way].inside = monitor.clock.clock == AMON_CLOCK_TSC && fake.counters[1].calls
		? fake.counters[1].time * CALLS / fake.counters[1].calls : costs[way].cost * INSIDE_PERCENT / 100;
	if (costs[way].inside > costs[way].cost)
		costs[way].inside = costs[way].cost;
}

void calibrate(void)
{
#if defined(__x86_64__)
	uint64_t cycles = clock_cycles(), nsec = sys_clock(1 /* CLOCK_MONOTONIC */);

	if (costs[0].cost)
		return;
	measure(0, aprof_calibrate_fentry, aprof_calibrate_fentry_routine);
	measure(1, aprof_calibrate_cyg, aprof_calibrate_cyg_leaf);
	nsec = sys_clock(1) - nsec;
	cycles = clock_cycles() - cycles;
	for (int way = 0; way < 2; way++) {
		costs[way].cost = costs[way].cost * nsec * 1000 / cycles / CALLS;
		costs[way].inside = costs[way].inside * nsec * 1000 / cycles / CALLS;
	}
#endif
}

void calibrate_record(void)
{
	struct amon_header *h = monitor.header;
	int way = h->way & 1u << AMON_WAY_CYG && !(h->way & 1u << AMON_WAY_FENTRY);

	h->hook_picoseconds = costs[way].cost;
	h->hook_inside = costs[way].inside;
}
