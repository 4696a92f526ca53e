/* collect.h - what a run leaves: its profiles are grouped by program, kept and reported. */
#ifndef COLLECT_H
#define COLLECT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/error.h"
#include "cli/options.h"
#include "record/run/harvest.h"
#include "record/run/housekeeping.h"
#include "record/run/job.h"
#include "record/run/launch.h"
#include "record/sample/record.h"

/* One aprof run, or attach, under way. */
struct run {
	const struct options *options;
	char *directory;		/* where the processes leave their profiles; made for this run */
	struct job *job;		/* of which the program is a rank, ready; NULL: of none */
	char *program;			/* the program's file; NULL: not found in PATH */
	FILE *out;			/* where the report goes, or the screen; NULL: nowhere */
	bool kept;			/* the data of the first program are */
	bool left;			/* something could not be kept, so the directory stays */
	bool failed;			/* there is no profile, though there was something to write */
	struct launch launch;		/* the program itself */
	struct harvest harvest;		/* what was left */
	struct record_options sampling;	/* of call stacks; directory NULL: it is not wanted */
	struct event *events;		/* that are sampled beside time */
	struct recorder *recorder;	/* at work; NULL: none is */
	struct housekeeping *housekeeping; /* adds up what ended processes leave; NULL: all is added up at the end */
	struct record_untold untold;	/* what of that could not be had */
	struct error unsampled;		/* why it is not, if it was wanted */
	uint64_t checked, differ;	/* --verify: stacks that were held against their contexts, and those that did not fit */
	uint64_t unread;		/* and those that could not be */
};

/* Make the directory for the profiles of R, and find out where its report goes.  False after a message. */
bool collect_begin(struct run *r);

/* Collect what is in the directory of R, keep it, report it. */
void collect(struct run *r);

/* Report the profile NAME of a whole MPI job, of RANKS of its ranks, and keep its symbols in it. */
void collect_job(struct run *r, const char *name, uint64_t ranks);

/* What is in the directory of R, of a rank that is in no common profile, stays there.  Say so once for the job, as far as one rank can know: of rank 0, of one
 * that died by itself, and of one APART, which nobody asked for it; and of one that is UNSURE whether the
 * job's profile holds it. */
void collect_rank(struct run *r, bool apart, bool unsure);

/* STATUS, or of a success STATUS_TROUBLE if what was profiled could not be written. */
int collect_status(const struct run *r, int status);

/* Close what collect_begin opened, and remove what it made, unless that has what could not be kept: then say where it is. */
void collect_end(struct run *r);

/* Has the program, by its path, hooks?  A recorder leaves it to them, if it is not asked for stacks beside. */
bool collect_has_hooks(const char *program);

/* Has it gprof's hooks, which aprof's are preloaded for?  These change return addresses, so that its stacks cannot be followed. */
bool collect_has_mcount(const char *program);

/* What the options and the environment of R want of call stacks that are sampled; its directory is set. */
void collect_sampling(struct run *r);

/* Say what of call stacks was asked for and is not recorded, and why. */
void collect_stacks_tell(const struct run *r);

#endif
