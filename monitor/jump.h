/* jump.h - jumps, which may leave routines without a word. */
#ifndef JUMP_H
#define JUMP_H

#include <stdbool.h>
#include <stdint.h>

#include "monitor/monitor.h"

/* Routines are about to be left without a word: the calling thread's context is lost. */
void jump_lose(void) HIDDEN;

/* The same, and control lands where the stack pointer is SP; 0: that is not known. */
void jump_lands(uintptr_t sp) HIDDEN;

/* Find libgcc's unwinder: stacks are to be held against contexts, and none is with that on it (frames_hooked).  Takes the dynamic linker's lock. */
void jump_find_unwinder(void) HIDDEN;

/* Does a function that jumps, the monitor's OWN or libgcc's that unwinds, start at START?  A stack with one is about to be left. */
bool jump_is_at(uintptr_t start, bool own) HIDDEN;

#endif
