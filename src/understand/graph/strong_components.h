/* strong_components.h - the strongly connected components of a call graph (Tarjan 1972): which routines call each other in a circle.
 *
 * A component is closed after all those that it calls: the order of closing is a topological numbering, in which arcs between components
 * descend. */
#ifndef STRONG_COMPONENTS_H
#define STRONG_COMPONENTS_H

#include "understand/graph/arcs.h"

/* The arcs at one end of each routine: of r, at[first[r] .. first[r + 1]) are indices in struct arcs. */
struct ends {
	uint32_t *first;	/* by routine, and one more */
	uint32_t *at;		/* arcs */
};

/* All of them.  By routine, unless said otherwise. */
struct components {
	struct graph *g;	/* whose routines are numbered */
	struct arcs *arcs;	/* its arcs */
	struct ends out;	/* arcs by caller */
	struct ends in;		/* arcs by callee */
	uint32_t *order;	/* order of discovery, from 1; 0: not discovered yet */
	uint32_t *low;		/* the earliest open routine that is known to be reached from it */
	uint32_t *next;		/* position in out.at of the arc to follow next */
	uint32_t *path;		/* routines under visit, each called by the one before */
	uint32_t depth;		/* how many */
	uint32_t *open;		/* discovered routines whose component is not closed, in order of discovery */
	uint32_t nopen;		/* how many */
	uint32_t *closed;	/* routines in order of closing: component after component */
	uint32_t nclosed;	/* how many */
	uint32_t *start;	/* by component, from 0: its first routine in closed[]; and one more */
	uint32_t ncomponents;	/* how many */
	uint32_t discovered;	/* routines with an order */
};

/* Find those of G with the arcs A, all zero before; fills the routines' topological.  False: out of memory.  Freed with components_free in any case. */
bool components_find(struct components *t, struct graph *g, struct arcs *a);
void components_free(struct components *t);

/* Whether both ends of ARC are in one. */
bool components_are_same(const struct graph *g, const struct graph_arc *arc);

/* Number those with several members, in the order of their first routines: lumps without sums, and the routines' cycle.  False: out of memory. */
bool components_lump(struct components *t);

/* The sums of the lumps, of what their members and arcs have. */
void components_sum(struct components *t);

#endif
