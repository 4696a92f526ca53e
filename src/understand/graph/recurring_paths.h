/* recurring_paths.h - call sequences that recur: A -> B -> C, in many places of the tree of contexts.
 *
 * A sequence is two arcs or more.  It occurs in a history where its entries follow each other and each entry between
 * its ends is marked: the latest activation of its routine, which only one entry of a history is.  So a sequence occurs in a history
 * once at most, the time of a context counts once under it however often recursion came by, and a sequence of two
 * arcs is an item A[B]C of the history model:
 *
 *     each arc B -> C:  self1 + child1 = the times of all A -> B -> C, and of the histories that begin with B -> C
 *
 * Which sequences are listed:
 *   - they recur: two contexts or more end with them, and two or more have time under them;
 *   - they are maximal: no sequence one call longer, at either end, has nine tenths of their time;
 *   - they are not redundant: of two of which one is part of the other, only the one that ranks higher.
 *
 * The rank is time * log2(number of contexts)^2: about time * number while they are few.  The contexts are weighed by the time under
 * each, so that if one has nearly all of it they count as one, and a sequence in one place as nothing: a tree shows that.
 * In a run without time calls stand for it. */
#ifndef RECURRING_PATHS_H
#define RECURRING_PATHS_H

#include "understand/graph/graph.h"

struct graph_path {
	size_t first;		/* its routines are paths.routines[first .. first + length), the caller first */
	uint32_t length;	/* routines, 3 at least */
	uint32_t contexts;	/* contexts that end with it */
	uint64_t calls;		/* entries of these: how often its last call was made within it */
	uint64_t time;		/* of all contexts in whose history it occurs, ns */
	uint64_t ticks;		/* samples behind time */
	struct overhead_evidence evidence; /* what these say of time */
	double effective;	/* contexts weighed by the time under them: time^2 / sum of squares; in a run without time, by calls */
};

struct paths_options {
	size_t most;		/* list so many; 0: all */
	uint64_t min_time;	/* leave out those with less time, ns */
};

struct paths {
	struct graph_path *paths; /* highest rank first */
	size_t n;		/* how many */
	uint32_t *routines;	/* indices in graph.routines, of all paths one after the other */
	struct paths_options options; /* by which they were found */
};

/* The sequences that recur in G.  NULL with *ERR set: out of memory.  Freed with paths_free.
 * O(n) in the n contexts and spelled entries, O(m (log m + l)) in those m of them that have the time, of histories of length l. */
struct paths *paths_find(const struct graph *g, const struct paths_options *options, struct error *err);

/* Whether the first of P are what paths_find finds in the same graph by OPTIONS. */
bool paths_answer(const struct paths *p, const struct paths_options *options);

/* Free P; NULL is allowed. */
void paths_free(struct paths *p);

#endif
