/* check.h - did it get worse: for continuous integration.
 *
 * Time: a routine got worse if its time grew by more than the limit, and the growth is no noise: the chance of such a growth
 * between equal programs, one-sided, corrected by Holm for all routines that are tested, is at most 0.1 %.  So among equal
 * runs there is any alarm in 1 of 1000 checks at most.  Routines of less than a share of the run are not tested: they could not be
 * told from noise, and each test costs the others some sharpness.  A routine that took no time in the base runs got worse if it
 * takes more than the limit's share of the run.  The run as a whole is tested, too.
 *
 * Calls: for equal work the counts are equal; where each side agrees with itself any call more is worse, whatever the limit.  Counts that differ
 * between runs of a side got worse if the sides' ranges are farther apart than either is wide, and they grew by more than the limit; so did those of a program with several
 * threads of which a side has one run, so that nobody knows whether they differ by themselves.  Call sites, where they are compared, are
 * tested likewise, by their calls alone; of call stacks, which have none, by their times, as routines are. */
#ifndef CHECK_H
#define CHECK_H

#include "understand/compare/comparison.h"
#include "understand/findings/report_input.h"

#define CHECK_LEVEL 0.001		/* chance of any false alarm */
#define CHECK_POWER 0.95		/* of finding the smallest change that is told */

enum check_calls { CHECK_CALLS_LEARN, CHECK_CALLS_EXACT, CHECK_CALLS_LIMIT, CHECK_CALLS_IGNORE };

struct check_options {
	double limit;			/* growth that is allowed, as a share: 0.05 */
	double least;			/* share of the run below which a routine's time is not tested: 0.005 */
	enum comparison_time time;		/* which time is tested */
	enum check_calls calls;		/* any call more is worse where counts do not vary by themselves; everywhere; only more of them than the limit; or none */
	struct report_options report;	/* how names are printed; json */
};

struct check_finding {
	uint32_t routine;	/* index of a routine of the comparison; GRAPH_NONE: the run as a whole, or a call site */
	uint32_t site;		/* index of a call site; GRAPH_NONE: it is none */
	bool time;		/* its time got worse */
	bool calls;		/* its calls did */
	bool fewer;		/* only this: it was called less, which is no harm */
	double chance;		/* Holm's, of the time's growth by noise; NAN: unknown */
	double smallest;	/* growth that would have been found 19 times of 20, as a share; NAN: unknown */
};

struct check {
	struct check_finding *findings;	/* worst first: by growth of time, then of calls; those of fewer calls last */
	uint32_t n;			/* how many */
	uint32_t worse;			/* how many of them are worse, */
	uint32_t worse_sites;		/* of these call sites */
	uint32_t tested;		/* routines whose time was tested, */
	uint32_t tested_sites;		/* and call sites */
	double smallest_whole;		/* growth of the whole run that would have been found 19 times of 20, as a share; NAN: unknown */
	uint32_t varied;	/* routines whose calls differ, by no more than they may, since they vary by themselves or nothing tells */
	bool noise_known;		/* false: one run a side, and times that are not sampled */
};

/* Check C, which was judged.  False with *ERR set: out of memory.  Freed with check_free. */
bool check_make(struct check *check, const struct comparison *c, const struct check_options *options, struct error *err);
void check_free(struct check *check);

#endif
