/* jump.h - what has become of the thread's context behind a jump that nobody with hooks received. */
#ifndef JUMP_H
#define JUMP_H

#include <stdbool.h>
#include <stdint.h>

#include "monitor/context.h"
#include "monitor/monitor.h"

struct thread;

/* T's context where the routine was called whose entry hook is at work, made out from the machine stack; signals are blocked, and the hook
 * has called this.  *BACK is what the routine is to put back: that, but LOST_ID still if a signal interrupted whoever is in it. */
context_id jump_entered(struct thread *t, context_id *back) HIDDEN;

/* The same where no routine is entered: that of the code that has called the monitor. */
context_id jump_here(struct thread *t) HIDDEN;

/* The same for samples: that of the code of T, the calling thread's, which our signal has interrupted; 0: it cannot be told. */
context_id jump_interrupted(struct thread *t, const void *ucontext) HIDDEN;

/* Routines are about to be left without a word: the calling thread's context is lost. */
void jump_lose(void) HIDDEN;

/* The same, and control lands where the stack pointer is SP; 0: that is not known. */
void jump_lands(uintptr_t sp) HIDDEN;

/* Find libgcc's unwinder: stacks are to be held against contexts, and none is with that on it (frames_hooked).  Takes the dynamic linker's lock. */
void jump_find_unwinder(void) HIDDEN;

/* Does a function that jumps, the monitor's OWN or libgcc's that unwinds, start at START?  A stack with one is about to be left. */
bool jump_is_at(uintptr_t start, bool own) HIDDEN;

#endif
