/* ledger.h - the allocations of a process that were sampled: what each stands for, which are live, and which were when most were.
 *
 * One of SIZE bytes is sampled by the chance p = 1 - exp(-SIZE / mean), so it stands for 1 / p allocations and SIZE / p bytes: then the mean over
 * all that might have been drawn is what there was (Horvitz and Thompson 1952).  What was lost on its way is the next one's.
 *
 * The largest of many uncertain sums is too large in the mean: it is where chance has added most.  So when most was live is told by others than
 * those that tell what was live then.  The bytes that were drawn are dealt to two halves, each by the chance 1/2, so that each half is a sample by
 * itself, of twice the mean; a large allocation is in both as a rule.  Each half is asked what was live when by the other one most was, and the peak
 * is the mean of both. */
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
	uint32_t halves;		/* that it is in: bits */
	uint64_t half_bytes;		/* of the peak, that it stands for in each of them */
};

/* When most was live by one half. */
struct ledger_peak {
	uint64_t bytes, most;		/* that those live stand for, and when that was most */
	uint64_t born;			/* so many were sampled by then */
	struct ledger_sample *kept;	/* of the other half, freed since, live then */
	size_t nkept, room;
};

/* All zeros: nothing was sampled. */
struct ledger {
	struct ledger_sample *live;	/* a hash table by number, at most three quarters full */
	size_t slots, nlive;		/* of it, a power of two */
	uint64_t born;			/* sampled so far */
	struct ledger_peak peaks[2];	/* by each half */
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
