/* slow.c - the hooks out of line: what the fast path of hooks.S does not answer.
 *
 * A miss that the full table answers runs like the fast path, interruptible by signals; all else
 * runs with signals blocked. */
#ifndef APROF_SHARED
#define TLS_MODEL "local-exec"		/* the words are the program's own, as in hooks.S: no load for their place */
#endif

#include "inside/hooks/slow.h"

#include "contract/amon.h"
#include "contract/layout.h"
#include "inside/clock/cycles.h"
#include "inside/clock/handler_mask.h"
#include "inside/hooks/entry.h"
#include "inside/hooks/handler.h"
#include "inside/hooks/hooks.h"
#include "inside/machine/context.h"
#include "inside/machine/machine.h"
#include "inside/monitor.h"
#include "inside/process/fork.h"
#include "inside/process/process.h"
#include "inside/process/reset.h"
#include "inside/process/thread.h"
#include "inside/stacks/lost_context.h"
#include "inside/stacks/hook_stack.h"
#include "inside/stacks/stack.h"
#include "inside/state.h"
#include "inside/sys.h"
#include "inside/tls.h"
#include "inside/x86_64/count.h"

static const struct hooks all = { __aprof_entry, __aprof_return, aprof_cyg_enter, aprof_cyg_exit };

__attribute__((noinline)) struct thread *slow_start(uintptr_t cfa)
{
	return thread_start(cfa);
}

void slow_measure(void)
{
	if (UNLIKELY(monitor.unmeasured) && aprof_tls.thread)
		process_measure(&all);
}

/* Count and push: the rest of the fast path. */
static void slow_enter(struct aprof_tls *tls, target to, uintptr_t cfa, uint64_t site, uint32_t flags)
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

/* The whole of an address in the module of NEAR, of which LOW is the low half. */
static uintptr_t address_near(uint32_t low, uintptr_t near)
{
	return near + (uintptr_t)(int64_t)(int32_t)(low - (uint32_t)near);
}

/* Has a nested function pushed its static chain before it called the entry hook of way fentry?  Then its CFA is not where the hook takes it to be, so
 * the hooks do not find transitions to it, and each entry comes out of line.  ROUTINE: where the hook returns to. */
static bool has_pushed_chain(uintptr_t routine, uint64_t site, uint32_t flags)
{
	return !(flags & ROUTINE_BODY) && flags & AMON_ROUTINE_INSIDE && !site && *(const uint16_t *)routine == POP_R10;
}

/* Where a routine that is entered at CFA returns to; of an inlined one, where that does which it is inlined into. */
static uintptr_t returns_to(uintptr_t cfa, uint64_t site, uint32_t flags)
{
	bool is_mcount = site && !(flags & ROUTINE_BODY) && flags & AMON_ROUTINE_INSIDE;

	return is_mcount ? site : ((const uintptr_t *)cfa)[-1];
}

/* Is the routine, at CFA, inlined into the top frame's, as its hook or the stack says? */
static bool is_inlined(const struct thread *t, uintptr_t cfa, uint64_t site, uint32_t flags)
{
	return flags & ROUTINE_INLINED || (!(flags & AMON_ROUTINE_INSIDE) && stack_is_inlined(t->tls, cfa, site, flags));
}

/* The call site of the ROUTINE that is entered at CFA, if T tells them apart; else 0.  That is where it returns to; of an inlined one where
 * its entry hook does. */
static uintptr_t call_site(const struct thread *t, uintptr_t routine, uintptr_t cfa, uint64_t site, uint32_t flags)
{
	if (!t->sites)
		return 0;
	if (flags & ROUTINE_INLINED)
		return site;
	if (is_inlined(t, cfa, site, flags))
		return address_near((uint32_t)(site >> 32), routine);
	return returns_to(cfa, site, flags);
}

/* Is the ROUTINE that is entered at CFA called by the kernel, as a signal's handler?  Signals blocked, more than those in MASK: one that nobody told of
 * has its own there. */
static bool slow_is_by_signal(const struct thread *t, uintptr_t routine, uintptr_t cfa, uint64_t site, uint32_t flags, uint64_t mask)
{
	return handler_may_be(routine, flags) && (mask || handler_is(routine)) && !is_inlined(t, cfa, site, flags) && handler_runs(routine, returns_to(cfa, site, flags));
}

/* Where a call of the ROUTINE at CFA leads, where T is, made if need be; signals blocked. 0: no room. */
static target target_for(struct thread *t, uintptr_t routine, uintptr_t cfa, uint64_t site, uint32_t flags, uint64_t mask)
{
	struct frame *top = tls_open(t->tls);
	context_id from;

	tls_put_away(t->tls);
	top->context = machine_here(t, top->context);
	tls_take_up(t->tls);
	from = slow_is_by_signal(t, routine, cfa, site, flags, mask) ? ROOT_ID : top->context;
	return entry_find(t, from, routine, flags, call_site(t, routine, cfa, site, flags));
}

/* An entry on a stack that nobody has told of, or so far down that it may be: the machine stack tells whether it is one that is known.  Where that cannot be
 * read it is the one in use, as long as that is near. */
static void slow_arrive(struct thread *t, uintptr_t cfa)
{
	struct shadow *above = stack_above(t, cfa);
	enum lost_context_below below = above ? lost_context_below(stack_bottom(t, above), above->left) : FOUND_NOT;

	stack_arrive(t, cfa, below == FOUND_BELOW || (below == FOUND_UNKNOWN && above == t->stacks.shadow) ? above : NULL);
}

/* An entry with signals blocked: any thread, any stack, any routine. False: there is no thread to enter it in. */
static bool slow_enter_blocked(struct aprof_tls *tls, uintptr_t routine, uintptr_t cfa, uint64_t site, uint32_t flags, uint64_t mask)
{
	struct thread *t = tls->thread ? tls->thread : slow_start(cfa);
	context_id back = 0;
	bool room;
	target to;

	if (!t)
		return false;
	t->busy = BUSY;
	if (tls->current == LOST_ID)
		tls->current = lost_context_entered(t, slow_is_by_signal(t, routine, cfa, site, flags, mask), &back);
	if (clock_is_tsc())
		cycles_charge(t, tls_context(tls));
	slow_measure();
	reset_if_asked();
	tls_put_away(tls);
	if (stack_is_elsewhere(t, cfa))
		slow_arrive(t, cfa);
	room = stack_sync(t, cfa, site, flags);
	tls_take_up(tls);
	to = target_for(t, routine, cfa, site, flags, mask);
	to = has_pushed_chain(routine, site, flags) ? entry_or_lost(t, to) : entry_show(t, to);
	if (room) {
		struct frame *below = tls_open(tls);

		slow_enter(tls, to, cfa, site, flags);
		if (back == LOST_ID)
			below->context = LOST_ID;	/* what its exit takes up */
	} else {
		note(AMON_NOTE_STACK_OVERFLOW);
		counter_bump(&target_count(to)->calls);
	}
	if (clock_is_tsc())
		cycles_charge_monitor(t);
	t->busy = 0;
	return true;
}

/* What slow_enter_blocked is called with, and what it returns. */
struct call {
	struct aprof_tls *tls;
	uintptr_t routine, cfa;
	uint64_t site, mask;
	uint32_t flags;
	bool entered;
};

static void slow_enter_call(void *arg)
{
	struct call *c = arg;

	c->entered = slow_enter_blocked(c->tls, c->routine, c->cfa, c->site, c->flags, c->mask);
}

/* Nothing is odd about the stack: the routine at CFA was called by the top frame's, or is inlined into it. */
static bool slow_is_plain(const struct thread *t, uintptr_t cfa, uint64_t site, uint32_t flags)
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
		tls->front = tls->sites = aprof_front_none;
		tls->top = &aprof_frame_none;
		tls->inert = INERT_EARLY;
	}
	monitor.early_calls++;
	return true;
}

void aprof_entry_slow(uintptr_t routine, uintptr_t cfa, uint64_t site, uint32_t flags)
{
	struct aprof_tls *tls = &aprof_tls;
	struct call call;
	struct thread *t;
	bool chained;

	if (slow_is_early(tls) || tls->inert || monitor_state() == MONITOR_OFF)
		return;
	chained = has_pushed_chain(routine, site, flags);
	cfa += chained ? sizeof(uintptr_t) : 0;
	t = thread_live(tls);
	if (t && !chained && slow_is_plain(t, cfa, site, flags) && !handler_is(routine) && !handler_mask_is_small()) {
		target to = machine_reach(t, tls_context(tls), routine, call_site(t, routine, cfa, site, flags));

		if (to) {
			if (clock_is_tsc())
				cycles_charge(t, tls_context(tls));
			slow_enter(tls, to, cfa, site, flags);
			if (thread_live(tls) == t)
				return;
			tls_pop_to(tls, tls->top - 1);	/* a signal handler forked, this is the child, and TO was its parent's */
		}
	}
	call = (struct call){ tls, routine, cfa, site, 0, flags, false };
	entry_block(tls, &call.mask);
	if (monitor_state() != MONITOR_ON || *monitor.alive || fork_unseen())
		hook_stack_call(tls->thread, slow_enter_call, &call);
	entry_unblock_charged(tls, &call.mask, call.entered);
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
	else if (tls->top + 2 < t->stacks.shadow->end)
		note(AMON_NOTE_UNBALANCED_EXIT);
	tls_take_up(tls);
	if (clock_is_tsc())
		cycles_charge_monitor(t);
	t->busy = 0;
done:
	sys_restore_signals(&mask);
	entry_charge_rest(tls);
}
