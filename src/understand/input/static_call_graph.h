/* static_call_graph.h - the calls that stand in the code of what was profiled, for the graph: option -c. */
#ifndef STATIC_CALL_GRAPH_H
#define STATIC_CALL_GRAPH_H

#include "read/symbols/symbols.h"
#include "understand/graph/graph.h"

struct static_arcs {
	struct graph_static_arc *arcs;	/* those of all modules with hooks, between routines with hooks */
	size_t n;			/* how many */
	struct graph_name *routines;	/* those with hooks, called or not, as far as they are known; NULL: not asked for */
	size_t nroutines;		/* how many */
	bool all;			/* the code of every such module could be read */
};

/* Read the code of P's modules, for all ROUTINES with hooks, too, or only for the arcs.  False with *ERR set: out of memory.  Freed with static_arcs_free; S must outlive it. */
bool static_arcs_make(struct static_arcs *a, const struct profile *p, struct symbols *s, bool routines, struct error *err);
void static_arcs_free(struct static_arcs *a);

#endif
