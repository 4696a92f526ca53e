/* rereading.h - profiles of programs that still run, read again and again.
 *
 * Their files are held open, so that what a program left at its end can be read after its file has lost its name, as at the end of `aprof run`. */
#ifndef REREADING_H
#define REREADING_H

#include "cli/operands.h"
#include "cli/options.h"

/* Zero it, but for the first three, before rereading_read; freed with rereading_free. */
struct rereading {
	const struct operands *operands;	/* what is read; not owned */
	const struct options *options;		/* how; not owned */
	struct source_reader *sources;		/* for the source files; not owned, NULL: nobody reads any */
	struct input readings[2];		/* the last one, and the one before it until rereading_release */
	unsigned last;				/* which is the last */
	int *held;				/* by operand: its file, open; -1: it is not */
};

/* The last reading. */
struct input *rereading_input(struct rereading *l);

/* Read the profiles, and tell LISTENER, NULL: nobody, of it.  False with *ERR set: what was read before stays. */
bool rereading_read(struct rereading *l, const struct input_listener *listener, struct error *err);

/* Free the reading before the last one. */
void rereading_release(struct rereading *l);

/* Whether a process of the last reading still ran. */
bool rereading_runs(const struct rereading *l);

void rereading_free(struct rereading *l);

#endif
