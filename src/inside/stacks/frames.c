/* frames.c - which routines are open on a machine stack, and so in which context it is.
 *
 * A frame belongs to the routine whose hook was seen in the code that the frame's description covers.  The part of a routine that the compiler
 * has put far away, since it is hardly ever needed, has a description of its own: module.c knows whose it is.
 *
 * A walk goes outwards, a history begins outermost: so the frames are kept until the walk is done, in a table of fixed size; of a
 * deeper stack the outermost come first, by a walk that keeps none but those, then the next. */
#include "inside/stacks/frames.h"

#include "contract/amon.h"
#include "contract/layout.h"
#include "inside/hooks/handler.h"
#include "inside/machine/context.h"
#include "inside/machine/machine.h"
#include "inside/machine/memory.h"
#include "inside/modules/module.h"
#include "inside/modules/own_code.h"
#include "inside/modules/routine.h"
#include "inside/process/leave.h"
#include "inside/process/thread.h"
#include "inside/process/unload.h"
#include "inside/stacks/unwind.h"
#include "inside/state.h"
#include "inside/sys.h"

enum {
	KEPT_FRAMES = 16384,		/* 64 KB */
	MEMORY_PART = 8,		/* of the memory that may be taken: what is left is for contexts */
	MOST_JUMPS = 16,
};

uintptr_t frames_context_start;
static uintptr_t jumps[MOST_JUMPS];
static uint32_t njumps;

static bool frames_is_jump(uintptr_t start)
{
	uint32_t i = __atomic_load_n(&njumps, __ATOMIC_ACQUIRE);

	while (i > 0 && jumps[i - 1] != start)
		i--;
	return i;
}

void frames_tell_jump(uintptr_t start)
{
	if (!start || frames_is_jump(start) || njumps == MOST_JUMPS)
		return;
	jumps[njumps] = start;
	__atomic_store_n(&njumps, njumps + 1, __ATOMIC_RELEASE);
}

void frames_begin(struct frames *f, const struct unwind *u)
{
	*f = (struct frames){ .at = *u, .how = UNWIND_STEPPED };
}

/* The routine of the frame U, AMON_NONE: it has no hook. */
static uint32_t frames_routine_of(const struct unwind *u)
{
	struct unwind other = { .interrupted = true };
	uint32_t routine;

	if (!u->start)
		return AMON_NONE;
	routine = routine_within(u->start, u->end);
	if (routine != AMON_NONE || !module_other_part(u->start, u->end, &other.reg[UNWIND_RIP]))
		return routine;
	unwind_begin(&other);
	return other.start ? routine_within(other.start, other.end) : AMON_NONE;
}

struct unwind_cache *frames_cache(struct thread *t)
{
	uint64_t taken = __atomic_load_n(&monitor.memory_private, __ATOMIC_RELAXED);

	if (!t->walk.unwinding && taken + sizeof *t->walk.unwinding <= monitor.header->memory_bound / MEMORY_PART)
		t->walk.unwinding = memory_take(sizeof *t->walk.unwinding, false);
	return t->walk.unwinding;
}

bool frames_is_inline(const struct unwind *u)
{
	uint32_t flags = 0, routine = frames_routine_of(u);

	if (routine != AMON_NONE)
		routine_address(routine, &flags);
	return flags & ROUTINE_INLINE;
}

/* Handlers of exit run under the root, whoever called exit. */
static bool is_outermost(const struct unwind *u)
{
	return u->start == (uintptr_t)aprof_exit_begun || (frames_context_start && u->reg[UNWIND_RIP] == frames_context_start);
}

/* Has what makecontext began ended, and is libc about to go on elsewhere, as switch.c has told? */
static bool is_ended_context(const struct unwind *u)
{
	return frames_context_start && u->start <= frames_context_start && frames_context_start < u->end;
}

/* Is ROUTINE a handler that the kernel called?  The frame U is its caller's, or way mcount's, which stands before that. */
static bool frames_is_by_signal(uint32_t routine, const struct unwind *u)
{
	uint32_t flags;
	struct unwind caller;

	if (routine == AMON_NONE || !handler_is(routine_address(routine, &flags)))
		return false;
	mem_copy(&caller, u, sizeof caller);
	while (is_own_code(caller.reg[UNWIND_RIP]))
		if (unwind_step(&caller) != UNWIND_STEPPED)
			return false;
	return unwind_is_signal_return(&caller);
}

bool frames_next(struct frames *f, struct hooked_frame *out)
{
	bool found = false;

	while (!found && f->how == UNWIND_STEPPED) {
		struct unwind *u = &f->at;
		bool own = is_own_code(u->reg[UNWIND_RIP]);

		if (is_outermost(u)) {
			f->leaving |= u->interrupted && is_ended_context(u);	/* what it called has returned */
			f->how = UNWIND_END;
			return false;
		}
		out->routine = own ? AMON_NONE : frames_routine_of(u);
		found = out->routine != AMON_NONE;
		f->hides_routine |= monitor.verify && !found && !own && u->start && module_hides_parts(u->start) && unwind_is_part(u);
		out->pc = u->reg[UNWIND_RIP];
		out->in_hook = f->in_hook;
		out->open = u->interrupted || f->in_hook;
		out->past_signal = f->past_signal;
		f->leaving |= frames_is_jump(u->start) || is_ended_context(u);
		f->in_hook = own && u->start != (uintptr_t)aprof_dlclose_begun;
		f->how = unwind_step(u);
		out->site = f->how == UNWIND_STEPPED ? u->reg[UNWIND_RIP] : 0;
		f->past_signal |= !found && u->interrupted;
		out->is_root = f->how == UNWIND_STEPPED && frames_is_by_signal(out->routine, u);
	}
	return found;
}

enum frames_read frames_hooked(struct unwind *u, struct hooked_frame *out, size_t most, size_t *n)
{
	struct frames f;
	struct hooked_frame next;

	frames_begin(&f, u);
	for (*n = 0; frames_next(&f, &next); out[(*n)++] = next)
		if (*n == most)
			return FRAMES_UNREAD;
	if (f.leaving)
		return FRAMES_LEAVING;
	return f.how == UNWIND_END && !f.at.guessed && !f.hides_routine ? FRAMES_ALL : FRAMES_UNREAD;
}

/* ---- the context ---- */

/* Keep the routines of F's frames but for the first SKIPPED ones, as many as fit in KEPT; return how many frames there are, with *HOW and whether
 * one of them is OPEN.  Beyond a handler there are none. */
static size_t frames_keep(const struct frames *from, size_t skipped, uint32_t *kept, enum unwind_result *how, bool *open)
{
	struct frames f;
	struct hooked_frame next;
	size_t n = 0;

	mem_copy(&f, from, sizeof f);
	while (frames_next(&f, &next)) {
		if (next.in_hook)		/* not entered yet, or left */
			continue;
		*open |= next.open;
		if (n >= skipped && n - skipped < KEPT_FRAMES)
			kept[n - skipped] = next.routine;
		n++;
		if (next.is_root) {
			f.how = UNWIND_END;
			break;
		}
	}
	*how = f.how;
	return n;
}

context_id frames_context(struct thread *t, const struct frames *f, bool quiet)
{
	enum unwind_result how;
	size_t done, first;
	context_id here = ROOT_ID;
	bool open = false;

	if (!t->walk.kept_frames && !(t->walk.kept_frames = memory_take(KEPT_FRAMES * sizeof *t->walk.kept_frames, false)))
		return machine_counter(t, t->lost)->id;
	done = frames_keep(f, 0, t->walk.kept_frames, &how, &open);
	if (quiet && how != UNWIND_END)
		return 0;
	if (open && !quiet)
		note(AMON_NOTE_AMBIGUOUS);
	if (how != UNWIND_END) {
		note(AMON_NOTE_UNREAD_STACK);
		here = machine_counter(t, t->lost)->id;
	}
	for (first = done > KEPT_FRAMES ? done - KEPT_FRAMES : 0; done; first = done > KEPT_FRAMES ? done - KEPT_FRAMES : 0) {
		if (first)
			frames_keep(f, first, t->walk.kept_frames, &how, &open);
		while (done > first)
			here = machine_step(t, here, t->walk.kept_frames[--done - first]);
	}
	return here;
}
