/* noise.h - how much a time varies from run to run, learnt from few runs by looking at many routines.
 *
 * Times of one quantity (a routine's self time, say) in NB base and NN new runs have a relative variance (that of the time over its mean) of
 *
 *     sampling + common        sampling: known of each run (overhead_evidence); common: what the machine adds, the same for all as a rule
 *
 * Five runs a side tell a routine's variance badly (8 degrees of freedom); all routines together tell it well, and how alike the
 * routines are tells how far to trust the crowd: G. K. Smyth's moderated t (Linear models and empirical Bayes methods, 2004). */
#ifndef NOISE_H
#define NOISE_H

#include <stdbool.h>
#include <stddef.h>

/* The runs of one quantity, summed up. */
struct sides {
	double base, fresh;	/* means of the base runs and of the new ones, ns */
	double base_samples, fresh_samples; /* over the runs of a side, independent samples that tell as much; 0: the times are no samples */
	double sampling;	/* variance of a run by sampling, mean of all runs, relative to the square of their mean time */
	double variance;	/* relative, within the sides, pooled; 0 if df is 0 */
	double df;		/* degrees of freedom of variance: runs less sides that have any */
	double nb, nn;		/* runs of each side */
};

struct noise {
	double common;		/* relative variance beside that of sampling */
	double df;		/* degrees of freedom that the crowd is worth; 0: nothing was learnt; INFINITY: all are alike */
};

/* Sum up the N times TIME of one quantity, of which the first NB are base runs.  VARIANCE is that of each by sampling, ns^2; 0: none.  PAIRED: the runs of the
 * sides are pairs, in their order, and what varies is their difference: half of its variance is taken for that of a run. */
struct sides sides_make(const double *time, const double *variance, size_t n, size_t nb, bool paired);

/* Learn from N quantities.  False: out of memory. */
bool noise_learn(struct noise *noise, const struct sides *sides, size_t n);

/* What is known of the change of one quantity. */
struct change {
	double change;		/* fresh - base, ns */
	double error;		/* its standard error, ns; NAN: unknown */
	double df;		/* degrees of freedom of that; 0: unknown */
	double above;		/* chance of such an increase, or a larger one, if nothing changed; NAN: unknown */
	double below;		/* chance of such a decrease; NAN: unknown */
};

struct change noise_judge(const struct noise *noise, const struct sides *sides);

/* The smallest relative change of a quantity with the relative variance SAMPLING that is found, with the chance POWER, by a one-sided test at
 * LEVEL, between NB and NN runs with DF degrees of freedom in all for the variance; NAN: unknown. */
double noise_smallest(const struct noise *noise, double sampling, double df, double nb, double nn, double level, double power);

#endif
