/* sums.h - what the files of a profile have together: counts, the monitor's notes, and how each process stands. */
#ifndef SUMS_H
#define SUMS_H

#include "understand/findings/report_input.h"

struct sums {
	uint64_t transitions, calls, misses;	/* counts; transitions without direct recursion; misses: calls that the first probe did not answer */
	uint64_t contexts;			/* in which anything was counted */
	uint64_t length;			/* entries of their histories */
	uint64_t cpu;				/* CPU time that the processes say, ns; 0: unknown */
	uint64_t unsure;			/* CPU time of which no source tells where it was spent, or sources differ, ns */
	uint64_t notes[AMON_NOTES];		/* how often each */
	uint64_t lives[REPORT_UNKNOWN + 1];	/* processes, by enum report_life, but for */
	uint64_t mixed;				/* those in sums of several of which not all ended */
	uint32_t truncated, reset;		/* files that are cut off; processes whose counters were reset */
};

/* The sums over the files of IN. */
struct sums sums_make(const struct report_input *in);

/* Half the 95 % interval of a share of PERCENT of G's time by its samples, of which there are some, in points; 99 at most,
 * which says that nothing is known. */
double sums_error(const struct graph *g, double percent);

#endif
