/* model_difference.h - how wrong gprof's assumption is for a program: its model beside what was measured, arc by arc.
 *
 * The truth is the history model's outgoing view, that of the caller who pays: the time that passed while its latest activation
 * waited for this callee.  It adds up over a caller's arcs to the time in its callees, and over all arcs to the inclusive time
 * that there is to charge:
 *
 *     inclusive = sum over arcs of truth = sum over routines of total - self          (of the graph by histories)
 *     wrong     = sum over arcs of truth - gprof, where that is above 0
 *
 * wrong is the time that passed on behalf of a caller and that gprof's model does not charge to that caller, but to another one, or,
 * on arcs within a cycle, to nobody.  wrong / inclusive is from 0 to 1, and, where no routines are in cycles, 0 just when each
 * arc of gprof's has its time.  <spontaneous> pays nothing: its arcs are left out.
 *
 * (In the incoming view a recursive callee's time goes to the caller of its latest activation: the caller outside the cycle,
 * who waits for all of it and whom gprof charges for all of it, has little of it there.) */
#ifndef GRAPH_MODEL_DIFFERENCE_H
#define GRAPH_MODEL_DIFFERENCE_H

#include "understand/graph/graph.h"

struct compare_arc {
	uint32_t from;		/* caller, index in routines[] of both graphs */
	uint32_t to;		/* callee */
	uint64_t calls;		/* along it: what the model shares by */
	uint64_t callee_calls;	/* the same of all arcs to the callee, <spontaneous> ones too */
	uint64_t gprof;		/* time by gprof's model, the callee's and below, ns; of a callee in a cycle its caller's part of all of that */
	uint64_t truth;		/* time that was measured, ns */
	bool within;		/* both ends are in one cycle: gprof's model charges nobody */
};

struct compare {
	struct compare_arc *arcs; /* of either graph, with a caller, and calls or time; the largest error first */
	uint32_t narcs;		/* how many */
	uint64_t inclusive;	/* sum of truth, ns */
	uint64_t wrong;		/* sum of what truth has more than gprof, ns */
	uint64_t within;	/* part of wrong on arcs within cycles, ns */
};

/* What the two models differ by on the arc, ns. */
static inline uint64_t compare_error(const struct compare_arc *a)
{
	return a->gprof > a->truth ? a->gprof - a->truth : a->truth - a->gprof;
}

/* Compare the graph TRUTH by the history model with the graph GPROF by gprof's, both of one profile, names and options but
 * for the model and the static arcs.  Freed with compare_free.  NULL with *ERR set: out of memory. */
struct compare *compare_models(const struct graph *truth, const struct graph *gprof, struct error *err);

/* Free C; NULL is allowed. */
void compare_free(struct compare *c);

#endif
