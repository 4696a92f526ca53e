/* fold.h - call stacks folded into the contexts of one thread: what hooks would have made of the same calls.
 *
 * A stack is replayed from its outermost routine on by steps A1-A5 (J. M. Spivey, 2004; contract/history.h); the context it ends in is charged.
 * A way that was gone before is one probe a frame, and what a stack has in common with the one before it one look.
 *
 * Where the file keeps call sites, each of a transition has an item of its own, and a stack counts once for each arc that is open in it, for the last call along
 * it, of direct recursion, too, which leads to no other context:
 *
 *     main -> f (site 1) -> g (site 2) -> f (site 3) -> f (site 5) -> g (site 4)      f -> g: 4, self;  f -> f: 5;  g -> f: 3;  main -> f: 1 */
#ifndef SAMPLE_FOLD_H
#define SAMPLE_FOLD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/table.h"
#include "read/profile/histories.h"
#include "read/stacks/recording.h"

/* A frame of a stack, as the call that made it. */
struct fold_call {
	uint32_t routine;		/* that was called, as in the file: pseudo-routines too */
	uint64_t site;			/* where the call returns to; AMON_SITE_NONE: it is not known, or nobody called */
};

/* Where calls lead. */
struct fold_step {
	uint64_t site;			/* from where; where none are kept AMON_SITE_NONE */
	uint32_t from;			/* item of the thread */
	uint32_t routine;
	uint32_t to;			/* item of the context that they lead to */
	uint32_t item;			/* that counts for this site; RECORDING_NONE: none yet */
	uint64_t counter;		/* its samples (recording_site_counter); 0: not looked for yet, or no room */
};

/* The contexts of one thread of L. */
struct fold {
	struct recording *live;		/* not owned */
	uint32_t thread;		/* its index there */
	bool keeps_sites;		/* call sites are told apart; else samples are counted for direct recursion alone */
	struct fold_step *steps;	/* known ones */
	uint32_t nsteps;
	size_t room;
	struct table table;		/* steps by (from, routine, site) */
	struct histories histories;	/* of its contexts; a node's context is the item */
	struct fold_item {
		uint32_t node;		/* of histories */
		uint32_t length;	/* entries of it */
	} *items;			/* of each item */
	size_t items_room;
	uint32_t *path;			/* steps of the last stack, outermost first */
	size_t npath, path_room;
	struct fold_arc {
		uint32_t from, to;	/* routines */
		uint64_t stack;		/* the last that it was open in; 0: none, a free slot */
	} *arcs;			/* a hash table; what is not of the stack at hand may be overwritten */
	size_t narcs;			/* slots, a power of two */
	uint64_t stack;			/* number of what is counted now */
};

/* Begin with a new thread of L, of kernel id TID.  False: no room or memory. */
bool fold_init(struct fold *f, struct recording *l, uint32_t tid);
void fold_free(struct fold *f);

/* The item of the context that the N calls of a stack lead to, outermost first, from the thread's root.  What memory or the bound leave no
 * room for leads to "(elided)"; RECORDING_NONE: not even that. */
uint32_t fold_stack(struct fold *f, const struct fold_call *calls, size_t n);

/* Is that of the last stack "(elided)"? */
bool fold_is_elided(const struct fold *f);

/* TICKS samples found the last stack that was folded: count them for its call sites, or its direct recursion, if the file keeps such.  What finds no room is
 * noted. */
void fold_count_sites(struct fold *f, uint64_t ticks);

#endif
