/* live.h - profiles of programs that still run, read again and again. */
#ifndef LIVE_H
#define LIVE_H

#include "cli/operands.h"
#include "cli/options.h"
#include "input/input.h"

/* Zero it, but for the first three, before live_read; freed with live_free. */
struct live {
	const struct operands *operands;	/* what is read; not owned */
	const struct options *options;		/* how; not owned */
	struct source_reader *sources;		/* for the source files; not owned, NULL: nobody reads any */
	struct input readings[2];		/* the last one, and the one before it until live_release */
	unsigned last;				/* which is the last */
};

/* The last reading. */
struct input *live_input(struct live *l);

/* Read the profiles, and tell LISTENER, NULL: nobody, of it.  False with *ERR set: what was read before stays. */
bool live_read(struct live *l, const struct input_listener *listener, struct error *err);

/* Free the reading before the last one. */
void live_release(struct live *l);

/* Whether a process of the last reading still ran. */
bool live_runs(const struct live *l);

void live_free(struct live *l);

#endif
