/* heap_table.h - whose the program's memory is: an entry for each address that its allocator gave it.
 *
 * Eight bytes of each eight of the address space: those of an address have its entry.  A region of 64 MB has a block of the same length, made when
 * something in it is first allocated, of which a page is touched when something begins in the same page there.  A large size stands in the next eight, which
 * are of the same allocation.
 *
 * Who owns an address owns its entry: nothing is locked. */
#ifndef HEAP_TABLE_H
#define HEAP_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "inside/monitor.h"

enum { HEAP_REGION_BITS = 26, HEAP_REGIONS = 1 << (47 - HEAP_REGION_BITS) };

#define HEAP_LARGE UINT32_MAX		/* the size stands in the next word */

/* An entry; in the table the low half is the size, the high half who counts it. */
struct heap_entry {
	uint32_t place;			/* 0: nobody */
	uint64_t size;			/* bytes */
};

extern intptr_t heap_regions[HEAP_REGIONS] HIDDEN; /* what added to an address is that of its entry; 0: there is no block */

/* Make the block of REGION, unless another thread has.  False: the system refuses. */
bool heap_region_make(uintptr_t region) HIDDEN;

/* The entry of ADDRESS, 0: there is none; NULL: it has no place, unless MAKE finds one. */
static inline uint64_t *heap_entry_at(const void *address, bool make)
{
	uintptr_t at = (uintptr_t)address & -(uintptr_t)sizeof(uint64_t), region = at >> HEAP_REGION_BITS;

	if (UNLIKELY(region >= HEAP_REGIONS))
		return NULL;
	if (UNLIKELY(!__atomic_load_n(&heap_regions[region], __ATOMIC_ACQUIRE)) && !(make && heap_region_make(region)))
		return NULL;
	return (uint64_t *)(at + (uintptr_t)heap_regions[region]);
}

/* False: there is no room. */
static inline bool heap_entry_put(const void *address, struct heap_entry e)
{
	uint64_t *word = heap_entry_at(address, true);

	if (!word)
		return false;
	if (UNLIKELY(e.size >= HEAP_LARGE))
		word[1] = e.size;
	*word = (uint64_t)e.place << 32 | (e.size < HEAP_LARGE ? e.size : HEAP_LARGE);
	return true;
}

/* The entry of ADDRESS, which has none then. */
static inline struct heap_entry heap_entry_take(const void *address)
{
	uint64_t *word = heap_entry_at(address, false);
	struct heap_entry e = { 0, 0 };

	if (UNLIKELY(!word || !*word))
		return e;
	e = (struct heap_entry){ (uint32_t)(*word >> 32), (uint32_t)*word };
	if (UNLIKELY(e.size == HEAP_LARGE))
		e.size = word[1];
	*word = 0;
	return e;
}

#endif
