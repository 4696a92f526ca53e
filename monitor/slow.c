/* slow.c - the hooks out of line: what the fast path of hooks.S does not answer.
 *
 * A miss that the full table answers runs like the fast path, interruptible by signals; all else
 * runs with signals blocked. */
#ifndef APROF_SHARED
#define TLS_MODEL "local-exec"		/* the words are the program's own, as in hooks.S: no load for their place */
#endif

#include "monitor/slow.h"

#include "format/amon.h"
#include "monitor/context.h"
#include "monitor/count.h"
#include "monitor/cycles.h"
#include "monitor/entry.h"
#include "monitor/fork.h"
#include "monitor/found.h"
#include "monitor/hooks.h"
#include "monitor/layout.h"
#include "monitor/machine.h"
#include "monitor/monitor.h"
#include "monitor/reset.h"
#include "monitor/stack.h"
#include "monitor/state.h"
#include "monitor/sys.h"
#include "monitor/thread.h"
#include "monitor/tls.h"

__attribute__((noinline)) struct thread *slow_start(uintptr_t cfa)
{
	static const struct hooks all = { __aprof_entry, __aprof_return, aprof_cyg_enter, aprof_cyg_exit };

	return thread_start(cfa, &all);
}

/* Count and push: the rest of the fast path. */
static void enter(struct aprof_tls *tls, target to, uintptr_t cfa, uint64_t site, uint32_t flags)
{
	bool goes_slow = clock_is_tsc() || tls->current || stack_begins(tls->thread);

	counter_bump(&target_count(to)->calls);
	if (frame_cfa(tls_open(tls)) == cfa && tls->reach)
		tls->reach += 8;		/* as in hooks.S */
	tls_put_away(tls);
	tls_push(tls, &(struct frame){
		.cfa = cfa - (flags & AMON_ROUTINE_INSIDE ? FRAME_FENTRY : FRAME_CYG) - (goes_slow ? FRAME_SLOW : 0),
		.context = target_to(to), .site = site });
	if (tls->current)
		__atomic_store_n(&tls->current, target_to(to), __ATOMIC_RELAXED);
}

/* Where a call of ROUTINE from where T is leads, made if need be; signals blocked. 0: no room. */
static target target_for(struct thread *t, uintptr_t routine, uint32_t flags)
{
	struct frame *top = tls_open(t->tls);

	tls_put_away(t->tls);
	top->context = machine_here(t, top->context);
	tls_take_up(t->tls);
	return entry_find(t, top->context, routine, flags);
}

/* An entry with signals blocked: any thread, any stack, any routine. */
static void enter_blocked(struct aprof_tls *tls, uintptr_t routine, uintptr_t cfa, uint64_t site, uint32_t flags)
{
	struct thread *t = tls->thread ? tls->thread : slow_start(cfa);
	context_id back = 0;
	bool room;
	target to;

	if (!t)
		return;
	t->busy = BUSY;
	if (tls->current == LOST_ID)
		tls->current = found_entered(t, &back);
	if (clock_is_tsc())
		cycles_charge(t, tls_context(tls));
	reset_if_asked();
	tls_put_away(tls);
	room = stack_sync(t, cfa, site, flags);
	tls_take_up(tls);
	to = entry_show(t, target_for(t, routine, flags));
	if (room) {
		struct frame *below = tls_open(tls);

		enter(tls, to, cfa, site, flags);
		if (back == LOST_ID)
			below->context = LOST_ID;	/* what its exit takes up */
	} else {
		note(AMON_NOTE_STACK_OVERFLOW);
		counter_bump(&target_count(to)->calls);
	}
	if (clock_is_tsc())
		cycles_charge_monitor(t);
	t->busy = 0;
}

/* Nothing is odd about the stack: the routine at CFA was called by the top frame's, or is inlined into it. */
static bool is_plain(const struct thread *t, uintptr_t cfa, uint64_t site, uint32_t flags)
{
	const struct aprof_tls *tls = t->tls;
	const struct frame *top = tls->top;

	if (!top->cfa || cfa - FRAME_FENTRY < stack_low(t))
		return false;
	return frame_cfa(top) > cfa || (stack_is_inlined(tls, cfa, site, flags) && top + 2 < tls->end);
}

/* The words are zeros until the dynamic linker has relocated everything, and then as they are initialised: what is done
 * to them here is undone there. */
bool slow_is_early(struct aprof_tls *tls)
{
	if (LIKELY(tls->top && tls->inert != INERT_EARLY))
		return false;
	if (!tls->top) {
		tls->front = aprof_front_none;
		tls->top = &aprof_frame_none;
		tls->inert = INERT_EARLY;
	}
	monitor.early_calls++;
	return true;
}

void aprof_entry_slow(uintptr_t routine, uintptr_t cfa, uint64_t site, uint32_t flags)
{
	struct aprof_tls *tls = &aprof_tls;
	struct thread *t;
	uint64_t mask;

	if (slow_is_early(tls) || tls->inert || monitor_state() == MONITOR_OFF)
		return;
	t = thread_live(tls);
	if (t && is_plain(t, cfa, site, flags)) {
		target to = machine_reach(t, tls_context(tls), routine);

		if (to) {
			if (clock_is_tsc())
				cycles_charge(t, tls_context(tls));
			enter(tls, to, cfa, site, flags);
			if (thread_live(tls) == t)
				return;
			tls_pop_to(tls, tls->top - 1);	/* a signal handler forked, this is the child, and TO was its parent's */
		}
	}
	entry_block(tls, &mask);
	if (monitor_state() != MONITOR_ON || *monitor.alive || fork_unseen())
		enter_blocked(tls, routine, cfa, site, flags);
	entry_unblock(tls, &mask);
}

void aprof_exit_slow(uintptr_t cfa, uintptr_t site, uintptr_t routine)
{
	struct aprof_tls *tls = &aprof_tls;
	struct thread *t = tls->thread;
	uint64_t mask;

	if (!t || tls->inert || monitor_state() != MONITOR_ON)
		return;
	if (clock_is_tsc())
		cycles_charge(t, tls_context(tls));
	if ((clock_is_tsc() || tls->current) && frame_cfa(tls->top) == cfa && !stack_ends(t)) {
		stack_pop(t);
		return;
	}
	sys_block_signals(&mask);
	t = tls->thread;
	if (!t)				/* a signal handler forked meanwhile */
		goto done;
	t->busy = BUSY;
	tls_put_away(tls);
	if (stack_sync_exit(t, cfa, site, routine))
		stack_pop(t);
	else if (tls->top + 2 < t->shadow->end)
		note(AMON_NOTE_UNBALANCED_EXIT);
	tls_take_up(tls);
	if (clock_is_tsc())
		cycles_charge_monitor(t);
	t->busy = 0;
done:
	sys_restore_signals(&mask);
}
