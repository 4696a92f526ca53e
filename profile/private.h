/* private.h - what the files of profile/ share and no one else sees. */
#ifndef PROFILE_PRIVATE_H
#define PROFILE_PRIVATE_H

#include <stdbool.h>

#include "base/array.h"
#include "base/table.h"
#include "profile/histories.h"
#include "profile/profile.h"

/* Calls that entered a context otherwise than from its parent; kept so that a file
 * written from the profile says as exactly from where the calls came. */
struct profile_detour {
	uint32_t thread;	/* index in threads[] */
	uint32_t from;		/* context that called */
	uint32_t to;		/* context entered */
	uint64_t calls;		/* how often */
};

struct profile_private {
	size_t runs, modules, routines, threads;	/* for how many there is room */
	size_t contexts, nodes, shares, pcs, stacks, room;	/* likewise; nodes for node_of, room for detours */
	struct table module_table;	/* modules by build-id, else path */
	struct table routine_table;	/* routines by (module, address, flags, pseudo) */
	struct histories histories;	/* every history, and which context has it */
	size_t phases;			/* likewise */
	char *phase;			/* the only one that counts; NULL: all */
	uint32_t *node_of;		/* context -> its node in histories */
	struct profile_detour *detours;	/* in order of threads */
	size_t ndetours;		/* how many */
};

/* How much of everything a profile holds: to go back to when a file turns out bad. */
struct profile_mark {
	uint32_t runs, modules, routines, threads, contexts, nodes;
	size_t shares, pcs, stacks, detours;
};

struct profile_mark profile_mark(const struct profile *p);
void profile_rewind(struct profile *p, const struct profile_mark *mark);

/* The module like *M (its path of SIZE bytes, final NUL included, is copied), added if new. PROFILE_NONE: out of memory. */
uint32_t profile_module(struct profile *p, const struct profile_module *m, size_t size);

/* The routine equal to R, added if new. PROFILE_NONE: out of memory. */
uint32_t profile_routine(struct profile *p, const struct profile_routine *r);

/* The context that is entered when ROUTINE is called in CONTEXT, added if new. PROFILE_NONE: out of memory. */
uint32_t profile_step(struct profile *p, uint32_t context, uint32_t routine);

/* The context's routine; nroutines: the root, or another of none. */
static inline uint32_t profile_group(const struct profile *p, uint32_t context)
{
	uint32_t routine = p->contexts[context].routine;

	return routine < p->nroutines ? routine : p->nroutines;
}

/* hooks.c: the cost of hooks within the time of S as its run was calibrated, ns. */
int64_t hooks_calibrated(const struct profile *p, const struct profile_share *s);

/* hooks.c: the mean of a normal distribution of such a MEAN and standard deviation SIGMA, without its part below 0. */
double mean_above_zero(double mean, double sigma);

/* What a call costs in the mean of all routines, and what is known of the samples. */
struct strata_given {
	double entry;		/* of its entry hook, in its caller's contexts, ns */
	double edge;		/* of its own code that runs in its caller's contexts, ns; 0: none does */
	double exit;		/* of its hooks in its own contexts, ns */
	double unsure;		/* standard deviation of what one routine's hooks cost, of that cost */
	bool hides;		/* the processor does the routines' own work while it waits for their hooks */
	double tick;		/* ns that a sample of the clock stands for */
	double asked;		/* the same, if all had come that were asked for */
	bool whole;		/* no thread and no time lacks program counters */
	double sample;		/* ns of user mode that a sample of the program counter stands for, above 0 */
	double kernel;		/* part of the CPU time that was spent in the kernel, 0..1, where no program counter is sampled */
};

/* strata.c: put into SELF, of nroutines + 1, the last for the root, each routine's own time without hooks, ns.  SPOTS: where each of pcs[] is.
 * False: out of memory. */
bool strata_settle(const struct profile *p, const struct profile_spot *spots, const struct strata_given *given, double *self);

#endif
