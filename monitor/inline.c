/* inline.c - way inline out of line: entries that the code put in by the plugin (compiler/plugin/) and
 * aprof_inline_miss in hooks.S do not answer.
 *
 * This way pushes no frame: it writes the thread's current context and puts back what was there, which it keeps in a
 * local of the routine.  Invariant: whatever a routine has kept may be put back at any time, so a context that is not
 * of this thread's machine (its thread had none yet, or it is of the process that forked this one) is put right at the
 * next entry; and so is 0, which a routine puts back whose entry the monitor was not there for. */
#include "monitor.h"

#include <stddef.h>

_Static_assert(offsetof(struct aprof_tls, front) == 0 && offsetof(struct aprof_tls, front_mask) == 8 &&
	       offsetof(struct aprof_tls, top) == 16 && offsetof(struct aprof_tls, current) == 56,
	       "compiler/plugin/aprof.cc knows these");
_Static_assert(offsetof(struct amon_counter, calls) == 0 && offsetof(struct amon_counter, id) == 16 &&
	       offsetof(struct amon_counter, routine) == 24, "compiler/plugin/aprof.cc knows these");

/* T's context for C, which is said to be the current one. */
static context_id context_here(struct thread *t, context_id c)
{
	if (machine_item(t, c) != AMON_NONE)
		return c;
	for (struct thread *from = t->forked_from; from; from = from->forked_from)
		if (machine_item(from, c) != AMON_NONE)
			return machine_adopt(t, from, c);
	return ROOT_ID;
}

static void enter(struct aprof_tls *tls, target to)
{
	counter_bump(&target_count(to)->calls);
	__atomic_store_n(&tls->current, target_to(to), __ATOMIC_RELAXED);
}

/* With signals blocked: any thread, any routine. Returns the context before the entry. */
static context_id enter_blocked(struct aprof_tls *tls, uintptr_t routine, uintptr_t sp)
{
	struct thread *t = tls->thread ? tls->thread : thread_start(sp);
	context_id before;
	target to;

	if (!t)
		return tls->current;
	t->busy = 1;
	if (!tls->current)
		stack_follow_inline(t);
	before = context_here(t, tls->current);
	to = machine_find(t, before, routine);
	if (!to)
		to = machine_make(t, before, routine, AMON_ROUTINE_INSIDE | ROUTINE_INLINE);
	if (to) {
		machine_front_add(t, to);
	} else {
		note(AMON_NOTE_LOST_CALLS);
		to = (target)machine_counter(t, t->lost);
	}
	enter(tls, to);
	t->busy = 0;
	return before;
}

context_id aprof_inline_slow(uintptr_t routine, uintptr_t sp)
{
	struct aprof_tls *tls = &aprof_tls;
	context_id before;
	uint64_t mask;

	if (slow_is_early(tls))
		return tls->current;
	before = tls->current;
	if (tls->inert || monitor_state() == MONITOR_OFF)
		return before;
	if (before && tls->thread && monitor_state() == MONITOR_ON && *monitor.alive) {
		target to = machine_find(tls->thread, before, routine);

		if (to) {
			tls->thread->record->misses++;
			machine_front_add(tls->thread, to);
			enter(tls, to);
			return before;
		}
	}
	sys_block_signals(&mask);
	tls->inert = INERT_MONITOR;
	monitor.without_exits = true;
	if (monitor_state() != MONITOR_ON || *monitor.alive || process_child_unseen())
		before = enter_blocked(tls, routine, sp);
	tls->inert = INERT_NOT;
	sys_restore_signals(&mask);
	return before;
}
