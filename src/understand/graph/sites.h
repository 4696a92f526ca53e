/* sites.h - the call sites of a graph's arcs. */
#ifndef SITES_H
#define SITES_H

#include "understand/graph/graph.h"

/* Calls along an arc, or of direct recursion, from one place in the code.  At address 0 of no module stand the samples of calls from places that are
 * not known. */
struct graph_site {
	uint32_t from;		/* caller, index in routines[]; GRAPH_NONE: <spontaneous> */
	uint32_t to;		/* callee; the caller: direct recursion */
	uint32_t module;	/* of the place: index in the profile's modules[]; PROFILE_NONE: unknown */
	uint64_t address;	/* where the calls return to, a link-time address in it; else a run-time one */
	uint64_t calls;		/* how many */
	uint64_t self;		/* samples of the arc that these calls were under way in: `to` itself ran, */
	uint64_t children;	/* or what it called */
};

struct graph_sites {
	struct graph_site *sites; /* by from, to, module, address; each once */
	size_t n;		/* how many */
};

/* The call sites of what G keeps: of each arc at most as many calls as it has; the rest is from sites that are not known; none, if no place
 * is known.  False with *ERR set: out of memory.  Freed with graph_sites_free. */
bool graph_sites_make(struct graph_sites *s, const struct graph *g, struct error *err);
void graph_sites_free(struct graph_sites *s);

/* Those of the arc FROM -> TO; *N of them, and in *CALLS their sum. */
const struct graph_site *graph_sites_of(const struct graph_sites *s, uint32_t from, uint32_t to, size_t *n, uint64_t *calls);

/* By routine of G, the samples of call stacks that found it called by itself, in a call of direct recursion; 0 where calls were counted, and where no
 * call sites were kept.  Malloc'ed; NULL: out of memory. */
uint64_t *graph_recursion(const struct graph *g);

#endif
