/* made.h - profiles made by calls, without a file: a program is played step by step on the machine of
 * contexts, and what the reader would have made of its file comes out.
 *
 * Routines are named at the start.  "P.part.0" and "P.cold" are pieces of P, "P.constprop.0" and other suffixes
 * clones of it, as read/symbols/ has them; a name in parentheses is a pseudo-routine. */
#ifndef MADE_H
#define MADE_H

#include "understand/graph/graph.h"

struct made {
	struct profile p;		/* contexts, routines, threads, shares */
	struct overhead o;		/* of its contexts, as made_spend says */
	struct graph_name *names;	/* of its routines */
	history_entry **histories;	/* by context: its history, with the profile's routines */
	uint32_t room;			/* contexts that fit */
	uint32_t *slots;		/* hash table of contexts + 1 */
	uint64_t nslots;		/* a power of two */
};

/* A profile of the N routines called NAMES, its root alone. */
struct made *made_new(const char *const *names, uint32_t n);
void made_free(struct made *m);

/* Index of the routine called NAME. */
uint32_t made_routine(const struct made *m, const char *name);

/* ROUTINE is called COUNT times in CONTEXT: returns the context it runs in. */
uint32_t made_call(struct made *m, uint32_t context, uint32_t routine, uint64_t count);

/* Spend NSEC, of which HOOKS ns are the hooks', in CONTEXT; one sample. */
void made_spend(struct made *m, uint32_t context, uint64_t nsec, uint64_t hooks);

/* Play the calls of STACK, names separated by blanks, one within the other, and spend NSEC in the last.
 * Returns its context. */
uint32_t made_play(struct made *m, const char *stack, uint64_t nsec);

/* The same without counting the calls. */
uint32_t made_spend_in(struct made *m, const char *stack, uint64_t nsec);

/* The graph of M, which must succeed. */
struct graph *made_graph(const struct made *m, const struct graph_options *options);

/* Index in G of the routine, or of the arc between two, by name; NULL as FROM: <spontaneous>. The arc must exist. */
uint32_t named(const struct graph *g, const char *name);
const struct graph_arc *arc_between(const struct graph *g, const char *from, const char *to);

/* The history of context C of G in words, as in `Main P' Q R P`; in a static buffer. */
const char *history_words(const struct graph *g, uint32_t c);

/* A pseudo-random number below N from *STATE. */
uint32_t random_below(uint64_t *state, uint32_t n);

#endif
