/* busy_threads.h - of elapsed time, what the threads that work spend theirs on, and wait for.
 *
 * By clock `wall` all threads' times add up, and those that wait for work all the time have most of it.  A thread works if it
 * used a tenth at least of the CPU time of the one that used most. */
#ifndef BUSY_THREADS_H
#define BUSY_THREADS_H

#include "understand/graph/graph.h"

enum { BUSY_PLACES = 3 };

struct busy_place {
	uint32_t routine;	/* index in graph.routines */
	uint32_t caller;	/* who called it, where it had most of the time; GRAPH_NONE: nobody, or not known */
	double part;		/* of the threads' time, 0..1 */
};

struct busy {
	uint32_t threads;	/* that have any time */
	uint32_t busy;		/* of them, those that work */
	struct busy_place places[BUSY_PLACES]; /* heaviest first, each a twentieth at least */
	uint32_t nplaces;	/* how many */
};

/* Of G, whose times are elapsed time.  Nothing is found (busy 0) where all threads work, or none, or they are not told apart.  False: out of memory. */
bool busy_threads_find(struct busy *b, const struct graph *g);

#endif
