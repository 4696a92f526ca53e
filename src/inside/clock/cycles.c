/* cycles.c - clock tsc: the cycle counter, which the hooks themselves read and charge. */
#include "inside/clock/cycles.h"

#include <stdbool.h>
#include <time.h>

#include "contract/amon.h"
#include "inside/machine/context.h"
#include "inside/machine/machine.h"
#include "inside/process/thread.h"
#include "inside/sys.h"
#include "inside/tls.h"
#include "inside/x86_64/count.h"

struct moment cycles_moment(void)
{
	struct moment moment = { 0, 0 };
	uint64_t best = UINT64_MAX;

	for (int i = 0; i < 8; i++) {
		uint64_t before = cycles_now(), now = sys_clock(CLOCK_MONOTONIC), after = cycles_now();

		if (after - before < best) {
			best = after - before;
			moment = (struct moment){ before + best / 2, now };
		}
	}
	return moment;
}

/* ---- charging ----
 *
 * Whoever charges first takes the cycles since `last` by one instruction, so that no others do: a signal handler that comes
 * between has taken its own part, and its end is where the rest begins. */

static bool cycles_take(uint64_t *last, uint64_t from, uint64_t now)
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
		now = cycles_now();
	} while (!cycles_take(&tls->last, from, now));
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

void cycles_charge(struct thread *t, context_id c)
{
	struct amon_counter *charged = counters_of(t, c);

	counter_add(&charged->time, take_cycles(t->tls));
	__atomic_store_n(&t->tls->charged, charged, __ATOMIC_RELAXED);
}

/* T may charge itself at this very moment, by instructions that are whole only on its own processor. What it then has twice, or
 * lacks, is what passed since its last change of context, and that is the less the likelier it is. */
void cycles_settle(struct thread *t)
{
	struct aprof_tls *tls = t->tls;
	uint64_t from = __atomic_load_n(&tls->last, __ATOMIC_ACQUIRE), now;
	struct amon_counter *charged;

	if (!from || !t->clock.is_told)
		return;
	charged = counters_of(t, tls_context(tls));
	now = cycles_now();
	if ((int64_t)(now - from) > 0 && __atomic_compare_exchange_n(&tls->last, &from, now, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
		__atomic_fetch_add(&charged->time, now - from, __ATOMIC_RELAXED);
}

void cycles_charge_monitor(struct thread *t)
{
	t->record->monitor += take_cycles(t->tls);
}
