/* slice.h - the intervals of a run, and what was charged in them.
 *
 * An interval of level l is SLICE_INTERVAL << l ns long; they are numbered from the start of the file (amon_header.start_monotonic) on.  When a run has
 * had SLICE_INTERVALS of a level it goes on by those of the next, in tables of their own, so that what is written is never changed, and grows with the
 * logarithm of the time.  Readers join neighbours of the finer levels. */
#ifndef SLICE_H
#define SLICE_H

#include <stdbool.h>
#include <stdint.h>

#include "contract/amon.h"

enum {
	SLICE_INTERVAL = 4000000,	/* ns, of level 0 */
	SLICE_INTERVALS = 1000,		/* of each level */
	SLICE_LEVELS = 32,		/* half a million years */
	SLICE_FIRST = 128,		/* slots of a thread's first table: a page */
};

static inline uint64_t slice_length(uint32_t level) { return (uint64_t)SLICE_INTERVAL << level; } /* of an interval, ns */

/* The level to go on by when a run has lasted ELAPSED ns, and has come to LEVEL so far. */
uint32_t slice_level(uint64_t elapsed, uint32_t level);

/* How many slots the table of level NEXT is to have, behind one of so many SLOTS of LEVEL; 0: there was none. */
uint32_t slice_room(uint32_t slots, uint32_t level, uint32_t next);

/* Charge TIME and TICKS samples to CONTEXT, in PHASE, in interval NUMBER of the level of the table C, whose slots are SLOTS, a power of 2, as it was made.  One
 * writer.  False: it is full, to three quarters. */
bool slice_charge(struct amon_chunk *c, uint32_t slots, uint64_t number, uint32_t context, uint32_t phase, uint64_t time, uint32_t ticks);

#endif
