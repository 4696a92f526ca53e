/* stepper.c - a signal at every instruction of every hook, and every pair of them: the harness, which has no hooks.
 *
 *     stepper KIND FIRST SECOND END STRIDE
 *
 * A round calls a site (site_of) from base(), steps through it by the trap flag and, at one instruction, sends itself SIGUSR1; at another one,
 * SIGUSR2.  Their handlers call hooked routines.  Then the counters in the profile, which is mapped, are held against what was called:
 * each history is made by the steps A1-A5 from the calls of the round, so entries and direct recursive calls must be right one by one.
 * A handler with hooks that the kernel calls stands under none.  What alone is open is when a call begins, and ends: the calls of a handler without hooks
 * may stand under the routine that was at work or its caller, and as the instructions go by there must be one place where that changes.
 *
 * KIND is the way that the site's entry takes (kinds); FIRST and SECOND are handlers (ways_to_handle), END how the last one ends (ends).
 * Every STRIDE-th first instruction is tried, with every one of the second up to PAIR behind, or inside the first handler (SECOND nested-...).
 * Prints how many rounds it took, or what went wrong and where; status 1 then.
 *
 * Which instructions there are tells the trap flag, once; a round has a breakpoint at the first one, and goes on with the trap flag to
 * the second.  Both are the kernel's, in this process: much faster than ptrace.  A blocked SIGTRAP would kill, so a filter of system calls
 * sends rt_sigprocmask here, which is done without that one.  Instructions that run with SIGUSR1 blocked are not tried: it comes when they
 * are over. */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>
#ifdef PRELOADED
#include <dlfcn.h>
#endif

#include "contract/amon.h"
#include "contract/history.h"
#include "contract/layout.h"
#include "work.h"

enum { PAIR = 12, LONGEST = 24, THREADS = 4096, HISTORIES = 1 << 18, TOLD = 5, TRIES = 3, MOST_STEPS = 1 << 16 };

#define TRAP_FLAG 0x100
#define UNTRIED __attribute__((section("untried")))	/* code of the harness that must not be interrupted */
#define BREAKPOINT 0xcc
#define PERSONALITY_NOW 0xffffffff
#define KEEP(memory) __asm__ volatile("" : : "r"(memory) : "memory")

static void fail_for_good(const char *what)
{
	printf("stepper: %s\n", what);
	exit(2);
}

/* ---- histories and the counts of them, as the profile has them ---- */

static struct history { uint32_t length; history_entry entries[LONGEST]; } histories[HISTORIES];
static uint32_t by_hash[2 * HISTORIES], nhistories;

/* The number of H. */
static uint32_t intern(const struct history *h)
{
	uint32_t i = (uint32_t)history_hash(h->entries, h->length) & (2 * HISTORIES - 1);

	for (; by_hash[i]; i = (i + 1) & (2 * HISTORIES - 1)) {
		const struct history *other = &histories[by_hash[i] - 1];

		if (other->length == h->length && !memcmp(other->entries, h->entries, h->length * sizeof *h->entries))
			return by_hash[i] - 1;
	}
	if (nhistories == HISTORIES)
		fail_for_good("too many histories");
	histories[nhistories] = *h;
	by_hash[i] = ++nhistories;
	return nhistories - 1;
}

/* A call of ROUTINE in FROM: where it leads.  The same: a direct recursive call. */
static uint32_t step(uint32_t from, uint32_t routine)
{
	struct history h = histories[from];

	if (h.length + 1 >= LONGEST)
		fail_for_good("too long a history");
	h.length = (uint32_t)history_next(h.entries, h.length, routine);
	return intern(&h);
}

static void history_print(uint32_t history)
{
	static const char *const names[] = { "base", "target", "tail", "after", "recurse", "values", "outer",
#ifdef INLINED
		"within",
#endif
		"handler", "inner" };
	const struct history *h = &histories[history];

	for (uint32_t i = 0; i < h->length; i++) {
		uint32_t r = history_routine(h->entries[i]);
		const char *mark = history_is_marked(h->entries[i]) ? "" : "'";

		if (r < LEVELS)
			printf(" %s%s", names[r], mark);
		else
			printf(" r%u%s", r, mark);
	}
}

/* Counts of a round: of each history entries and direct recursive calls. */
struct counts { uint32_t n; struct count { uint32_t history; bool recursive; long calls; } of[256]; };

static void count(struct counts *c, uint32_t history, bool recursive, long calls)
{
	uint32_t i = 0;

	while (i < c->n && (c->of[i].history != history || c->of[i].recursive != recursive))
		i++;
	if (i == sizeof c->of / sizeof *c->of)
		fail_for_good("too many contexts in a round");
	if (i == c->n)
		c->of[c->n++] = (struct count){ history, recursive, 0 };
	c->of[i].calls += calls;
}

static bool counts_equal(const struct counts *a, const struct counts *b)
{
	for (uint32_t i = 0; i < a->n; i++) {
		long have = 0;

		for (uint32_t k = 0; k < b->n; k++)
			if (b->of[k].history == a->of[i].history && b->of[k].recursive == a->of[i].recursive)
				have = b->of[k].calls;
		if (have != a->of[i].calls)
			return false;
	}
	return a->n == b->n;
}

static const struct amon_header *file;		/* mapped */

/* What is known of an item. */
struct seen { uint32_t history; bool recursive; uint64_t calls; const struct amon_counter *counter; uint64_t site; };
static struct thread_seen { struct seen *items; uint32_t n; } seen[THREADS];

static struct seen *seen_add(struct thread_seen *t, const struct amon_link *link, const struct amon_counter *counter)
{
	static const struct history empty;
	struct seen *s;

	if ((t->n & (t->n - 1)) == 0 && !(t->items = realloc(t->items, (t->n ? 2 * t->n : 1) * sizeof *t->items)))
		fail_for_good("no memory");
	s = &t->items[t->n];
	*s = (struct seen){ .history = intern(&empty), .counter = counter };
	if (link->parent != AMON_NONE) {
		uint32_t parent = t->items[link->parent].history;

		s->history = step(parent, link->routine);
		s->recursive = s->history == parent;
	}
	t->n++;
	return s;
}

static void chunk_read(const struct amon_chunk *c, struct counts *news)
{
	const struct amon_link *links = (const void *)((const char *)c + c->first);
	const struct amon_counter *counters = (const void *)((const char *)c + c->counters);

	if (c->thread >= THREADS)
		fail_for_good("too many threads");
	for (uint32_t i = 0; i < c->count; i++) {
		struct thread_seen *t = &seen[c->thread];
		struct seen *s = c->base + i < t->n ? &t->items[c->base + i] : seen_add(t, &links[i], &counters[i]);

		if (counters[i].calls != s->calls)
			count(news, s->history, s->recursive, (long)(counters[i].calls - s->calls));
		s->calls = counters[i].calls;
	}
}

/* Where the calls of items came from; a chunk of it stands behind that of the items. */
static void sites_read(const struct amon_chunk *c)
{
	const uint64_t *sites = (const void *)((const char *)c + c->first);
	struct thread_seen *t = &seen[c->thread];

	for (uint32_t i = 0; i < c->capacity && c->base + i < t->n; i++)
		t->items[c->base + i].site = sites[i];
}

/* The call site of the transition to HISTORY in the first thread; 0: none is told. */
static uint64_t site_of_transition(uint32_t history, bool recursive)
{
	for (uint32_t i = 0; i < seen[0].n; i++)
		if (seen[0].items[i].history == history && seen[0].items[i].recursive == recursive && seen[0].items[i].site)
			return seen[0].items[i].site;
	return 0;
}

/* What was counted since this was asked last. */
static void profile_read(struct counts *news)
{
	news->n = 0;
	for (uint64_t at = AMON_PAGE; at < file->used;) {
		const struct amon_chunk *c = (const void *)((const char *)file + at);

		if (c->kind == AMON_CONTEXTS)
			chunk_read(c, news);
		if (c->kind == AMON_SITES && c->thread < THREADS)
			sites_read(c);
		at += c->size;
	}
}

/* Where the monitor has mapped the profile: the file may have had no name when it was mapped. */
static void profile_find(void)
{
	FILE *maps = fopen("/proc/self/maps", "r");
	char line[1024];
	uint64_t low = 0, at;

	while (maps && fgets(line, sizeof line, maps))
		if (strstr(line, " rw-s ") && sscanf(line, "%lx-", &at) == 1 && !low && memcmp((const void *)at, AMON_MAGIC, 8) == 0)
			low = at;
	if (!low)
		fail_for_good("there is no profile");
	fclose(maps);
	file = (const void *)low;
}

/* A note of something that must not happen; NULL: there is none. */
static const char *harmful_note(void)
{
	static const struct { enum amon_note kind; const char *name; } harmful[] = {
		{ AMON_NOTE_OUT_OF_MEMORY, "out of memory" }, { AMON_NOTE_MEMORY_BOUND, "memory bound" }, { AMON_NOTE_LOST_CALLS, "lost calls" },
		{ AMON_NOTE_AMBIGUOUS, "ambiguous" }, { AMON_NOTE_STACK_OVERFLOW, "stack overflow" },
		{ AMON_NOTE_UNBALANCED_EXIT, "unbalanced exit" }, { AMON_NOTE_INTERNAL, "internal" },
		{ AMON_NOTE_UNREDIRECTED, "unredirected" },
	};
	static uint64_t before[64];

	for (size_t i = 0; i < sizeof harmful / sizeof *harmful; i++)
		if (file->notes[harmful[i].kind] != before[i]) {
			before[i] = file->notes[harmful[i].kind];
			return harmful[i].name;
		}
	return NULL;
}

/* ---- what a round calls, and what comes of it ---- */

/* A call, so many routines deep below where it all starts. */
struct call { uint32_t depth, routine; };

enum { MOST_CALLS = 10, HANDLER_CALLS = 7 };

static const struct call handler_calls[HANDLER_CALLS] = {
	{ 1, HANDLER }, { 2, INNER }, { 2, TARGET }, { 2, RECURSE }, { 3, RECURSE }, { 4, RECURSE }, { 2, INNER },
};

/* Count the first N of CALLS, made in the history FROM; where each leads comes into LEADS. */
static void calls_count(struct counts *c, const struct call *calls, uint32_t n, uint32_t from, uint32_t *leads)
{
	uint32_t open[MOST_CALLS + 1] = { from };

	for (uint32_t i = 0; i < n; i++) {
		uint32_t caller = open[calls[i].depth - 1];

		leads[i] = open[calls[i].depth] = step(caller, calls[i].routine);
		count(c, leads[i], leads[i] == caller, 1);
	}
}

/* What is to be tried: what the round does not tell. */
struct guess {
	uint32_t made;			/* calls of the site that began */
	uint32_t parent[2];		/* under which of them each handler stands, from 1; 0: under none; beyond the site's, the first handler's */
	uint32_t handled;		/* calls of the first handler that began */
};

/* What is known of it. */
struct told {
	struct call calls[MOST_CALLS];	/* of the site */
	uint32_t ncalls;		/* how many */
	uint32_t least;			/* so many began in any case */
	bool came[2];			/* the signals' handlers were called */
	bool is_root[2];		/* by the kernel, with hooks: they stand under none */
	bool is_inside;			/* the second perhaps in the first */
	bool returned;			/* the last one returned */
};

/* What is counted if G is right of T. False: it contradicts itself. */
static bool guess_count(const struct told *t, const struct guess *g, struct counts *c)
{
	static const struct history empty;
	uint32_t leads[1 + MOST_CALLS + HANDLER_CALLS], ignored[HANDLER_CALLS], known = 1 + g->made;

	c->n = 0;
	leads[0] = intern(&empty);
	calls_count(c, t->calls, g->made, leads[0], leads + 1);
	if (t->came[0]) {
		if (g->parent[0] >= known)
			return false;
		calls_count(c, handler_calls, g->handled, leads[g->parent[0]], leads + known);
		known += t->is_inside ? g->handled : 0;
	}
	if (t->came[1]) {
		if (g->parent[1] >= known)
			return false;
		calls_count(c, handler_calls, HANDLER_CALLS, leads[g->parent[1]], ignored);
	}
	return true;
}

/* Is there a guess G that explains NEWS?  What was right the last time is likely. */
static bool guess_find(const struct told *t, const struct counts *news, struct guess *g)
{
	static struct guess last;
	struct counts c;
	uint32_t partial = !t->returned && t->is_inside;

	*g = last;
	if (g->made == t->ncalls && g->handled == HANDLER_CALLS && guess_count(t, g, &c) && counts_equal(&c, news))
		return true;
	for (g->made = t->returned ? t->ncalls : t->least; g->made <= t->ncalls; g->made++)
		for (g->parent[0] = 0; g->parent[0] <= (t->came[0] && !t->is_root[0] ? g->made : 0); g->parent[0]++)
			for (g->handled = partial ? 0 : HANDLER_CALLS; g->handled <= HANDLER_CALLS; g->handled++)
				for (g->parent[1] = 0; g->parent[1] <= (t->came[1] && !t->is_root[1] ? g->made + g->handled : 0); g->parent[1]++)
					if (guess_count(t, g, &c) && counts_equal(&c, news)) {
						last = *g;
						return true;
					}
	return false;
}

/* ---- the kinds of rounds ---- */

/* What to do to the thread's front table before the call. */
enum table { AS_IT_IS, OWN, SECOND, BEHIND_ALIAS, PROMOTED, MISSED };

static void call_target(void) { target(); }
static void call_tail(void) { tail(); }
static void call_recurse(void) { recurse(2); }
static void call_outer(void) { outer(); }

static void call_deep(void)
{
	char room[1 << 18];

	KEEP(room);
	target();
	KEEP(room);
}

static volatile double value;

static void call_values(void)
{
	value = values(1, 2, 3, 4, 5, 6, 7.5, 8.5, 9L, 10.25);
}

static const double right_value = 1 + 4 + 9 + 16 + 25 + 36 + 7.5 * 7 + 8.5 * 8 + 81 + 102.5;

static const struct kind {
	const char *name;
	void (*call)(void);
	struct call calls[MOST_CALLS];	/* below base's; depth 0 ends them */
	uint32_t unstepped;		/* so many of them are over when the stepping begins */
	enum table table;
	bool alias;			/* the table's entry is that of a recursive call */
	bool makes;			/* its contexts are new each time */
	bool threads;			/* each round has a thread of its own, */
	bool starts;			/* and its start is stepped through too */
} kinds[] = {
	{ "own", call_target, { { 2, TARGET } }, .table = OWN },
	{ "second", call_target, { { 2, TARGET } }, .table = SECOND },
	{ "behind-alias", call_target, { { 2, TARGET } }, .table = BEHIND_ALIAS },
	{ "promoted", call_target, { { 2, TARGET } }, .table = PROMOTED },
	{ "missed", call_target, { { 2, TARGET } }, .table = MISSED },
#ifdef TAILS
	{ "tail", call_tail, { { 2, TAIL }, { 2, AFTER } }, .table = AS_IT_IS },
#else
	{ "tail", call_tail, { { 2, TAIL }, { 3, AFTER } }, .table = AS_IT_IS },
#endif
	{ "values", call_values, { { 2, VALUES } }, .table = AS_IT_IS },
#ifdef INLINED
	{ "outer", call_outer, { { 2, OUTER }, { 3, WITHIN } }, .table = AS_IT_IS },
#else
	{ "outer", call_outer, { { 2, OUTER } }, .table = AS_IT_IS },
#endif
	{ "recursion", call_recurse, { { 2, RECURSE }, { 3, RECURSE }, { 4, RECURSE } }, .table = OWN, .alias = true },
	{ "recursion-second", call_recurse, { { 2, RECURSE }, { 3, RECURSE }, { 4, RECURSE } }, .table = SECOND, .alias = true },
	{ "recursion-missed", call_recurse, { { 2, RECURSE }, { 3, RECURSE }, { 4, RECURSE } }, .table = MISSED, .alias = true },
	{ "made", call_target, { { 2, 0 }, { 3, 0 }, { 4, 0 }, { 5, TARGET } }, .unstepped = 3, .makes = true },
	{ "made-recursion", call_recurse, { { 2, 0 }, { 3, 0 }, { 4, 0 }, { 5, RECURSE }, { 6, RECURSE }, { 7, RECURSE } }, .unstepped = 3,
	  .makes = true },
	{ "deep", call_deep, { { 2, TARGET } }, .threads = true },
	{ "thread", call_target, { { 2, TARGET } }, .threads = true, .table = OWN },
	{ "started", call_target, { { 2, TARGET } }, .threads = true, .starts = true },
};

enum end { RETURNS, JUMPS, EXITS, CANCELLED };
static const char *const ends[] = { "return", "siglongjmp", "pthread_exit", "cancel" };

/* ---- the round at hand ---- */

static const struct kind *kind;
static enum end how_it_ends;
static bool nested;			/* the second signal comes inside the first handler */
static bool is_stepped;		/* the site is watched */
static int last_signal;			/* whose handler ends as `how_it_ends` says */
static uint64_t round_number;		/* which chooses its path through `levels` */
static uint32_t level;

static uint32_t path(uint32_t deep)
{
	uint64_t n = round_number;

	for (uint32_t i = 0; i < deep; i++)
		n /= CHOICES;
	return (uint32_t)(n % CHOICES);
}

/* ---- stops ---- */

/* An instruction, and how often it has run when it is meant. */
struct instruction { uintptr_t ip; long nth; bool blocked; };

/* Those that ran, in their order, where the trap flag was set. */
struct trace { struct instruction of[MOST_STEPS]; long n; };

static struct trace site_trace, inside_trace, *tracing;	/* NULL: none */

static struct stop {
	uintptr_t ip;			/* has a breakpoint; 0: none */
	long left;			/* it is to be passed so often before */
	int signal;			/* to send there, 0 or 1 */
	uint8_t code;			/* what stands there */
	bool passing;			/* the trap flag is set only to pass it */
} stop;

static struct round {
	long first, second, inside;	/* instructions; -1: none.  Of the site; behind the first handler's return; in the first handler */
	long since;			/* instructions that ran since the first handler returned; -1: it has not been sent */
	long walked;			/* instructions of site_trace that ran, one by one; -1: no longer, or a breakpoint is where the first is */
	uintptr_t sent[2];		/* where the signals were sent; 0: they were not */
	volatile bool came[2];		/* and their handlers called */
	volatile bool left;		/* the last one did not return */
} now;

static bool walks;			/* rounds go to the first signal instruction by instruction: no breakpoint that another way could lead to */

/* Set and clear the trap flag.  Unwinders look at their instructions too. */
void step_on(void);
void step_off(void);

#define CHANGE_FLAGS(name, change) \
	__asm__("	.section untried, \"ax\"\n" \
		"	.globl " name "\n" \
		"	.type " name ", @function\n" \
		name ":\n" \
		"	.cfi_startproc\n" \
		"	pushfq\n" \
		"	.cfi_adjust_cfa_offset 8\n" \
		"	" change "\n" \
		"	popfq\n" \
		"	.cfi_adjust_cfa_offset -8\n" \
		"	ret\n" \
		"	.cfi_endproc\n" \
		"	.size " name ", .-" name "\n" \
		"	.text")
CHANGE_FLAGS("step_on", "orq $0x100, (%rsp)");
CHANGE_FLAGS("step_off", "andq $~0x100, (%rsp)");

UNTRIED static void trace_begin(struct trace *t)
{
	t->n = 0;
	tracing = t;
}

UNTRIED static void trace_end(void)
{
	step_off();
	tracing = NULL;
}

UNTRIED static void trace_add(struct trace *t, uintptr_t ip, bool blocked)
{
	long nth = 1;

	for (long i = 0; i < t->n; i++)
		nth += t->of[i].ip == ip;
	if (t->n < MOST_STEPS)
		t->of[t->n++] = (struct instruction){ ip, nth, blocked };
}

UNTRIED static void code_write(uintptr_t ip, uint8_t code)
{
	static uintptr_t writable[64];
	uintptr_t page = ip & -(uintptr_t)AMON_PAGE, *w = writable;

	while (*w && *w != page)
		w++;
	if (!*w) {
		if (w == writable + 63 || mprotect((void *)page, AMON_PAGE, PROT_READ | PROT_WRITE | PROT_EXEC))
			fail_for_good("code cannot be written");
		*w = page;
	}
	*(volatile uint8_t *)ip = code;
}

UNTRIED static void stop_set(const struct instruction *i, int signal)
{
	stop = (struct stop){ i->ip, i->nth - 1, signal, *(const uint8_t *)i->ip, false };
	code_write(stop.ip, BREAKPOINT);
}

UNTRIED static void stop_unset(void)
{
	if (stop.ip)
		code_write(stop.ip, stop.code);
	stop.ip = 0;
}

static void send(int which, uintptr_t ip)
{
	now.sent[which] = ip;
	if (which == 0)
		now.since = 0;
	if (how_it_ends == CANCELLED && last_signal == which) {
		now.left = true;
		pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
		pthread_cancel(pthread_self());
	}
	syscall(SYS_tgkill, getpid(), syscall(SYS_gettid), which ? SIGUSR2 : SIGUSR1);
}

/* The breakpoint at IP was met.  True: it is to be passed. */
static bool stop_met(uintptr_t ip)
{
	code_write(ip, stop.code);
	if (stop.left-- > 0)
		return stop.passing = true;
	stop.ip = 0;
	send(stop.signal, ip);
	if (!stop.signal && now.second == 0)
		send(1, ip);
	return !stop.signal && now.second > 0;
}

/* Go along site_trace to the first signal's instruction.  False: it is reached, or the site goes another way than when it was traced: then no
 * signal is sent. */
static bool walk(uintptr_t ip)
{
	bool strays = now.walked >= site_trace.n || site_trace.of[now.walked].ip != ip, arrives = !strays && now.walked == now.first;

	now.walked = strays || arrives ? -1 : now.walked + 1;
	if (arrives)
		send(0, ip);
	return !strays && !arrives;
}

/* The trap flag was set, and IP is next.  True: it stays so. */
static bool stepped(uintptr_t ip, bool blocked)
{
	if (stop.passing) {
		stop.passing = false;
		code_write(stop.ip, BREAKPOINT);
		return tracing != NULL;
	}
	if (tracing) {
		trace_add(tracing, ip, blocked);
		return true;
	}
	if (now.walked >= 0)
		return walk(ip);
	if (!blocked && ++now.since == now.second)
		send(1, ip);
	return now.since < now.second;
}

static void on_trap(int sig, siginfo_t *info, void *context)
{
	ucontext_t *u = context;
	greg_t *regs = u->uc_mcontext.gregs;
	extern const char __start_untried[], __stop_untried[];
	uintptr_t ip = (uintptr_t)regs[REG_RIP];
	bool untried = ip >= (uintptr_t)__start_untried && ip < (uintptr_t)__stop_untried;
	bool blocked = untried || *(uint64_t *)&u->uc_sigmask >> (SIGUSR1 - 1) & 1, again;

	(void)sig;
	if (stop.ip && info->si_code != TRAP_TRACE && regs[REG_RIP] == (greg_t)stop.ip + 1)	/* a jump may lead behind it, too */
		again = stop_met((uintptr_t)--regs[REG_RIP]);
	else
		again = stepped((uintptr_t)regs[REG_RIP], blocked);
	if (again)
		regs[REG_EFL] |= TRAP_FLAG;
	else
		regs[REG_EFL] &= ~(greg_t)TRAP_FLAG;
}

/* rt_sigprocmask, which the kernel sends here: SIGTRAP is never blocked. */
static void on_mask(int sig, siginfo_t *info, void *context)
{
	static const uint64_t ours = UINT64_C(1) << (SIGTRAP - 1) | UINT64_C(1) << (SIGSYS - 1);
	ucontext_t *u = context;
	greg_t *regs = u->uc_mcontext.gregs;
	uint64_t *mask = (uint64_t *)&u->uc_sigmask, before = *mask;

	(void)sig, (void)info;
	if (regs[REG_RSI] && (uint64_t)regs[REG_RDI] > SIG_SETMASK) {	/* the monitor asks so whether that can be read (peek.c) */
		regs[REG_RAX] = -EINVAL;
		return;
	}
	if (regs[REG_RSI]) {
		uint64_t set = *(const uint64_t *)regs[REG_RSI];

		*mask = regs[REG_RDI] == SIG_BLOCK ? before | set : regs[REG_RDI] == SIG_UNBLOCK ? before & ~set : set;
		*mask &= ~ours;
	}
	if (regs[REG_RDX])
		*(uint64_t *)regs[REG_RDX] = before;
	regs[REG_RAX] = 0;
}

/* False: the kernel does not. */
static bool masks_catch(void)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_rt_sigprocmask, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRAP),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { sizeof code / sizeof *code, code };
	struct sigaction trap = { .sa_sigaction = on_trap, .sa_flags = SA_SIGINFO };
	struct sigaction mask = { .sa_sigaction = on_mask, .sa_flags = SA_SIGINFO };

	sigaddset(&trap.sa_mask, SIGUSR1);
	sigaddset(&trap.sa_mask, SIGUSR2);
	mask.sa_mask = trap.sa_mask;
	sigaction(SIGTRAP, &trap, NULL);
	sigaction(SIGSYS, &mask, NULL);
	return !prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) && !prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

/* ---- handlers ---- */

UNTRIED static void handle(int sig)
{
	bool inside = nested && sig == SIGUSR1;

	if (inside && now.inside < 0) {
		trace_begin(&inside_trace);
		step_on();
	} else if (inside && now.inside < inside_trace.n)
		stop_set(&inside_trace.of[now.inside], 1);
	handler(sig);
	if (inside && now.inside < 0)
		trace_end();
	else if (inside)
		stop_unset();
}

/* Far below what it interrupted. */
UNTRIED static void handle_deep(int sig)
{
	char room[2000];

	KEEP(room);
	handle(sig);
	KEEP(room);
}

static const struct how {
	const char *name;
	void (*handler)(int sig);
	bool alternate;			/* on a stack of its own */
} ways_to_handle[] = {
	{ "hooked", handler, false }, { "plain", handle, false }, { "deep", handle_deep, false }, { "alternate", handle, true },
};

static bool is_root[2];			/* of each signal: its handler has hooks */

static void handle_by(int sig, const struct how *how)
{
	struct sigaction action = { .sa_handler = how->handler, .sa_flags = SA_NODEFER | (how->alternate ? SA_ONSTACK : 0) };

	is_root[sig == SIGUSR2] = how->handler == handler;
	sigaction(sig, &action, NULL);
}

static volatile bool is_in_site;	/* behind it base's exit may be over: who jumps back there then leaves it twice */

void handler_begins(int sig)
{
	if (sig)
		now.came[sig == SIGUSR2] = true;
}

void handler_ends(int sig)
{
	if (!sig || sig != (last_signal ? SIGUSR2 : SIGUSR1))
		return;
	if (how_it_ends == JUMPS && is_in_site) {
		now.left = true;
		siglongjmp(way_out, 1);
	}
	if (how_it_ends == EXITS) {
		now.left = true;
		pthread_exit(NULL);
	}
}

/* ---- the front table ---- */

/* Words of struct aprof_tls. */
enum { FRONT = TLS_FRONT / 8, MASK = TLS_MASK / 8, TOP = TLS_TOP / 8, CURRENT = TLS_CURRENT / 8, SITES = TLS_SITES / 8, SITES_MASK = TLS_SITES_MASK / 8 };

#ifdef PRELOADED
static uint64_t *words(void) { return dlsym(RTLD_DEFAULT, "aprof_tls"); }
#else
extern __thread uint64_t aprof_tls[];
static uint64_t *words(void) { return aprof_tls; }
#endif

static uint64_t addresses[ROUTINES];	/* as the hooks see them */
static const struct amon_counter *base_counter, *target_counter; /* of `base` and `base target` in the first thread */

static uint64_t id_step(uint64_t from, uint64_t what) { return (from + what) * (uint64_t)STEP_FACTOR; }

/* The mask of the table that hooks look into; 0: there is none. */
static uint64_t front_mask(void) { return words()[SITES_MASK] ? words()[SITES_MASK] : words()[MASK]; }

/* The key of the call that KIND's table is about, made in the context ID: by its call site, too, where these are told apart.  The first thread has made it. */
static uint64_t key_of(uint64_t id)
{
	static const struct history empty;
	uint32_t routine = kind->calls[0].routine, history = step(step(intern(&empty), BASE), routine);
	uint64_t site = site_of_transition(history, kind->alias);

	for (int i = 0; i < 1 + kind->alias; i++)
		id = id_step(id, addresses[routine]);
	return words()[SITES_MASK] && site ? id_step(id, site) : id;
}

/* Where the entry of the call that KIND's table is about stands, if it is called in the context ID: its own slot, and the other; FOUND: what the
 * entry is, 0: it is not there. */
struct entry { uint64_t *own, *other, found; };

static struct entry table_entry(uint64_t id)
{
	const uint64_t *w = words();
	struct entry e = { 0 };

	id = key_of(id);
	e.own = (uint64_t *)(w[w[SITES_MASK] ? SITES : FRONT] + (id >> FRONT_SHIFT & front_mask()));
	e.other = (uint64_t *)((uintptr_t)e.own ^ FRONT_SLOT);
	for (int i = 0; i < 2; i++) {
		uint64_t slot = i ? *e.other : *e.own;

		if (((const struct amon_counter *)(slot & ~UINT64_C(1)))->id == id)
			e.found = slot;
	}
	return e;
}

/* Do what KIND says to the front table: the site is called next.  Where hooks do not look into it there is none. */
static void table_prepare(void)
{
	static struct amon_counter nobody = { .id = UINT64_MAX, .routine = UINT64_MAX };
	const uint64_t *w = words();
	struct entry e = table_entry(w[CURRENT] ? w[CURRENT] : ((const uint64_t *)w[TOP])[FRAME_CONTEXT / 8]);

	if (front_mask() == 0 || !e.found)
		return;
	*e.own = kind->table == OWN ? e.found : kind->table == BEHIND_ALIAS ? (uint64_t)&nobody + 1 : (uint64_t)&nobody;
	*e.other = kind->table == OWN || kind->table == MISSED ? (uint64_t)&nobody : e.found;
}

/* ---- a round ---- */

/* What follows is stepped through, or has a stop. */
UNTRIED static void watch(void)
{
	if (!is_stepped)
		return;
	if (now.first < 0)
		trace_begin(&site_trace);
	if (now.first < 0 || now.walked >= 0)
		step_on();
	else
		stop_set(&site_trace.of[now.first], 0);
}

UNTRIED static void watch_no_more(void)
{
	trace_end();
	stop_unset();
}

static bool is_rolling;

/* All routines, in the order of their numbers. */
static void roll_call(void)
{
	target();
	tail();
	recurse(2);
	call_values();
	outer();
	handler(0);
	for (int i = 0; i < DEPTH; i++)
		for (int k = 0; k < CHOICES; k++)
			levels[i][k]();
}

UNTRIED static void stepped_call(void)
{
	if (kind->table)
		table_prepare();
	if (!kind->starts)
		watch();
	kind->call();
	if (!kind->starts)
		watch_no_more();
}

void descend(void)
{
	if (is_rolling)
		return;
	if (level < DEPTH) {
		level++;
		levels[level - 1][path(level - 1)]();
	} else {
		stepped_call();
	}
}

void site(void)
{
	level = 0;
	is_in_site = true;
	if (is_rolling)
		roll_call();
	else if (kind->makes)
		descend();
	else
		stepped_call();
	is_in_site = false;
}

static char alternate[2][65536];

static void alternate_set(int which)
{
	stack_t stack = { .ss_sp = alternate[which], .ss_size = sizeof alternate[which] };

	sigaltstack(&stack, NULL);
}

/* One in which nothing is stepped through: the next one finds what it calls.  Its calls are nobody's. */
static void warm_up(void)
{
	struct counts ignored;

	is_stepped = false;
	base();
	profile_read(&ignored);
	is_stepped = true;
}

/* The entry that KIND is about is in the table; one found in the second slot is moved at every fourth call. */
static bool is_prepared(void)
{
	bool moves = (kind->table == SECOND || kind->table == PROMOTED) && !kind->alias;

	return (!moves || (target_counter->calls % 4 == 3) == (kind->table == PROMOTED)) &&
	       (!kind->table || front_mask() == 0 || table_entry(base_counter->id).found);
}

static void round_prepare(void)
{
	for (int i = 0; i < 16 && !is_prepared(); i++)
		warm_up();
}

UNTRIED static void *in_thread(void *arg)
{
	alternate_set(1);
	if (!kind->starts)
		warm_up();
	else
		watch();
	base();
	watch_no_more();
	return arg;
}

/* The calls that the next round makes. */
static void told_calls(struct told *t)
{
	t->ncalls = 1;
	t->calls[0] = (struct call){ 1, BASE };
	for (const struct call *c = kind->calls; c->depth; c++)
		t->calls[t->ncalls++] = *c;
	for (uint32_t i = 0; i < kind->unstepped; i++)
		t->calls[1 + i].routine = LEVELS + CHOICES * i + path(i);
	t->least = kind->starts ? 0 : 1 + kind->unstepped;
}

static long rounds, missed, failures;

static void complain(const struct counts *news, const char *what)
{
	extern const char __executable_start[] __attribute__((weak));

	if (failures++ >= TOLD)
		return;
	printf("first %ld (%#lx), second %ld inside %ld (%#lx), from %#lx: %s\n", now.first, now.sent[0], now.second, now.inside, now.sent[1],
	       (uintptr_t)__executable_start, what);
	for (uint32_t i = 0; i < news->n; i++) {
		printf("    %ld %s", news->of[i].calls, news->of[i].recursive ? "recursive" : "entered");
		history_print(news->of[i].history);
		printf("\n");
	}
}

/* A round; struct round says what FIRST, SECOND, INSIDE are.  Under which call the first handler stood is the result. */
static uint32_t round_run(long first, long second, long inside)
{
	struct counts news;
	struct told t = { .is_inside = nested || second == 0, .is_root = { is_root[0], is_root[1] } };
	struct guess g = { 0 };
	const char *note;
	pthread_t thread;

	now = (struct round){ first, second, inside, -1, first >= 0 && walks ? 0 : -1, { 0, 0 }, { false, false }, false };
	last_signal = second >= 0 || inside >= 0;
	told_calls(&t);
	if (!kind->threads && how_it_ends < EXITS) {
		round_prepare();
		base();
	} else if (pthread_create(&thread, NULL, in_thread, NULL) || pthread_join(thread, NULL)) {
		fail_for_good("no thread");
	}
	stop_unset();
	rounds++;
	round_number++;
	t.came[0] = now.came[0] || (t.is_inside && now.sent[0]);	/* it may have been left before it began */
	t.came[1] = now.came[1];
	t.returned = !now.left;
	profile_read(&news);
	note = harmful_note();
	if (note)
		complain(&news, note);
	else if (!guess_find(&t, &news, &g))
		complain(&news, "wrong counts");
	if (kind->call == call_values && t.returned && value != right_value)
		complain(&news, "wrong value");
	return g.parent[0];
}

/* ---- all rounds ---- */

/* Where handlers of a single signal stood as the instructions go by: a routine is entered once, behind those that called it, and left once. */
static struct { uint32_t before, left; } places;

static void places_check(uint32_t place)
{
	static const struct counts none;

	if (places.left >> place & 1)
		complain(&none, "the signal was taken to be in a routine that had been left");
	for (; places.before > place; places.before--)
		places.left |= 1u << places.before;
	places.before = place;
}

/* The instructions of the site as they run now. */
static void trace_site(void)
{
	round_run(-1, -1, -1);
	places.before = places.left = 0;
}

/* A round whose first signal came.  False: it did not, since the site went another way than when it was traced. */
static bool round_try(long first, long second, long inside, uint32_t *place)
{
	for (int i = 0; i < TRIES; i++) {
		*place = round_run(first, second, inside);
		if (now.sent[0])
			return true;
		missed++;
		trace_site();
		if (first >= site_trace.n)
			return false;
	}
	return false;
}

/* A round with a single signal.  Where the site does not go the way that was traced, however often, nothing is said of the order. */
static void try_alone(long first)
{
	uint32_t place;

	walks = true;
	if (round_try(first, -1, -1, &place) && how_it_ends == RETURNS && !kind->alias && !kind->makes)
		places_check(place);
	walks = false;
	if (!now.sent[0] && first < site_trace.n)
		round_try(first, -1, -1, &place);
}

/* All rounds whose first signal comes at FIRST. */
static void try_at(long first, bool alone)
{
	uint32_t place;

	if (nested) {
		if (!round_try(first, -1, -1, &place))
			return;
		for (long inside = 0; inside < inside_trace.n; inside++)
			if (!inside_trace.of[inside].blocked)
				round_try(first, -1, inside, &place);
	} else if (alone) {
		try_alone(first);
	} else {
		for (long second = 0; second <= PAIR; second++)
			round_try(first, second, -1, &place);
	}
}

static void prepare(void)
{
	struct counts ignored;

	is_rolling = true;
	alternate_set(0);
	base();
	is_rolling = false;
	profile_find();
	profile_read(&ignored);
	for (uint32_t i = 0; i < seen[0].n; i++) {
		const struct seen *s = &seen[0].items[i];
		const struct history *h = &histories[s->history];
		uint32_t last = h->length && !s->recursive ? history_routine(h->entries[h->length - 1]) : ROUTINES;

		if (last < ROUTINES && s->counter->routine)	/* an item of another call site has none */
			addresses[last] = s->counter->routine;
		if (h->length == 1 && last == BASE)
			base_counter = s->counter;
		if (h->length == 2 && last == TARGET)
			target_counter = s->counter;
	}
	for (int i = 0; i < ROUTINES; i++)
		if (!addresses[i])
			fail_for_good("routines are missing");
	is_stepped = true;
}

static size_t find(const char *name, const void *table, size_t n, size_t size)
{
	for (size_t i = 0; i < n; i++)
		if (!strcmp(*(const char *const *)((const char *)table + i * size), name))
			return i;
	fail_for_good(name);
	return 0;
}

#define FIND(name, table) find(name, table, sizeof table / sizeof *table, sizeof *table)

int main(int argc, char **argv)
{
	static const char inside[] = "inside-";
	bool alone;
	long stride;

	if (personality(PERSONALITY_NOW) & ADDR_NO_RANDOMIZE || personality(ADDR_NO_RANDOMIZE) < 0)	/* each run is like the other */
		personality(0);
	else
		execv("/proc/self/exe", argv);
	if (argc != 6)
		fail_for_good("KIND FIRST SECOND END STRIDE");
	nested = !strncmp(argv[3], inside, strlen(inside));
	alone = !strcmp(argv[3], "none");
	kind = &kinds[FIND(argv[1], kinds)];
	how_it_ends = (enum end)FIND(argv[4], ends);
	stride = atol(argv[5]);
	handle_by(SIGUSR1, &ways_to_handle[FIND(argv[2], ways_to_handle)]);
	if (!alone)
		handle_by(SIGUSR2, &ways_to_handle[FIND(argv[3] + (nested ? strlen(inside) : 0), ways_to_handle)]);
	if (!masks_catch()) {
		printf("the kernel allows no filter of system calls\n");
		return 77;
	}
	prepare();
	trace_site();
	for (long first = 0; first < site_trace.n && failures < TOLD; first += stride)
		if (!site_trace.of[first].blocked)
			try_at(first, alone);
	printf("%ld rounds, %ld instructions, %ld missed, %ld wrong\n", rounds, site_trace.n, missed, failures);
	return failures != 0;
}
