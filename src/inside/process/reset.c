/* reset.c - a new interval: what was counted before is left out. */
#include "inside/process/reset.h"

#include <stddef.h>

#include "contract/amon.h"
#include "inside/clock/account.h"
#include "inside/clock/slices.h"
#include "inside/file/file.h"
#include "inside/heap/places.h"
#include "inside/machine/machine.h"
#include "inside/process/phase.h"
#include "inside/process/thread.h"
#include "inside/state.h"
#include "inside/sys.h"

/* Keep the calls of T's items as they are now, to be subtracted: the thread itself goes on counting. */
static bool reset_calls(struct thread *t)
{
	uint32_t n = __atomic_load_n(&t->nitems, __ATOMIC_ACQUIRE);
	struct amon_chunk *c = t->tables.reset;
	uint64_t *calls;

	if (!c || c->capacity < n)
		c = file_chunk(AMON_RESET, t->index, n + n / 2 + 256, sizeof *calls);
	if (!c)
		return false;
	calls = (uint64_t *)((char *)c + c->first);
	for (uint32_t i = 0; i < n; i++)
		calls[i] = __atomic_load_n(&machine_counter(t, i)->calls, __ATOMIC_RELAXED);
	__atomic_store_n(&c->count, n, __ATOMIC_RELEASE);
	t->tables.reset = c;
	return true;
}

static void reset_thread(struct thread *t)
{
	struct amon_thread *r = t->record;

	if (!reset_calls(t)) {
		note(AMON_NOTE_PHASE_LOST);
		return;
	}
	for (uint32_t s = 0; s < t->nspans; s++)
		for (uint32_t i = 0; i < t->spans[s].chunk->count; i++) {
			t->spans[s].counters[i].time = 0;
			t->spans[s].ticks[i] = 0;
			if (t->spans[s].spent)
				t->spans[s].spent[i] = (struct amon_spent){ 0 };
			if (t->spans[s].bytes)
				t->spans[s].bytes[i] = 0;
			if (t->spans[s].heap[HEAP_VALUES - 1])
				t->spans[s].heap[HEAP_ALLOCATIONS][i].amount = t->spans[s].heap[HEAP_ALLOCATED][i].amount = 0;
		}
	for (uint32_t k = 0; k < t->clock.npcs; k++)
		for (uint32_t i = 0; i < t->clock.pcs[k]->capacity; i++)
			((struct amon_pc *)((char *)t->clock.pcs[k] + t->clock.pcs[k]->first))[i].count = 0;
	slices_reset(t);
	r->cpu_first = r->cpu_last;
	r->unplaced = r->monitor = r->ticks = r->monitor_ticks = r->squares = 0;
}

void reset_counters(void)
{
	struct amon_header *h = monitor.header;
	uint32_t request = __atomic_load_n(&h->reset_request, __ATOMIC_ACQUIRE);

	for (struct thread *t = __atomic_load_n(&monitor.threads, __ATOMIC_ACQUIRE); t; t = t->chain.next)
		reset_thread(t);
	places_reset();
	phase_reset();
	h->cpu_before = sys_clock(2);
	h->pc_unsampled = h->sampler_cpu = h->sleeps = 0;
	h->reset_monotonic = sys_clock(1);
	account_modes_begin();
	__atomic_store_n(&h->reset_done, request, __ATOMIC_RELEASE);
}

/* Without a sampler nobody else looks: the request is seen when the next context is made. */
void reset_if_asked(void)
{
	if (!reset_is_due())
		return;
	sys_lock(&monitor.lock);
	if (reset_is_due())
		reset_counters();
	sys_unlock(&monitor.lock);
}
