/* slow.c - the hooks out of line: what the fast path of hooks.S and cyg.c does not answer.
 *
 * A miss that the full table answers runs like the fast path, interruptible by signals; all else
 * runs with signals blocked. */
#include "monitor.h"

#include <stddef.h>

_Static_assert(offsetof(struct aprof_tls, current) == 0 && offsetof(struct aprof_tls, front) == 8 &&
	       offsetof(struct aprof_tls, front_mask) == 16 && offsetof(struct aprof_tls, top) == 24 &&
	       offsetof(struct aprof_tls, stack_low) == 32, "hooks.S knows these");
_Static_assert(offsetof(struct edge, routine) == 8 && offsetof(struct edge, count) == 16 &&
	       offsetof(struct edge, to) == 24, "hooks.S knows these");
_Static_assert(sizeof(struct frame) == 24 && offsetof(struct frame, previous) == 8 &&
	       offsetof(struct frame, site) == 16, "hooks.S knows these");

__thread struct aprof_tls aprof_tls = { .front = aprof_front_none, .top = &aprof_frame_none };

static bool is_tsc(void)
{
	return monitor.clock.clock == AMON_CLOCK_TSC;
}

/* Count, push and enter: the rest of the fast path. */
static void enter(struct aprof_tls *tls, struct edge *e, uintptr_t cfa, uintptr_t site, uint32_t flags)
{
	struct amon_counter *previous = tls->current;
	struct frame *f = tls->top + 1;
	uintptr_t stored = cfa - (flags & AMON_ROUTINE_INSIDE ? FRAME_INSIDE : 0) - (is_tsc() ? FRAME_TSC : 0);

	f->cfa = stored;
	__atomic_store_n(&tls->top, f, __ATOMIC_RELAXED);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	f->cfa = stored;			/* a signal handler may have used the place */
	f->previous = previous;
	f->site = site;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	counter_bump(&e->count->calls);
	tls->current = e->to;
}

/* The edge of a call of ROUTINE from where T is, made if need be; signals blocked. NULL: no room. */
static struct edge *edge_for(struct thread *t, uintptr_t routine, uint32_t flags)
{
	struct amon_counter *from = t->tls->current;
	struct edge *e = machine_find(t, from, routine);

	if (!e && machine_item(t, from) == AMON_NONE)
		from = t->tls->current = machine_counter(t, 0);
	return e ? e : machine_make(t, from, routine, flags);
}

/* An entry with signals blocked: any thread, any stack, any routine. */
static void enter_blocked(struct aprof_tls *tls, uintptr_t routine, uintptr_t cfa, uintptr_t site, uint32_t flags)
{
	struct thread *t = tls->thread ? tls->thread : thread_start(cfa);
	bool room;
	struct edge *e;

	if (!t)
		return;
	t->busy = 1;
	if (is_tsc())
		clock_charge_tsc(t);
	room = stack_sync(t, cfa, site, !(flags & AMON_ROUTINE_INSIDE));
	e = edge_for(t, routine, flags);
	if (!e) {
		note(AMON_NOTE_LOST_CALLS);
		counter_bump(&machine_counter(t, t->lost)->calls);
	} else if (room) {
		machine_front_add(t, e);
		enter(tls, e, cfa, site, flags);
	} else {
		note(AMON_NOTE_STACK_OVERFLOW);
		counter_bump(&e->count->calls);
	}
	t->busy = 0;
}

static bool is_live(struct aprof_tls *tls)
{
	return tls->thread && monitor.state == MONITOR_ON && *monitor.alive;
}

void aprof_entry_slow(uintptr_t routine, uintptr_t cfa, uintptr_t site, uint32_t flags)
{
	struct aprof_tls *tls = &aprof_tls;
	uint64_t mask;

	if (tls->inert || monitor.state == MONITOR_OFF)
		return;
	if (is_live(tls) && frame_cfa(tls->top) > cfa && cfa >= tls->stack_low) {
		struct edge *e = machine_find(tls->thread, tls->current, routine);

		if (e) {
			if (is_tsc())
				clock_charge_tsc(tls->thread);
			else
				tls->thread->record->misses++;
			machine_front_add(tls->thread, e);
			enter(tls, e, cfa, site, flags);
			return;
		}
	}
	sys_block_signals(&mask);
	tls->inert = 1;
	if (monitor.state != MONITOR_ON || *monitor.alive || process_child_unseen())
		enter_blocked(tls, routine, cfa, site, flags);
	tls->inert = 0;
	sys_restore_signals(&mask);
}

static void leave(struct aprof_tls *tls)
{
	tls->current = tls->top->previous;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	tls->top--;
}

void aprof_exit_slow(uintptr_t cfa)
{
	struct aprof_tls *tls = &aprof_tls;
	struct thread *t = tls->thread;
	uint64_t mask;

	if (!t || tls->inert || monitor.state != MONITOR_ON)
		return;
	if (is_tsc()) {
		clock_charge_tsc(t);
		if (frame_cfa(tls->top) == cfa) {
			leave(tls);
			return;
		}
	}
	sys_block_signals(&mask);
	t->busy = 1;
	if (stack_sync_exit(t, cfa))
		leave(tls);
	else if (tls->top + 2 < t->shadow->end)
		note(AMON_NOTE_UNBALANCED_EXIT);
	t->busy = 0;
	sys_restore_signals(&mask);
}
