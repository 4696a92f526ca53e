/* fold.h - call stacks folded into the contexts of one thread: what hooks would have made of the same calls.
 *
 * A stack is replayed from its outermost routine on by steps A1-A5 (J. M. Spivey, 2004; format/history.h); the context it ends in is charged.
 * A way that was gone before is one probe a frame. */
#ifndef SAMPLE_FOLD_H
#define SAMPLE_FOLD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/table.h"
#include "profile/histories.h"
#include "sample/recording.h"

/* Where calls lead. */
struct fold_step {
	uint32_t from;			/* item of the thread; RECORDING_NONE: a stack that begins elsewhere than at the thread's start */
	uint32_t routine;		/* as in the file: pseudo-routines too */
	uint32_t to;			/* item */
};

/* The contexts of one thread of L. */
struct fold {
	struct recording *live;		/* not owned */
	uint32_t thread;		/* its index there */
	struct fold_step *steps;	/* known ones */
	uint32_t nsteps;
	size_t room;
	struct table table;		/* steps by (from, routine) */
	struct histories histories;	/* of its contexts; a node's context is the item */
	struct fold_item {
		uint32_t node;		/* of histories */
		uint32_t length;	/* entries of it */
	} *items;			/* of each item */
	size_t items_room;
	uint32_t elided;		/* item of what the bound left no room for; RECORDING_NONE: none yet */
};

/* Begin with a new thread of L, of kernel id TID.  False: no room or memory. */
bool fold_init(struct fold *f, struct recording *l, uint32_t tid);
void fold_free(struct fold *f);

/* The item of the context that the N routines of a stack lead to, outermost first, from the thread's root.  What memory or the bound leave no
 * room for leads to "(elided)"; RECORDING_NONE: not even that. */
uint32_t fold_stack(struct fold *f, const uint32_t *routines, size_t n);

#endif
