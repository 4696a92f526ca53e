/* phase.c - phases of the run: what was counted between two moments, by name.
 *
 * A phase costs nothing while it lasts.  When the program goes from one to another, what every item and thread has counted
 * since the last change is added to the phase that ends, and what stands there now is kept as the mark to count
 * from.  So of the phase that goes on nothing but the difference to the mark is known, which is enough for a reader, at
 * any moment.  To be stopped is a phase too, the first one, which readers leave out.
 *
 * In the file: AMON_PHASES names them and says which goes on; an AMON_PHASE_COUNTS for each thread and phase has the sums, and
 * one the mark.  While they change no phase goes on: a process killed just then has an interval too little, never twice.
 * Under monitor.control and look_hold. */
#include "inside/process/phase.h"

#include <errno.h>

#include "contract/amon.h"
#include "inside/file/file.h"
#include "inside/machine/machine.h"
#include "inside/origin.h"
#include "inside/process/thread.h"
#include "inside/state.h"
#include "inside/sys.h"

enum { MOST = 250, SLOT_MARK = MOST, TOTALS = AMON_PHASE_TOTALS };

static struct amon_chunk *names OF_PROCESS;	/* of phases; NULL: there was none so far */
static uint32_t current;		/* phase that goes on, if there are names */
static uint32_t resumed;		/* phase that goes on after aprof_start */
static uint32_t interrupted;		/* phase that aprof_stop left */
static char name_now[sizeof ((struct amon_phase *)0)->name]; /* for a forked child, which begins in it */
static bool stopped_now;

static struct amon_phase *phase_at(uint32_t i)
{
	return (struct amon_phase *)((char *)names + names->first) + i;
}

static void phase_copy_name(char *to, const char *from)
{
	size_t n = from ? str_length(from) : 0;

	mem_zero(to, sizeof name_now);
	mem_copy(to, from, n < sizeof name_now ? n : sizeof name_now - 1);
}

/* The phase called NAME, added if need be; AMON_NONE: no room. */
static uint32_t phase_find(const char *name)
{
	for (uint32_t i = 0; i < names->count; i++)
		if (i != AMON_PHASE_STOPPED && str_equal(phase_at(i)->name, name))
			return i;
	if (names->count == names->capacity)
		return AMON_NONE;
	phase_copy_name(phase_at(names->count)->name, name);
	__atomic_store_n(&names->count, names->count + 1, __ATOMIC_RELEASE);
	return names->count - 1;
}

/* The first two: the one that is left out, and that of those who name none. */
static bool phases_begin(void)
{
	if (names)
		return true;
	names = file_chunk(AMON_PHASES, AMON_NONE, MOST, sizeof(struct amon_phase));
	if (!names)
		return false;
	phase_copy_name(phase_at(AMON_PHASE_STOPPED)->name, "(stopped)");
	__atomic_store_n(&names->count, 1, __ATOMIC_RELEASE);
	current = resumed = phase_find("");
	phase_at(current)->current = 1;
	return true;
}

/* ---- counts ---- */

/* T's counts of PHASE, or its mark, with room for N items; what was there is kept.  NULL: no room. */
static struct amon_phase_count *counts_for(struct thread *t, uint32_t slot, uint32_t n)
{
	struct amon_chunk *old, *c;

	if (!t->tables.phases && !(t->tables.phases = sys_memory((MOST + 1) * sizeof *t->tables.phases, false)))
		return NULL;
	old = c = t->tables.phases[slot];
	if (!c || c->capacity < n + TOTALS) {
		c = file_chunk(AMON_PHASE_COUNTS, t->index, n + n / 2 + 126, sizeof(struct amon_phase_count));
		if (!c)
			return NULL;
		c->base = slot == SLOT_MARK ? AMON_NONE : slot;
		if (old)
			mem_copy((char *)c + c->first, (char *)old + old->first, old->count * sizeof(struct amon_phase_count));
		t->tables.phases[slot] = c;
	}
	__atomic_store_n(&c->count, n + TOTALS, __ATOMIC_RELEASE);
	return (struct amon_phase_count *)((char *)c + c->first);
}

/* What T, or one of its items, stands at. */
static struct amon_phase_count now_of(struct thread *t, uint32_t i)
{
	const struct amon_thread *r = t->record;
	const struct amon_counter *c;

	if (i == 0)
		return (struct amon_phase_count){ r->cpu_last - r->cpu_first, r->unplaced, r->monitor };
	if (i == 1)
		return (struct amon_phase_count){ r->ticks, r->monitor_ticks, 0 };
	c = machine_counter(t, i - TOTALS);
	return (struct amon_phase_count){ __atomic_load_n(&c->calls, __ATOMIC_RELAXED), c->time, machine_ticks(t, i - TOTALS) };
}

/* Add what T counted since the mark to PHASE, and set the mark. */
static bool thread_account(struct thread *t, uint32_t phase)
{
	uint32_t n = __atomic_load_n(&t->nitems, __ATOMIC_ACQUIRE);
	struct amon_phase_count *mark = counts_for(t, SLOT_MARK, n), *sum = counts_for(t, phase, n);

	for (uint32_t i = 0; mark && sum && i < n + TOTALS; i++) {
		struct amon_phase_count now = now_of(t, i);

		sum[i].calls += now.calls - mark[i].calls;
		sum[i].time += now.time - mark[i].time;
		sum[i].ticks += now.ticks - mark[i].ticks;
		mark[i] = now;
	}
	return mark && sum;
}

static void go_to(uint32_t phase)
{
	if (phase == current)
		return;
	__atomic_store_n(&phase_at(current)->current, 0, __ATOMIC_SEQ_CST);
	for (struct thread *t = monitor.threads; t; t = t->chain.next)
		if (!thread_account(t, current))
			note(AMON_NOTE_PHASE_LOST);
	if (current != AMON_PHASE_STOPPED || phase != interrupted)
		phase_at(phase)->begun++;
	interrupted = current;
	current = phase;
	__atomic_store_n(&phase_at(current)->current, 1, __ATOMIC_SEQ_CST);
}

/* ---- for others ---- */

uint32_t phase_now(void) { return names ? current : AMON_PHASE_UNNAMED; }

void phase_reset(void)
{
	for (struct thread *t = monitor.threads; t; t = t->chain.next)
		for (uint32_t slot = 0; t->tables.phases && slot <= SLOT_MARK; slot++)
			if (t->tables.phases[slot])
				mem_zero((char *)t->tables.phases[slot] + t->tables.phases[slot]->first,
					 t->tables.phases[slot]->count * sizeof(struct amon_phase_count));
	for (struct thread *t = monitor.threads; t; t = t->chain.next) {
		uint32_t n = __atomic_load_n(&t->nitems, __ATOMIC_ACQUIRE);
		struct amon_phase_count *mark = names ? counts_for(t, SLOT_MARK, n) : NULL;

		for (uint32_t i = 0; mark && i < n + TOTALS; i++)
			mark[i] = now_of(t, i);
	}
}

static void phase_apply(void)
{
	uint32_t phase;

	if (!phases_begin()) {
		note(AMON_NOTE_PHASE_LOST);
		return;
	}
	phase = phase_find(name_now);
	if (phase == AMON_NONE)
		note(AMON_NOTE_PHASE_LOST);
	else
		resumed = phase;
	go_to(stopped_now ? AMON_PHASE_STOPPED : resumed);
}

void phase_begin(void)
{
	names = NULL;
	if (!monitor.forked && origin_env("APROF_STOPPED") && !str_equal(origin_env("APROF_STOPPED"), "0"))
		stopped_now = monitor.stopped = true;
	if (stopped_now || name_now[0])
		phase_apply();
}

void phase_set(const char *name)
{
	phase_copy_name(name_now, name);
	if (monitor.started)
		phase_apply();
}

void phase_stop(bool stop)
{
	stopped_now = monitor.stopped = stop;
	if (monitor.started)
		phase_apply();
}
