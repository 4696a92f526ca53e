/* code.h - where in its machine code the time of a routine was, or of a function without hooks: what is left to be shown where no source is known. */
#ifndef CODE_H
#define CODE_H

#include "base/arena.h"
#include "understand/findings/leaves.h"
#include "understand/findings/report_input.h"

/* An instruction. */
struct code_line {
	uint64_t address;	/* link-time */
	const char *text;	/* as it is written */
	uint64_t ticks;		/* samples that were there */
	uint64_t time;		/* ns of the own time */
};

/* A stretch of code: a body, a clone, a piece of the routine. */
struct code_body {
	const char *module;	/* path of the file that has it */
	const char *name;	/* as linked */
	size_t first;		/* its instructions are lines[first .. first + n) */
	size_t n;		/* how many */
	uint64_t time;		/* ns */
};

struct code {
	const char *name;	/* of the function */
	struct code_body *bodies; /* most time first */
	size_t nbodies;		/* how many */
	struct code_line *lines;
	size_t n;		/* how many */
	uint64_t time;		/* of all of it: the samples that are told here, ns */
	uint64_t ticks;		/* these */
	size_t room;		/* for how many lines there is room */
	struct arena arena;	/* has the texts */
};

/* The code of ROUTINE of IN's graph, by the samples in its own code; LEAVES as lines_make has them.  There are no bodies where no file tells.  False with *ERR
 * set: out of memory.  Freed with code_free, also then. */
bool code_of_routine(struct code *c, const struct report_input *in, const struct leaves *leaves, uint32_t routine, struct error *err);

/* The same of the functions without hooks that WORD names: as their symbol does, or as those do who call them.  There are no bodies where WORD names none. */
bool code_of_plain(struct code *c, const struct report_input *in, const struct leaves *leaves, const char *word, struct error *err);

void code_free(struct code *c);

#endif
