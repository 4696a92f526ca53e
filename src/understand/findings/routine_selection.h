/* routine_selection.h - the routines that the words of a user mean: a name, or a source file. */
#ifndef ROUTINE_SELECTION_H
#define ROUTINE_SELECTION_H

#include "understand/graph/graph.h"

/* Routines that were asked for. */
struct routine_selection {
	uint32_t *routines;	/* indices in graph.routines, by file and line */
	size_t n;		/* how many */
};

/* Find the routines of G that TEXT means by the rules of graph_match.  False with *ERR set: there is none, it is not clear which, or out of
 * memory.  T->routines are to be freed, also then. */
bool routine_selection_find(struct routine_selection *t, const struct graph *g, const char *text, struct error *err);

#endif
