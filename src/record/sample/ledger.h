/* ledger.h - the allocations of a process that were sampled: what each stands for, which are live, and which were when most were.
 *
 * One of SIZE bytes is sampled by the chance p = 1 - exp(-SIZE / mean), so it stands for 1 / p allocations and SIZE / p bytes: then the mean over all that might have been drawn
 * is what there was (Horvitz and Thompson 1952).  What was lost on its way is the next one's. */
#ifndef SAMPLE_LEDGER_H
#define SAMPLE_LEDGER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "contract/allocations.h"
#include "read/stacks/recording.h"
#include "record/sample/source.h"

/* An allocation. */
struct ledger_sample {
	uint64_t number;		/* 0: a free slot */
	uint64_t size;			/* bytes of it */
	uint64_t bytes;			/* that it stands for */
	uint64_t born;			/* how many were sampled before */
	uint32_t thread, item;		/* of the file: its context */
};

/* All zeros: nothing was sampled. */
struct ledger {
	struct ledger_sample *live;	/* a hash table by number, at most three quarters full */
	size_t slots, nlive;		/* of it, a power of two */
	struct ledger_sample *kept;	/* freed since the peak, at which they were live */
	size_t nkept, kept_room;
	uint64_t born;			/* sampled so far */
	uint64_t bytes, most;		/* that those live stand for, and when that was most */
	bool at_peak;			/* what is live now was never more */
	uint64_t peak;			/* else: so many were sampled by then */
	uint32_t first;			/* of its values in the file */
};

/* Say that the file L, which has told of its first value, has those of allocations.  False: no room. */
bool ledger_begin(struct ledger *l, struct recording *file);

/* What H, HAPPENED_ALLOCATED, tells of was allocated in the context ITEM of THREAD of FILE. */
void ledger_allocated(struct ledger *l, struct recording *file, uint32_t thread, uint32_t item, const struct happening *h);

/* It is free; nothing happens where it was not told of. */
void ledger_freed(struct ledger *l, uint64_t number);

/* FILE is about to be closed: what is live, and was at the peak, goes there.  Empties L. */
void ledger_end(struct ledger *l, struct recording *file);

#endif
