/* order.h - the routines of a graph in the order in which reports list them. */
#ifndef ORDER_H
#define ORDER_H

#include "understand/findings/report_input.h"

/* Routines that have anything to show, or with ZEROS all but pseudo-routines, by SORT, then by calls and name, so that the order is the same everywhere.
 * Entry graph.nroutines + I stands for graph.lumps[I], which comes before routines of equal time. */
struct order {
	uint32_t *routines;	/* indices in graph.routines, or lumps, first to last */
	uint32_t n;		/* how many */
	uint32_t *number;	/* routine or lump -> its place from 1; 0: not listed */
};

/* With LUMPS the cycles of the gprof model are entries, too.  False with *ERR set: out of memory.  Freed with order_free. */
bool order_make(struct order *o, const struct graph *g, enum report_sort sort, bool lumps, bool zeros, struct error *err);
/* The entries of the call graph, by total time if OPTIONS do not say else.  With -c and -z those of routines that were never called are among them. */
bool order_entries(struct order *o, const struct graph *g, const struct report_options *options, struct error *err);
void order_free(struct order *o);

#endif
