/* synthetic_routines.h - routines that no file of code has, as a profile has them: one module, "[jit]" of code made at run time, "[kernel]", or "[inlined]",
 * whose routines are known by their names.
 *
 * Their addresses are made of the names, so that they are the same in every run.  The names go into the file while it is written: it outlives what told them. */
#ifndef SAMPLE_SYNTHETIC_ROUTINES_H
#define SAMPLE_SYNTHETIC_ROUTINES_H

#include <stdint.h>

#include "base/arena.h"
#include "base/table.h"
#include "read/stacks/jit.h"
#include "read/stacks/recording.h"

/* All zero but for the first two: none yet. */
struct synthetic {
	struct recording *live;		/* the file; not owned */
	const char *path;		/* of the module, static */
	uint32_t module;		/* in the file, if there are any */
	uint32_t rank;			/* the same as symbols name it */
	struct arena names;
	struct synthetic_routine {
		const char *name, *file;	/* as in struct jit_function */
		uint32_t line;
		uint32_t routine;	/* in the file */
		uint64_t address;	/* in the file, nobody else's */
	} *all;
	uint32_t n, written;		/* the first ones have their names in the file */
	size_t room;
	struct table by_name, by_address;
	uint64_t next;			/* when names are written again, CLOCK_MONOTONIC ns */
};

/* The routine of the file that F is; RECORDING_NONE: no room. */
uint32_t synthetic_routine(struct synthetic *m, const struct jit_function *f);

/* Write names that the file lacks, if it is TIME to, CLOCK_MONOTONIC ns. */
void synthetic_write(struct synthetic *m, uint64_t time);

/* Write all that are left, and free what is in M. */
void synthetic_end(struct synthetic *m);

#endif
