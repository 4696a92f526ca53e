/* lost_context.c - a context that a jump lost (jump.c) is found: that of the routines with hooks on the machine stack (frames.c). */
#include "inside/stacks/lost_context.h"

#include "contract/layout.h"
#include "inside/machine/context.h"
#include "inside/machine/machine.h"
#include "inside/modules/own_code.h"
#include "inside/process/thread.h"
#include "inside/stacks/frames.h"
#include "inside/stacks/jump.h"
#include "inside/stacks/unwind.h"
#include "inside/stacks/walk_cache.h"
#include "inside/sys.h"
#include "inside/tls.h"

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

/* The same from U on, the frame of a function here. */
static void lost_context_begin(struct thread *t, struct frames *f, const struct unwind *u)
{
	frames_begin(f, u);
	f->at.cache = frames_cache(t);
}

context_id lost_context_entered(struct thread *t, bool by_signal, context_id *back)
{
	struct unwind u;
	struct frames f;
	struct hooked_frame first;
	context_id found;

	unwind_here(&u);
	lost_context_begin(t, &f, &u);
	if (leave_monitor(&f))
		leave_entered(&f);
	found = frames_context(t, &f, by_signal);
	if (!found)
		found = machine_counter(t, t->lost)->id;
	frames_next(&f, &first);
	*back = f.past_signal ? LOST_ID : found;
	return found;
}

uintptr_t lost_context_return(void)
{
	struct unwind u;
	struct frames f;

	unwind_here(&u);
	frames_begin(&f, &u);
	return leave_monitor(&f) && unwind_step(&f.at) == UNWIND_STEPPED ? f.at.reg[UNWIND_RIP] : 0;
}

enum lost_context_below lost_context_below(uintptr_t cfa, bool own)
{
	struct unwind u;
	struct frames f;

	unwind_here(&u);
	frames_begin(&f, &u);
	if (leave_monitor(&f))
		leave_entered(&f);
	while (f.how == UNWIND_STEPPED && f.at.reg[UNWIND_RSP] < cfa) {
		bool is_own = is_own_code(f.at.reg[UNWIND_RIP]);

		f.how = unwind_step(&f.at);
		if (f.how == UNWIND_STEPPED && f.at.reg[UNWIND_RSP] == cfa)
			return is_own || !own ? FOUND_BELOW : FOUND_NOT;
	}
	return f.how == UNWIND_STEPPED || f.how == UNWIND_END ? FOUND_NOT : FOUND_UNKNOWN;
}

context_id lost_context_here(struct thread *t)
{
	struct unwind u;
	struct frames f;

	unwind_here(&u);
	lost_context_begin(t, &f, &u);
	leave_monitor(&f);
	return frames_context(t, &f, false);
}

/* A routine that a signal interrupted may not have been entered yet, or been left: where it is the first of F's the context is not known.
 * NOTES, if not NULL, are made of the walk. */
static context_id if_sure(struct thread *t, struct frames *f, struct unwind_notes *notes)
{
	struct frames first = *f;
	struct hooked_frame next;
	bool open = frames_next(&first, &next) && next.open;
	context_id found;

	f->at.notes = notes;
	found = open ? 0 : frames_context(t, f, true);
	return found ? found : LOST_ID;
}

context_id lost_context_back(struct thread *t)
{
	struct unwind u;
	struct frames f;

	unwind_here(&u);
	lost_context_begin(t, &f, &u);
	return leave_monitor(&f) ? if_sure(t, &f, NULL) : LOST_ID;
}

context_id lost_context_landing(struct thread *t, const struct landing *to, bool *receives)
{
	struct unwind u = { .known = to->known };
	struct unwind_notes *notes;
	struct frames f;
	context_id found;

	mem_copy(u.reg, to->reg, sizeof u.reg);
	u.reg[UNWIND_RIP]++;		/* the next instruction is what its description is looked for: it may be the first of a routine */
	unwind_begin(&u);
	*receives = is_own_code(to->reg[UNWIND_RIP]) || frames_is_inline(&u);
	if (*receives)
		return LOST_ID;
	lost_context_begin(t, &f, &u);
	notes = walk_cache_begin(t, to);
	found = if_sure(t, &f, notes);
	if (notes)
		walk_cache_found(t, to, found == LOST_ID ? 0 : found);
	return found;
}

/* Whether an entry hook has been passed, or an exit hook, is open in the routine that was interrupted.  It is its time, and the thread's context
 * stays lost. */
context_id lost_context_interrupted(struct thread *t, const void *ucontext)
{
	struct unwind u;
	struct frames f;

	unwind_interrupted(&u, ucontext, frames_cache(t));
	if (t != thread_live(&aprof_tls) || t->tls->inert || t->busy || is_own_code(u.reg[UNWIND_RIP]))
		return 0;
	frames_begin(&f, &u);
	return frames_context(t, &f, true);
}
