/* rounds.h - two builds of a program, run in turn, each run with a profile of its own.
 *
 *     rounds_begin -> rounds_build (of sources) -> rounds_run, once a round -> rounds_end
 *
 * In each round either side runs once, in an order that chance decides, so that what the machine does meanwhile is done to both.  Each run is an `aprof run` of its
 * own, and reads the same: this process's standard input from its beginning, if that is a file, else nothing. */
#ifndef ROUNDS_H
#define ROUNDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

enum { ROUNDS_SIDES = 2 };			/* base, new */

struct rounds_side {
	const char *name;			/* as the user calls it: a program, or a commit */
	char **argv;				/* what is run; argv[0] is looked up in PATH if it has no slash */
	char **folders;				/* of sources, one for each layout: where it is built and run; NULL: here */
	char **files;				/* the profiles so far, one a round */
	uint64_t printed;			/* hash of what it printed on its standard output */
	bool varies;				/* that was another in some round */
};

struct rounds {
	/* set by the caller */
	const char *aprof;			/* this program */
	const char *build;			/* what builds a side, a command of the shell; NULL: sides are programs */
	unsigned layouts;			/* builds of each side, each laid out by another seed: round i runs build i % layouts; 0: one, as it comes */
	bool sites;				/* calls are to be told apart by site */
	struct rounds_side sides[ROUNDS_SIDES];	/* name and argv */
	/* the module's own */
	char *folder;				/* where all of it is; "": none yet */
	size_t n;				/* rounds */
};

/* What went wrong, where a status of its own tells of it (git bisect run). */
enum rounds_trouble { ROUNDS_TROUBLE = 1, ROUNDS_UNBUILT };

/* Make the folder for R, in KEEP, which is made if it is not there, or, for NULL, one that rounds_end removes.  False with *ERR set. */
bool rounds_begin(struct rounds *r, const char *keep, struct error *err);

/* Have both sides, named by commits of the repository that this is run in, checked out and built.  BEFORE is called before each build.  0; or a trouble, with *ERR set. */
int rounds_build(struct rounds *r, void (*before)(const char *side), struct error *err);

/* Another round.  False with *ERR set: a program could not be run, failed, or left no profile. */
bool rounds_run(struct rounds *r, struct error *err);

/* Do both sides print the same in each round, and not the same as the other? */
bool rounds_print_differently(const struct rounds *r);

/* Free all, and remove what is not to be kept. */
void rounds_end(struct rounds *r, bool keep);

#endif
