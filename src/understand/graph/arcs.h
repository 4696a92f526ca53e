/* arcs.h - the arcs of a graph while it grows: a hash table from (caller, callee). */
#ifndef ARCS_H
#define ARCS_H

#include "understand/graph/graph.h"
#include "base/pair_table.h"

struct arcs {
	struct graph_arc *arcs;	/* in the order in which they were met */
	uint32_t n;		/* how many */
	size_t room;		/* how many fit */
	struct pair_table table; /* (caller, callee) -> index + 1 */
	uint32_t *of;		/* by context: index + 1 of the arc from its caller, whose calls are counted; 0: they are not; NULL: nor are any */
};

/* The arc FROM -> TO, made with zeros when new; valid until the next call.  NULL: out of memory. */
struct graph_arc *arcs_at(struct arcs *a, uint32_t from, uint32_t to);

/* Find the arc FROM -> TO for of[CONTEXT], made with zeros when new.  False: out of memory. */
bool arcs_find(struct arcs *a, uint32_t context, uint32_t from, uint32_t to);

/* Move the arcs to G, sorted, with in_arcs and the routines' ranges; A is empty afterwards.
 * False with *ERR set when memory is short. */
bool arcs_settle(struct arcs *a, struct graph *g, struct error *err);

/* Free what A holds. */
void arcs_free(struct arcs *a);

#endif
