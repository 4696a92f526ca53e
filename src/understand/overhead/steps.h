/* steps.h - the steps of overhead_make, each of which fills its own fields of struct overhead and relies on those before it. */
#ifndef OVERHEAD_STEPS_H
#define OVERHEAD_STEPS_H

#include "understand/overhead/overhead.h"

/* place.c: fill spots[].  False: out of memory. */
bool place_samples(struct overhead *o, struct symbols *symbols);

/* kernel.c: fill kernel[] and kernel_known, where a program counter stands for SAMPLE ns of user mode; 0: not known.  False: out of memory. */
bool kernel_estimate(struct overhead *o, double sample);

/* kernel.c: the kernel's part of the CPU time, as far as anybody knows, 0..1. */
double kernel_part(const struct profile *p);

/* hook_cost.c: fill hooks[], kernel[] and cost.  False: out of memory. */
bool hooks_settle(struct overhead *o);

/* What is known when the routines' own times are to be divided among their contexts. */
struct draw_given {
	double *left;		/* by context: of its time, without hooks, ns or any other unit; becomes what it is charged, ns */
	const double *cost;	/* by context: of its hooks, ns */
	const double *self;	/* by routine, and [nroutines] of the root: own time without hooks, ns */
	double tick;		/* ns that a sample of the clock stands for, above 0 */
	bool by_code;		/* each run took program counters */
};

/* draw.c: fill evidence[].  False: out of memory. */
bool contexts_draw(struct overhead *o, const struct draw_given *given);

/* normal.c: the mean of a normal distribution of such a MEAN and standard deviation SIGMA, without its part below 0. */
double mean_above_zero(double mean, double sigma);

/* What a call costs in the mean of all routines, and what is known of the samples. */
struct strata_given {
	double entry;		/* of its entry hook, in its caller's contexts, ns */
	double edge;		/* of its own code that runs in its caller's contexts, ns; 0: none does */
	double exit;		/* of its hooks in its own contexts, ns */
	double unsure;		/* standard deviation of what one routine's hooks cost, of that cost */
	bool hides;		/* the processor does the routines' own work while it waits for their hooks */
	double sample;		/* ns of user mode that a sample of the program counter stands for, above 0 */
};

/* strata.c: put into SELF, of nroutines + 1, the last for the root, each routine's own time without hooks, ns.  False: out of memory. */
bool strata_settle(const struct overhead *o, const struct strata_given *given, double *self);

/* The context's routine; nroutines: the root, or another of none. */
static inline uint32_t group_of(const struct profile *p, uint32_t context)
{
	uint32_t routine = p->contexts[context].routine;

	return routine < p->nroutines ? routine : p->nroutines;
}

#endif
