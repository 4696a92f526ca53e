/* chosen.h - the routines that the words of a user mean: a name, or a source file. */
#ifndef CHOSEN_H
#define CHOSEN_H

#include "graph/graph.h"

/* Routines that were asked for. */
struct chosen {
	uint32_t *routines;	/* indices in graph.routines, by file and line */
	size_t n;		/* how many */
};

/* Find the routines of G that are called TEXT, with or without what stands in brackets, or else those whose qualified names end
 * so, or else those whose source file has such a path or end of one.  False with *ERR set: there is none, or out of memory.  T->routines are to be freed, also then. */
bool chosen_find(struct chosen *t, const struct graph *g, const char *text, struct error *err);

#endif
