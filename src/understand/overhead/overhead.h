/* overhead.h - what each sample means, what the hooks cost, and what of the time was the kernel's: each asked once, here.
 *
 * From a profile and its symbols: where each program counter was, seen from the routine that ran; by that what the hooks cost, by
 * context (hook_cost.c, strata.c, draw.c); and how much of each routine's time passed in the kernel, where no program counter is taken (kernel.c).
 * Everybody else reads the result.  No I/O but what read/symbols/ does. */
#ifndef OVERHEAD_H
#define OVERHEAD_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "read/profile/profile.h"
#include "read/symbols/symbols.h"

/* Where a program counter was, seen from the routine that ran in its context. */
enum overhead_place {
	OVERHEAD_OWN,			/* in the own code of that routine, its clones and pieces */
	OVERHEAD_PLAIN,			/* in code without hooks */
	OVERHEAD_EDGE,			/* in the own code of another routine that was called, before the end of its entry hook or behind its exit hook;
					 * or in a function without name of a module with hooks */
	OVERHEAD_OWN_HOOK,		/* among the hooks that way inline put into that routine */
	OVERHEAD_HOOK_OF_CALLEE,	/* in the hooks of one that it calls, in a hook that is a function, or elsewhere in the monitor */
	OVERHEAD_NOWHERE,		/* in no module: generated code, or unloaded */
	OVERHEAD_PLACES
};

/* The same, and whose code it is. */
struct overhead_spot {
	enum overhead_place place;
	uint32_t routine;		/* index in the profile's routines[] of the routine called in whose code it is; PROFILE_NONE: in none, or
					 * in a hook that is a function */
};

/* What the hooks cost, over all runs. */
struct overhead_cost {
	uint64_t picoseconds;		/* mean of an entry with its exit, 1e-12 s; 0: not known */
	uint64_t total;			/* of all of them, ns */
	uint64_t samples;		/* of program counters in hooks from which it is known; 0: from calibration alone */
	bool divided;			/* times are divided as samples of program counters are (strata.c); else a cost is subtracted from each */
};

/* What samples alone say of a time, and how sure that is.  Those of several contexts add up. */
struct overhead_evidence {
	double measured;	/* the time, ns */
	double variance;	/* of it, ns^2 */
};

struct overhead {
	const struct profile *profile;	/* of which all this is; not owned */
	struct overhead_spot *spots;	/* where each of its pcs[] is; NULL: it has none */
	int64_t *hooks;			/* by context: estimated cost of hooks within its time, ns; may exceed that; negative: time of its own that was
					 * charged to its callers, or that no sample met, but calls ask for (draw.c) */
	struct overhead_evidence *evidence; /* by context: of its time without hooks; NULL: its times are no samples */
	double *kernel;			/* by routine, and [nroutines] of the root: what of its contexts' time passed in the kernel, ns; an estimate */
	bool kernel_known;		/* whether that can be nothing else: no program counter is lacking for another reason */
	struct overhead_cost cost;	/* of all hooks */
};

/* All of that for P and its SYMBOLS, both of which must outlive it.  NULL with *ERR set: out of memory.  Freed with overhead_free. */
struct overhead *overhead_make(const struct profile *p, struct symbols *symbols, struct error *err);
void overhead_free(struct overhead *o);

/* Both O and P, of which it is, are to be of the range R of the runs alone (profile_take_range).  False: out of memory, and neither is of use any more. */
bool overhead_take_range(struct overhead *o, struct profile *p, const struct profile_range *r);

/* Both O and P, of which it is, and which is the sum of N runs, are to be the means of these (profile_take_mean).  Likewise. */
bool overhead_take_mean(struct overhead *o, struct profile *p, uint32_t n);

/* The time of CONTEXT less the hooks' cost, never below 0, ns. */
uint64_t overhead_charged(const struct overhead *o, uint32_t context);

/* What samples say of the time of CONTEXT, with the hooks' cost left in (RAW) or without; of times that are no samples nothing. */
struct overhead_evidence overhead_evidence(const struct overhead *o, uint32_t context, bool raw);

/* Add to COUNTS, by context, the program counters that were found there outside of hooks; those at the edges of a routine are of the context that it is
 * called in.  False: out of memory. */
bool overhead_count_pcs(const struct overhead *o, uint64_t *counts);

/* The part of P's time, 0..1, of which it is not known where it was spent: it is unplaced, no source tells, or they differ. */
double overhead_unsure(const struct profile *p);

/* Between what bounds a share is, 0..1, that is from LO to HI of what is known, where the part UNSURE is not: a routine may have had all of that or nothing
 * (the worst-case bounds of Manski, Anatomy of the selection problem, 1989). */
void overhead_widen(double unsure, double *lo, double *hi);

/* The part of SHARE in the hooks' cost of its context, ns: that which its time is of the context's; of one without time, its entries. */
int64_t overhead_of_share(const struct overhead *o, const struct profile_share *share);

static inline void overhead_evidence_add(struct overhead_evidence *to, const struct overhead_evidence *more)
{
	to->measured += more->measured;
	to->variance += more->variance;
}

/* Whether PLACE is aprof's own code. */
static inline bool overhead_is_hook(enum overhead_place place)
{
	return place == OVERHEAD_OWN_HOOK || place == OVERHEAD_HOOK_OF_CALLEE;
}

#endif
