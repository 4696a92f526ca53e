/* clock.c - which clock charges the contexts, and when it begins and ends: the sampler's look by look, or the cycle counter in the hooks. */
#include "inside/clock/clock.h"

#include <time.h>
#if defined(__x86_64__)
#include <cpuid.h>
#endif

#include "contract/amon.h"
#include "inside/clock/account.h"
#include "inside/clock/cycles.h"
#include "inside/stacks/jump.h"
#include "inside/clock/look.h"
#include "inside/clock/pc.h"
#include "inside/origin.h"
#include "inside/clock/sampler.h"
#include "inside/state.h"
#include "inside/sys.h"
#include "inside/text.h"
#include "inside/process/thread.h"
#include "inside/tls.h"

enum { DEFAULT_RATE = 997, MOST_RATE = 10000, CLOCKS = AMON_CLOCK_COUNT + 1 };

/* What the times in the file are, by clock count. */
#define COUNTED "what the program counted (aprof_add)"

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
	const char *value = origin_env(name);

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
	const char *s = origin_env("APROF_RATE");
	uint64_t rate;

	if (!s || !*s)
		return 0;
	rate = text_number(&s);
	if (*s || rate == 0) {
		note(AMON_NOTE_SETTING);
		return 0;
	}
	return rate < MOST_RATE ? (uint32_t)rate : MOST_RATE;
}

/* Cycles a second, from the start until now. */
static void tsc_measure(void)
{
	struct moment now = cycles_moment();
	uint64_t tsc = now.cycles - tsc_start.cycles, nsec = now.nsec - tsc_start.nsec;

	for (; tsc >> 33; tsc /= 2)		/* the product below fits 64 bits */
		nsec /= 2;
	if (nsec)
		monitor.header->tsc_hz = tsc * 1000000000u / nsec;
}

/* The first estimate, right to some 1e-4, is for those whose end nobody sees. */
static void tsc_begin(void)
{
	tsc_start = cycles_moment();
	while (sys_clock(CLOCK_MONOTONIC) - tsc_start.nsec < 200000)
		;
	tsc_measure();
}

/* In the header from the start: a process that dies before its clock runs has no time, but siblings by the same clock. */
void clock_choose(void)
{
	static const char *const clocks[] = { "none", "tick", "tsc", "wall", "count" };	/* as enum amon_clock */
	static const char *const pcs[] = { "none", "timer", "perf", "auto" };
	static const uint32_t sources[] = { AMON_SOURCE_NONE, AMON_SOURCE_TIMER, AMON_SOURCE_PERF, AMON_SOURCE_PERF };
	struct clock_choice *c = &monitor.clock;
	uint32_t pc = env_word("APROF_PC", pcs, 4, 3);

	if (pc == 4)
		note(AMON_NOTE_SETTING);
	c->clock = env_word("APROF_CLOCK", clocks, CLOCKS, monitor.reads_counter && !monitor.without_exits ? AMON_CLOCK_TSC : AMON_CLOCK_TICK);
	c->rate = env_rate();
	c->is_rate_asked = c->rate;
	if (!c->rate)
		c->rate = DEFAULT_RATE;
	if (c->clock == CLOCKS || (c->clock == AMON_CLOCK_TSC && (monitor.without_exits || !tsc_is_invariant()))) {
		note(AMON_NOTE_CLOCK_CHANGED);
		c->clock = AMON_CLOCK_TICK;
	}
	c->is_pc_free = pc > 2;
	c->pc_wanted = c->clock == AMON_CLOCK_TICK && pc < 4 ? sources[pc] : AMON_SOURCE_NONE;
	monitor.verify = origin_is_set("APROF_VERIFY");
	monitor.intervals = origin_is_set("APROF_INTERVALS");
	if (origin_is_set("APROF_SITES"))
		monitor.sites = true;
	if (monitor.verify)
		jump_find_unwinder();
	monitor.header->clock = c->clock;
	if (c->clock == AMON_CLOCK_COUNT)
		mem_copy(monitor.header->unit, COUNTED, sizeof COUNTED);
	if (c->clock == AMON_CLOCK_TSC)
		tsc_begin();
}

void clock_inherit(void)
{
	monitor.header->clock = monitor.clock.clock;
	if (clock_is_tsc())
		tsc_measure();
}

/* ---- start and end ---- */

static bool clock_is_sampled(void)
{
	return monitor.clock.clock == AMON_CLOCK_TICK || monitor.clock.clock == AMON_CLOCK_WALL;
}

void clock_begin(void)
{
	struct amon_header *h = monitor.header;

	h->source = clock_is_sampled() ? AMON_SOURCE_SAMPLER : AMON_SOURCE_NONE;
	h->pc_source = AMON_SOURCE_NONE;
	h->pc_period = 0;
	h->rate = clock_is_sampled() ? monitor.clock.rate : 0;
	sampler_forget();
	pc_renew();
}

void clock_start(void)
{
	account_begin();
	if (!clock_is_sampled() || sampler_start())
		return;
	monitor.header->source = AMON_SOURCE_NONE;
	note(AMON_NOTE_TIMER_FAILED);
}

void clock_stop(void)
{
	struct aprof_tls *tls = &aprof_tls;

	if (clock_is_tsc() && tls->thread)
		cycles_charge(tls->thread, tls_context(tls));
	if (clock_is_sampled())
		look_last();
	else
		for (struct thread *t = monitor.threads; t; t = t->chain.next)
			clock_thread_end(t);
	if (!monitor.young)
		account_modes(false);
	if (clock_is_tsc())
		tsc_measure();
}

/* ---- the accounts of a thread ---- */

/* The words of a thread whose end nobody tells may vanish under a look; the first thread's never do. */
void clock_thread(struct thread *t, bool end_seen)
{
	t->clock.sampled_cpu = sys_clock(CLOCK_THREAD_CPUTIME_ID);
	t->clock.sampled_wall = sys_clock(CLOCK_MONOTONIC);
	t->clock.pending = 0;
	if (!t->record->cpu_first)
		t->record->cpu_first = t->record->cpu_last = t->clock.sampled_cpu;
	t->tls->last = clock_is_tsc() ? cycles_now() : 0;
	t->clock.is_told = end_seen || t->tid == monitor.pid;
	if (t->clock.is_told || !clock_is_sampled())
		look_watch(t, true);
	else
		note(AMON_NOTE_TIMER_FAILED);
}

void clock_thread_end(struct thread *t)
{
	look_end(t);
}
