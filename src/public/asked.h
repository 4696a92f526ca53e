/* asked.h - what a user of the library asks of a profile: struct aprof_options, and how it becomes what input_build takes. */
#ifndef PUBLIC_ASKED_H
#define PUBLIC_ASKED_H

#include "base/arena.h"
#include "public/aprof/profile.h"
#include "understand/analysis.h"

struct aprof_options {
	const char *program;		/* NULL: as the profile says */
	const char *phase;		/* NULL: all of the run */
	const char *value;		/* NULL: each profile's first */
	struct graph_options graph;	/* focus and hide are owned */
	struct arena strings;
};

/* A copy of OPTIONS, or of none if that is NULL; its strings are its own.  NULL: out of memory.  Freed with aprof_options_free. */
struct aprof_options *asked_copy(const struct aprof_options *options);

/* What OPTIONS say of reading; they must outlive it. */
struct input asked_input(const struct aprof_options *options, const struct input_listener *listener);

/* Read the N files at PATHS into IN and build it as OPTIONS say.  No file that is read gets anything written to.  False with *ERR set. */
bool asked_build(struct input *in, const char *const *paths, size_t n, const struct aprof_options *options, struct error *err);

#endif
