/* frames.h - the routines with hooks that are open on a machine stack, by its frames. */
#ifndef FRAMES_H
#define FRAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "inside/machine/context.h"
#include "inside/monitor.h"
#include "inside/stacks/unwind.h"

struct thread;

/* Where libc has what makecontext began return to: the outermost frame of a stack that the monitor has not seen begin. 0: unknown. */
extern uintptr_t frames_context_start HIDDEN;

/* A function that jumps starts at START, 0: nowhere.  A stack with it is about to be left.  To be told by one thread, of a few. */
void frames_tell_jump(uintptr_t start) HIDDEN;

/* A frame whose routine has a hook that was seen. */
struct hooked_frame {
	uintptr_t pc;			/* where it is, or where it goes on */
	uintptr_t site;			/* where it returns to; 0: nowhere */
	uint32_t routine;		/* index */
	bool open;			/* it is open whether its entry hook has been passed, or its exit hook already: a signal has
					 * interrupted it, or it is in the hook now */
	bool in_hook;			/* the latter */
	bool is_root;			/* a handler (handler.h) that the kernel called: it begins a history of its own */
	bool past_signal;		/* a signal's frame lies below it */
};

/* A walk along the frames, outwards. */
struct frames {
	struct unwind at;		/* the frame that frames_next looks at next */
	bool in_hook;			/* the one below it is the monitor's own */
	bool hides_routine;		/* --verify: a frame was a part of a routine, and nobody knows which: it may have hooks */
	bool past_signal;		/* a signal's frame lay below it */
	bool leaving;			/* a jump is on its way out of it, which hooks have been told of already */
	enum unwind_result how;		/* the walk has ended so; UNWIND_STEPPED: it has not */
};

/* Begin at the frame U, from which on unwind.h's functions have been used. */
void frames_begin(struct frames *f, const struct unwind *u) HIDDEN;

/* What makes walks of T's stacks cheap, for the calling thread T with signals blocked.  NULL: no memory to spare. */
struct unwind_cache *frames_cache(struct thread *t) HIDDEN;

/* Is the frame U of a routine with hooks of way inline? */
bool frames_is_inline(const struct unwind *u) HIDDEN;

/* Go on to the next frame with a hook, *OUT.  False: there is none; F->how tells whether that is sure (UNWIND_END). */
bool frames_next(struct frames *f, struct hooked_frame *out) HIDDEN;

enum frames_read {
	FRAMES_ALL,
	FRAMES_LEAVING,			/* a jump is just leaving some of them, or what they are called from has returned */
	FRAMES_UNREAD,			/* they cannot all be told, or are more */
};

/* Write the frames from U on to OUT, which has room for MOST, and their number to *N. */
enum frames_read frames_hooked(struct unwind *u, struct hooked_frame *out, size_t most, size_t *n) HIDDEN;

/* The context of T with the history that the frames of F give, made if need be; with signals blocked. What cannot be told is noted, and
 * stands under "(lost)"; or, if QUIET since no call depends on it, is 0. */
context_id frames_context(struct thread *t, const struct frames *f, bool quiet) HIDDEN;

#endif
