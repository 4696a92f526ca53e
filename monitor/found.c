/* found.c - a context that a jump lost (jump.c) is found: that of the routines with hooks on the machine stack (frames.c). */
#include "monitor/found.h"

#include "monitor/context.h"
#include "monitor/frames.h"
#include "monitor/layout.h"
#include "monitor/machine.h"
#include "monitor/own_code.h"
#include "monitor/thread.h"
#include "monitor/tls.h"
#include "monitor/unwind.h"

/* Out of the monitor's own code, in which F is.  False: the stack cannot be read that far. */
static bool leave_monitor(struct frames *f)
{
	while (f->how == UNWIND_STEPPED && is_own_code(f->at.reg[UNWIND_RIP]))
		f->how = unwind_step(&f->at);
	return f->how == UNWIND_STEPPED;
}

/* F is at the routine that is entered, behind the call of its hook: to its caller.  That a nested function has pushed its static chain its description
 * does not say. */
static void leave_entered(struct frames *f)
{
	if (*(const uint16_t *)f->at.reg[UNWIND_RIP] == POP_R10)
		f->at.reg[UNWIND_RSP] += sizeof(uintptr_t);
	f->how = unwind_step(&f->at);
}

/* The sampler's looks at T, if there were any while it was lost, belong to FOUND. */
static context_id tell(struct thread *t, context_id found)
{
	if (found && __atomic_load_n(&t->lost_ticks, __ATOMIC_ACQUIRE) && !__atomic_load_n(&t->found, __ATOMIC_ACQUIRE))
		__atomic_store_n(&t->found, found, __ATOMIC_RELEASE);
	return found;
}

context_id found_entered(struct thread *t, bool by_signal, context_id *back)
{
	struct unwind u;
	struct frames f;
	struct hooked_frame first;
	context_id found;

	unwind_here(&u);
	frames_begin(&f, &u);
	if (leave_monitor(&f))
		leave_entered(&f);
	found = tell(t, frames_context(t, &f, by_signal));
	if (!found)
		found = machine_counter(t, t->lost)->id;
	frames_next(&f, &first);
	*back = f.past_signal ? LOST_ID : found;
	return found;
}

uintptr_t found_return(void)
{
	struct unwind u;
	struct frames f;

	unwind_here(&u);
	frames_begin(&f, &u);
	return leave_monitor(&f) && unwind_step(&f.at) == UNWIND_STEPPED ? f.at.reg[UNWIND_RIP] : 0;
}

context_id found_here(struct thread *t)
{
	struct unwind u;
	struct frames f;

	unwind_here(&u);
	frames_begin(&f, &u);
	leave_monitor(&f);
	return tell(t, frames_context(t, &f, false));
}

/* Whether an entry hook has been passed, or an exit hook, is open in the routine that was interrupted.  It is its time, and the thread's context
 * stays lost. */
context_id found_interrupted(struct thread *t, const void *ucontext)
{
	struct unwind u;
	struct frames f;

	unwind_interrupted(&u, ucontext, NULL);
	if (t != thread_live(&aprof_tls) || t->tls->inert || t->busy || is_own_code(u.reg[UNWIND_RIP]))
		return 0;
	frames_begin(&f, &u);
	return tell(t, frames_context(t, &f, true));
}
