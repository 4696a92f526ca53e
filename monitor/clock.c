/* clock.c - which clock charges the contexts, and what is common to all: the accounts of a thread.
 *
 * Invariant of the sampled clock tick, at every moment, in the file:
 *     sum of the contexts' time + monitor + unplaced = cpu_last - cpu_first.
 * Whatever CPU time is seen is first unplaced; a sample that finds the thread at work moves it to where it
 * found it.  What it finds in no known context, behind a jump (jump.c), stays unplaced until the thread is found.  Clock tsc is here too: it is charged by the hooks themselves. */
#include "monitor/clock.h"

#include <time.h>
#if defined(__x86_64__)
#include <cpuid.h>
#endif

#include "format/amon.h"
#include "monitor/context.h"
#include "monitor/count.h"
#include "monitor/jump.h"
#include "monitor/machine.h"
#include "monitor/process.h"
#include "monitor/sampler.h"
#include "monitor/state.h"
#include "monitor/sys.h"
#include "monitor/thread.h"
#include "monitor/tls.h"
#include "monitor/verify.h"

enum { DEFAULT_RATE = 997, MOST_RATE = 10000 };

static struct moment tsc_start;		/* clock tsc */

/* ---- choice ---- */

/* Does the cycle counter run at one rate, whatever the processor's power state? */
static bool tsc_is_invariant(void)
{
#if defined(__x86_64__)
	unsigned a, b, c, d;

	return __get_cpuid(0x80000007, &a, &b, &c, &d) && (d & 1u << 8);
#else
	return true;
#endif
}

/* Place of the value of NAME among the N words; MISSING where it is not set, N where it is none of them. */
static uint32_t env_word(const char *name, const char *const *words, uint32_t n, uint32_t missing)
{
	const char *value = process_env(name);

	if (!value || !*value)
		return missing;
	for (uint32_t i = 0; i < n; i++)
		if (str_equal(value, words[i]))
			return i;
	return n;
}

/* 0: none is asked for, or none that can be. */
static uint32_t env_rate(void)
{
	const char *s = process_env("APROF_RATE");
	uint32_t rate = 0;

	if (!s || !*s)
		return 0;
	for (; *s >= '0' && *s <= '9'; s++)
		rate = rate <= MOST_RATE ? rate * 10 + (uint32_t)(*s - '0') : rate;
	if (*s || rate == 0) {
		note(AMON_NOTE_SETTING);
		return 0;
	}
	return rate < MOST_RATE ? rate : MOST_RATE;
}

struct moment clock_moment(void)
{
	struct moment moment = { 0, 0 };
	uint64_t best = UINT64_MAX;

	for (int i = 0; i < 8; i++) {
		uint64_t before = clock_cycles(), now = sys_clock(CLOCK_MONOTONIC), after = clock_cycles();

		if (after - before < best) {
			best = after - before;
			moment = (struct moment){ before + best / 2, now };
		}
	}
	return moment;
}

/* Cycles a second, from the start until now. */
static void tsc_measure(void)
{
	struct moment now = clock_moment();
	uint64_t tsc = now.cycles - tsc_start.cycles, nsec = now.nsec - tsc_start.nsec;

	for (; tsc >> 33; tsc /= 2)		/* the product below fits 64 bits */
		nsec /= 2;
	if (nsec)
		monitor.header->tsc_hz = tsc * 1000000000u / nsec;
}

/* The first estimate, right to some 1e-4, is for those whose end nobody sees. */
static void tsc_begin(void)
{
	tsc_start = clock_moment();
	while (sys_clock(CLOCK_MONOTONIC) - tsc_start.nsec < 200000)
		;
	tsc_measure();
}

/* In the header from the start: a process that dies before its clock runs has no time, but siblings by the same clock. */
void clock_choose(void)
{
	static const char *const clocks[] = { "none", "tick", "tsc", "wall" };	/* as enum amon_clock */
	static const char *const pcs[] = { "none", "timer", "perf", "auto" };
	static const uint32_t sources[] = { AMON_SOURCE_NONE, AMON_SOURCE_TIMER, AMON_SOURCE_PERF, AMON_SOURCE_PERF };
	struct clock_choice *c = &monitor.clock;
	uint32_t pc = env_word("APROF_PC", pcs, 4, 3);

	if (pc == 4)
		note(AMON_NOTE_SETTING);
	c->clock = env_word("APROF_CLOCK", clocks, 4, monitor.reads_counter && !monitor.without_exits ? AMON_CLOCK_TSC : AMON_CLOCK_TICK);
	c->rate = env_rate();
	c->is_rate_asked = c->rate;
	if (!c->rate)
		c->rate = DEFAULT_RATE;
	if (c->clock == 4 || (c->clock == AMON_CLOCK_TSC && (monitor.without_exits || !tsc_is_invariant()))) {
		note(AMON_NOTE_CLOCK_CHANGED);
		c->clock = AMON_CLOCK_TICK;
	}
	c->pc_wanted = c->clock == AMON_CLOCK_TICK && pc < 4 ? sources[pc] : AMON_SOURCE_NONE;
	monitor.verify = verify_wanted();
	if (monitor.verify)
		jump_find_unwinder();
	monitor.header->clock = c->clock;
	if (c->clock == AMON_CLOCK_TSC)
		tsc_begin();
}

/* ---- user and system time ----
 *
 * The kernel counts for each of the two the timer interrupts that came in it.  That is coarse, but clock_gettime tells it, which every
 * filter of system calls permits. */

enum { OF_BOTH = -8, OF_USER = -7, OF_THREAD = 4 };	/* clocks, as the kernel numbers those of the caller's process */

struct modes {
	uint64_t user, system;		/* ns */
};

static struct modes before;		/* of the process, when counting began */
static struct modes ours;		/* of the sampler, at its last look */

static struct modes modes_now(int of)
{
	uint64_t user = sys_clock(OF_USER | of), both = sys_clock(OF_BOTH | of);

	return (struct modes){ user, both > user ? both - user : 0 };
}

static uint64_t less(uint64_t now, uint64_t then) { return now > then ? now - then : 0; }

void clock_modes(bool is_sampler)
{
	struct modes now = modes_now(0);

	if (is_sampler)
		ours = modes_now(OF_THREAD);
	monitor.header->cpu_user = less(now.user, before.user + ours.user);
	monitor.header->cpu_system = less(now.system, before.system + ours.system);
}

void clock_modes_begin(void)
{
	before = modes_now(0);
	before.user -= ours.user;
	before.system -= ours.system;
	monitor.header->cpu_user = monitor.header->cpu_system = 0;
}

/* ---- start and end ---- */

static bool is_sampled(void)
{
	return monitor.clock.clock == AMON_CLOCK_TICK || monitor.clock.clock == AMON_CLOCK_WALL;
}

void clock_start(void)
{
	struct amon_header *h = monitor.header;

	h->source = h->pc_source = AMON_SOURCE_NONE;
	h->pc_period = 0;
	h->rate = 0;
	sampler_forget();
	ours = (struct modes){ 0 };
	clock_modes_begin();
	if (!is_sampled())
		return;
	h->rate = monitor.clock.rate;
	if (sampler_start())
		h->source = AMON_SOURCE_SAMPLER;
	else
		note(AMON_NOTE_TIMER_FAILED);
}

void clock_stop(void)
{
	struct aprof_tls *tls = &aprof_tls;

	if (clock_is_tsc() && tls->thread)
		clock_charge_tsc(tls->thread, tls_context(tls));
	if (is_sampled())
		sampler_stop();
	else
		for (struct thread *t = monitor.threads; t; t = t->next)
			clock_thread_end(t);
	clock_modes(false);
	if (clock_is_tsc())
		tsc_measure();
}

/* ---- the accounts of a thread ---- */

/* The words of a thread whose end nobody tells may vanish under a look; the first thread's never do. */
void clock_thread(struct thread *t, bool end_seen)
{
	t->sampled_cpu = sys_clock(CLOCK_THREAD_CPUTIME_ID);
	t->sampled_wall = sys_clock(CLOCK_MONOTONIC);
	t->pending = 0;
	if (!t->record->cpu_first)
		t->record->cpu_first = t->record->cpu_last = t->sampled_cpu;
	t->tls->last = clock_is_tsc() ? clock_cycles() : 0;
	t->is_told = end_seen || t->tid == monitor.pid;
	if (t->is_told || !is_sampled())
		sampler_watch(t, true);
	else
		note(AMON_NOTE_TIMER_FAILED);
}

void clock_thread_end(struct thread *t)
{
	sampler_end(t);
}

void clock_advance(struct thread *t, uint64_t cpu)
{
	uint64_t spent = cpu - t->sampled_cpu;

	if (cpu <= t->sampled_cpu)
		return;
	t->sampled_cpu = cpu;
	t->record->cpu_last += spent;
	if (monitor.clock.clock == AMON_CLOCK_TICK) {
		t->record->unplaced += spent;
		t->pending += spent;
	}
}

/* ---- tsc ----
 *
 * Whoever charges first takes the cycles since `last` by one instruction, so that no others do: a signal handler that comes
 * between has taken its own part, and its end is where the rest begins. */

static bool take(uint64_t *last, uint64_t from, uint64_t now)
{
#if defined(__x86_64__)
	bool taken;

	__asm__ volatile("cmpxchgq %3, %1" : "=@ccz"(taken), "+m"(*last), "+a"(from) : "r"(now));
	return taken;
#else
	return __atomic_compare_exchange_n(last, &from, now, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
#endif
}

/* The cycles that TLS, the calling thread's, has not been charged so far; from now on it has. */
static uint64_t take_cycles(struct aprof_tls *tls)
{
	uint64_t from, now;

	do {
		from = __atomic_load_n(&tls->last, __ATOMIC_RELAXED);
		if (!from)
			return 0;
		now = clock_cycles();
	} while (!take(&tls->last, from, now));
	return (int64_t)(now - from) > 0 ? now - from : 0;	/* another processor's counter may be a little behind */
}

/* The counters of T's context C: mostly those that were charged last. */
static struct amon_counter *counters_of(struct thread *t, context_id c)
{
	struct amon_counter *charged = __atomic_load_n(&t->tls->charged, __ATOMIC_RELAXED);
	uint32_t item;

	if (charged->id == c)
		return charged;
	item = machine_item(t, c);
	return machine_counter(t, item == AMON_NONE ? 0 : item);	/* of no context of T's: the root's */
}

void clock_charge_tsc(struct thread *t, context_id c)
{
	struct amon_counter *charged = counters_of(t, c);

	counter_add(&charged->time, take_cycles(t->tls));
	__atomic_store_n(&t->tls->charged, charged, __ATOMIC_RELAXED);
}

/* T may charge itself at this very moment, by instructions that are whole only on its own processor. What it then has twice, or
 * lacks, is what passed since its last change of context, and that is the less the likelier it is. */
void clock_settle_tsc(struct thread *t)
{
	struct aprof_tls *tls = t->tls;
	uint64_t from = __atomic_load_n(&tls->last, __ATOMIC_ACQUIRE), now;
	struct amon_counter *charged;

	if (!from || !t->is_told)
		return;
	charged = counters_of(t, tls_context(tls));
	now = clock_cycles();
	if ((int64_t)(now - from) > 0 && __atomic_compare_exchange_n(&tls->last, &from, now, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
		__atomic_fetch_add(&charged->time, now - from, __ATOMIC_RELAXED);
}

void clock_charge_tsc_monitor(struct thread *t)
{
	t->record->monitor += take_cycles(t->tls);
}
