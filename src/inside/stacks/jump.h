/* jump.h - jumps, which may leave routines without a word. */
#ifndef JUMP_H
#define JUMP_H

#include <stdint.h>

#include "inside/monitor.h"
#include "inside/stacks/unwind.h"

/* Where control lands: the registers there, by their DWARF numbers, of which those are set that are KNOWN, a bit each; none: nothing is. */
struct landing {
	uintptr_t reg[UNWIND_REGISTERS];
	uint32_t known;
};

/* Routines are about to be left without a word: the calling thread's context is lost. */
void jump_lose(void) HIDDEN;

/* The same, and control lands at TO: the context is that of the routine with hooks whose code, or whose callee's without hooks, goes on there. */
void jump_lands(const struct landing *to) HIDDEN;

/* Where the buffer of a longjmp leads, libc's eight words at ENV, to *TO. */
void jump_landing(const uintptr_t *env, struct landing *to) HIDDEN;

/* The calling thread's context is lost, and the code that called the monitor has come back to its stack: it is found, if it can be. */
void jump_back(void) HIDDEN;

/* Find libgcc's unwinder: stacks are to be held against contexts, and none is with that on it (frames_hooked).  Takes the dynamic linker's lock. */
void jump_find_unwinder(void) HIDDEN;

#endif
