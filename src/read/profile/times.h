/* times.h - the time of contexts from all sources of a run together: the sampler's looks, and interrupts.
 *
 * Two things tell where a thread spends its CPU time T, which is known exactly:
 *
 *     interrupts   on its own processor, each after so much CPU time: they saw the part U of T, the program counters times their period.  Those of perf are
 *                  taken in user mode alone, whatever the scheduler does; those of a timer in the kernel, too, but keep step with its clock
 *     looks        of the sampler, at random moments, by which all of T is seen, but only where the thread runs as it is looked at
 *
 * A context c has the time u + k: u of U, and k of the rest K = T - U, which interrupts did not see: the kernel's, by perf.  Of P interrupts it has about
 * P u / U, of R looks R (u + k) / T.  u and k are the most likely ones (Dempster, Laird and Rubin, Maximum likelihood from incomplete data via the EM algorithm, 1977):
 *
 *     E    of c's looks m = R_c u / (u + k) fell in what interrupts see, and n = R_c - m in the rest
 *     M    u = U (P_c + m) / sum of these, k = K n / sum of these
 *
 * first by routine, then within each routine by context: were it by context at once, each of those that a look met by chance, and no interrupt, would seem to be
 * the kernel's.  Where the looks by routine differ from what the interrupts say beyond chance, the interrupts are believed: u is of them alone, and what differs
 * is unsure.  But a timer keeps step with the kernel's clock, as a program may; so where there are looks enough they tell all, and what a timer says is held against
 * them.  Unsure, too, is what the kernel takes to put a thread to sleep and to wake it: it is charged, for the most part, to what runs next.
 *
 * With that a context's ticks become how many samples its time is worth: (u + k)^2 over the variance u^2 / (P_c + m) + k^2 / n. */
#ifndef TIMES_H
#define TIMES_H

#include "read/profile/reader.h"

/* What a thread of the file has in the profile, in that order. */
struct source_part {
	uint32_t thread;		/* index in threads[] */
	size_t shares, shares_end;	/* of shares[] */
	size_t pcs, pcs_end;		/* of pcs[], which are not merged yet */
};

/* Settle the times of the N threads of R's file at PARTS, all it has, in order, unless a monitor's sum has settled them.  Nothing is lost: the times of a thread and
 * what is unplaced of it add up to what they did; threads of few samples are settled together, and it is of all of them then.  False with the error set: out of memory. */
bool times_settle(struct reader *r, struct source_part *parts, size_t n);

#endif
