/* clock.c - what is common to all clocks: the accounts of a thread, and the time in user mode and in the kernel.
 *
 * Invariant of the sampled clock tick, at every moment, in the file:
 *     sum of the contexts' time + monitor + unplaced = cpu_last - cpu_first.
 * Whatever CPU time is seen is first unplaced; a sample that finds the thread at work moves it to where it
 * found it.  What it finds in no known context, behind a jump (jump.c), stays unplaced until the thread is found.  Clock tsc is here too: it is charged by the hooks themselves. */
#include "monitor/clock.h"

#include <time.h>

#include "format/amon.h"
#include "monitor/context.h"
#include "monitor/count.h"
#include "monitor/machine.h"
#include "monitor/state.h"
#include "monitor/sys.h"
#include "monitor/thread.h"
#include "monitor/tls.h"

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

void clock_modes_forget(void) { ours = (struct modes){ 0 }; }

void clock_modes_begin(void)
{
	before = modes_now(0);
	before.user -= ours.user;
	before.system -= ours.system;
	monitor.header->cpu_user = monitor.header->cpu_system = 0;
}

/* ---- the accounts of a thread ---- */

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
