/* walk.h - a call stack from a thread's registers and a copy of its stack's top. */
#ifndef SAMPLE_WALK_H
#define SAMPLE_WALK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "read/stacks/space.h"

/* How a walk ended. */
enum walk_end {
	WALK_WHOLE,			/* at the thread's start */
	WALK_CUT,			/* the copy of the stack ends, or there is no more room for frames */
	WALK_NO_RULES,			/* in code of which nobody says how to leave it */
	WALK_WRONG,			/* where a stack cannot be */
};

/* Registers of a thread by their DWARF numbers (rules.h), and the SIZE bytes at STACK that its memory has from its stack pointer on. */
struct walk {
	const struct space *space;
	uint64_t regs[RULES_REGISTERS];
	const void *stack;
	size_t size;
	bool (*more)(void *arg, uint64_t address, uint64_t *word); /* reads other memory of it; NULL: nobody can */
	void *more_arg;			/* for it */
	const uint64_t *chain;		/* the addresses that the kernel found by frame pointers, innermost first */
	size_t nchain;			/* how many */
};

/* A frame. */
struct walk_frame {
	uint64_t address;		/* of an instruction in its function: of a call one less than where that returns to */
	uint64_t back;			/* where the call returns to that it waits for; 0: it waits for none, or nobody knows for which */
};

/* Where a routine of Go's went on for its caller on another stack of the thread, that one is followed by its frame pointer, by MORE or, where nobody can read
 * it, by the chain.
 *
 * Write the frames to OUT, innermost first, MOST at most; *N is how many.  No memory is allocated where code was met before. */
enum walk_end walk_stack(const struct walk *w, struct walk_frame *out, size_t most, size_t *n);

#endif
