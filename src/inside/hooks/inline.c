/* inline.c - way inline out of line: entries that the code put in by the plugin (compile/gcc/) and
 * aprof_inline_miss in hooks.S do not answer.
 *
 * This way pushes no frame: it writes the thread's current context and puts back what was there, which it keeps in a
 * local of the routine.  Invariant: whatever a routine has kept may be put back at any time, so a context that is not
 * of this thread's machine (it is of the process that forked this one, or of another thread, where a coroutine kept it) is put right at the
 * next entry; and so is 0, which a routine puts back whose entry the monitor was not there for, and LOST_ID (lost_context.c).
 *
 * Clock tsc needs code that reads the counter (the plugin's argument clock=tsc): each entry and exit charges the cycles since
 * the last one to the counters in `charged`, if they are of the current context, and comes here if not.  So it does not matter what
 * is put back there either: counters of a parent process, of a thread's time before it had a machine, of the routine that a longjmp left.
 * Code that does not read the counter counts as code without hooks then: nobody would know when its routines are left. */
#include "inside/hooks/inline.h"

#include "contract/amon.h"
#include "contract/layout.h"
#include "inside/clock/cycles.h"
#include "inside/clock/handler_mask.h"
#include "inside/hooks/entry.h"
#include "inside/hooks/handler.h"
#include "inside/hooks/slow.h"
#include "inside/machine/context.h"
#include "inside/machine/front.h"
#include "inside/machine/machine.h"
#include "inside/process/fork.h"
#include "inside/process/reset.h"
#include "inside/process/thread.h"
#include "inside/stacks/lost_context.h"
#include "inside/stacks/hook_stack.h"
#include "inside/stacks/stack.h"
#include "inside/state.h"
#include "inside/sys.h"
#include "inside/tls.h"
#include "inside/x86_64/count.h"

enum { INLINE_FLAGS = AMON_ROUTINE_INSIDE | ROUTINE_INLINE }; /* of its routines */

/* What the routine entered is to put back, if nothing is entered. */
static struct entered nothing_entered(const struct aprof_tls *tls)
{
	return (struct entered){ tls->current, tls->charged };
}

/* Enter TO from the context BEFORE. */
static struct entered inline_enter(struct thread *t, context_id before, target to)
{
	struct aprof_tls *tls = t->tls;
	struct entered entered = { before, tls->charged };

	if (clock_is_tsc()) {
		cycles_charge(t, before);
		entered.charged = tls->charged;
		__atomic_store_n(&tls->charged, target_charged(to), __ATOMIC_RELAXED);
	}
	counter_bump(&target_count(to)->calls);
	__atomic_store_n(&tls->current, target_to(to), __ATOMIC_RELAXED);
	return entered;
}

/* Does clock tsc leave a routine out, since its code does not read the counter? */
static bool inline_is_left_out(bool reads)
{
	if (reads || !clock_is_tsc())
		return false;
	note(AMON_NOTE_UNTIMED);
	return true;
}

/* Say that way inline is in use; once, since all threads read what stands beside it. */
static void note_way(bool *seen)
{
	if (!__atomic_load_n(seen, __ATOMIC_RELAXED))
		__atomic_store_n(seen, true, __ATOMIC_RELAXED);
}

/* Is CURRENT, for which the thread's machine has HERE, of no use?  A jump lost it, or it is another thread's: of a coroutine that has come from there. */
static bool inline_is_lost(context_id current, context_id here)
{
	return current == LOST_ID || (current && current != ROOT_ID && here == ROOT_ID);
}

/* Is ROUTINE entered for a signal?  MASK: the signals that were blocked.  To read the stack takes long: a handler that nobody told of runs with its signal
 * blocked, or stays where it is. */
static bool inline_is_by_signal(uintptr_t routine, uint64_t mask)
{
	return handler_may_be(routine, INLINE_FLAGS) && (mask || handler_is(routine)) && handler_runs(routine, lost_context_return());
}

/* With signals blocked, more than those in MASK: any thread, any routine. False: nothing was *ENTERED. */
static bool inline_enter_blocked(struct aprof_tls *tls, uintptr_t routine, uintptr_t sp, bool reads, uintptr_t site, uint64_t mask,
	struct entered *entered)
{
	struct thread *t = tls->thread ? tls->thread : slow_start(sp);
	context_id before, back;
	bool by_signal;
	target to;

	*entered = nothing_entered(tls);
	if (!t || inline_is_left_out(reads))
		return false;
	t->busy = BUSY;
	if (!tls->current)
		stack_follow_inline(t);
	if (site)
		t->sites = true;
	front_begin(t);
	by_signal = inline_is_by_signal(routine, mask);
	before = back = machine_here(t, tls->current);
	if (inline_is_lost(tls->current, before))
		before = lost_context_entered(t, by_signal, &back);
	if (clock_is_tsc())
		cycles_charge(t, before);
	slow_measure();
	reset_if_asked();
	to = entry_show(t, entry_find(t, by_signal ? ROOT_ID : before, routine, INLINE_FLAGS, site));
	if (clock_is_tsc())
		cycles_charge_monitor(t);
	*entered = inline_enter(t, before, to);
	entered->before = back;
	t->busy = 0;
	return true;
}

/* What inline_enter_blocked is called with, and what it returns. */
struct call {
	struct aprof_tls *tls;
	uintptr_t routine, sp, site;
	uint64_t mask;
	struct entered entered;
	bool reads, charged;
};

static void inline_enter_call(void *arg)
{
	struct call *c = arg;

	c->charged = inline_enter_blocked(c->tls, c->routine, c->sp, c->reads, c->site, c->mask, &c->entered);
}

/* The first of the code that tells its call sites: they are told apart from now on, in each thread that such code enters or that begins. */
static void note_sites(uintptr_t site)
{
	if (!site)
		return;
	note_way(&monitor.sites);
	note_way(&monitor.inline_sites);
}

struct entered aprof_inline_slow(uintptr_t routine, uintptr_t sp, bool reads, uintptr_t site)
{
	struct aprof_tls *tls = &aprof_tls;
	struct call call = { tls, routine, sp, site, 0, nothing_entered(tls), reads, false };
	struct thread *t;

	if (slow_is_early(tls) || tls->inert || monitor_state() == MONITOR_OFF)
		return nothing_entered(tls);
	t = thread_live(tls);
	if (t && tls->current && (t->sites || !site) && !handler_is(routine) && !handler_mask_is_small()) {
		struct entered entered;
		target to;

		if (inline_is_left_out(reads))
			return nothing_entered(tls);
		to = machine_reach(t, tls->current, routine, site);
		if (to) {
			entered = inline_enter(t, tls->current, to);
			if (thread_live(tls) == t)
				return entered;
			tls->current = entered.before;	/* a signal handler forked, this is the child, and TO was its parent's */
		}
	}
	entry_block(tls, &call.mask);
	note_way(reads ? &monitor.reads_counter : &monitor.without_exits);
	note_sites(site);
	call.entered = nothing_entered(tls);
	if (monitor_state() != MONITOR_ON || *monitor.alive || fork_unseen())
		hook_stack_call(tls->thread, inline_enter_call, &call);
	entry_unblock_charged(tls, &call.mask, call.charged);
	return call.entered;
}

void aprof_inline_settle(void)
{
	struct aprof_tls *tls = &aprof_tls;
	struct thread *t = thread_live(tls);
	uint64_t mask;

	if (tls->inert || !t)
		return;
	if (machine_item(t, tls->current) != AMON_NONE) {
		cycles_charge(t, tls->current);
		return;
	}
	sys_block_signals(&mask);
	t = thread_live(tls);
	if (t && tls->current == LOST_ID)
		tls->current = lost_context_here(t);
	if (t)
		cycles_charge(t, machine_here(t, tls->current));
	sys_restore_signals(&mask);
}
