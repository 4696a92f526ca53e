/* tail_calls.h - who called a routine that somebody else is said to have called: code that ends with a jump to it, and was gone when it ran.
 *
 *     source      main -> dispatch -> burn
 *     code        main calls dispatch, which jumps to burn
 *     profile     main -> burn */
#ifndef TAIL_CALLS_H
#define TAIL_CALLS_H

#include "understand/findings/report_input.h"

/* The routine that CALLER of IN's graph calls and whose code ends with a jump to the function called NAME, or LINKED, NULL: the same, while the code of CALLER has no
 * call of that.  GRAPH_NONE: there is none, there are several, or code cannot be read.  Of a routine that calls very many not all are looked at. */
uint32_t tail_calls_through(const struct report_input *in, uint32_t caller, const char *name, const char *linked);

/* The same of the arcs of a graph, looked for as they are asked about. */
struct tail_calls {
	const struct report_input *in;
	uint32_t *through;		/* by arc: 2 + what tail_calls_through found; 0: nobody asked */
};

#define TAIL_CALLS_PART 0.01		/* of the run's time: arcs with less are not looked at, since all the code of both ends is read for it */

/* False with *ERR set: out of memory.  Freed with tail_calls_free; IN must outlive it. */
bool tail_calls_make(struct tail_calls *t, const struct report_input *in, struct error *err);
void tail_calls_free(struct tail_calls *t);

/* Who called in the source what ARC, an index in the graph's arcs[], leads to: a routine; GRAPH_NONE: the arc's caller itself, or it is not known. */
uint32_t tail_calls_of(struct tail_calls *t, uint32_t arc);

/* The number of the arc between two routines of G, FROM GRAPH_NONE: from nobody; GRAPH_NONE: there is none. */
uint32_t tail_calls_arc(const struct graph *g, uint32_t from, uint32_t to);

#endif
