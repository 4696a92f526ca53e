/* order.h - the routines of a graph in the order in which reports list them. */
#ifndef ORDER_H
#define ORDER_H

#include "report.h"

/* Routines that have anything to show, by SORT, then by calls and name, so that the order is the same everywhere. */
struct order {
	uint32_t *routines;	/* indices in graph.routines, first to last */
	uint32_t n;		/* how many */
	uint32_t *number;	/* routine -> its place from 1; 0: not listed */
};

/* False with *ERR set: out of memory.  Freed with order_free. */
bool order_make(struct order *o, const struct graph *g, enum report_sort sort, struct error *err);
void order_free(struct order *o);

#endif
