/* heap_table.h - whose the program's memory is: an entry for each address that its allocator gave it.
 *
 * Eight bytes of each eight of the address space: those of an address have its entry.  A region of 4 MB has a block of the same length, made when
 * something in it is first allocated, of which a page is touched when something begins in the same page there; so there is as much of it as of the program's memory, also where what is mapped
 * is limited.  A large size stands in the next eight, which are of the same allocation.
 *
 * Who owns an address owns its entry: nothing is locked. */
#ifndef HEAP_TABLE_H
#define HEAP_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "inside/monitor.h"

enum { HEAP_REGION_BITS = 22, HEAP_LIST_BITS = 12, HEAP_LISTS = 1 << (47 - HEAP_REGION_BITS - HEAP_LIST_BITS) };

#define HEAP_LARGE UINT32_MAX		/* the size stands in the next word */

/* An entry; in the table the low half is the size, the high half who counts it. */
struct heap_entry {
	uint32_t place;			/* 0: nobody */
	uint64_t size;			/* bytes */
};

extern intptr_t *heap_lists[HEAP_LISTS] HIDDEN; /* of regions, what added to an address is that of its entry; 0: there is no block; NULL: no region of a list has one */

/* Make the block of REGION, unless another thread has.  False: the system refuses. */
bool heap_region_make(uintptr_t region) HIDDEN;

/* The entry of ADDRESS, 0: there is none; NULL: it has no place, unless MAKE finds one. */
static inline uint64_t *heap_entry_at(const void *address, bool make)
{
	uintptr_t at = (uintptr_t)address & -(uintptr_t)sizeof(uint64_t), region = at >> HEAP_REGION_BITS, list = region >> HEAP_LIST_BITS;
	const intptr_t *of_list;
	intptr_t distance;

	if (UNLIKELY(list >= HEAP_LISTS))
		return NULL;
	of_list = __atomic_load_n(&heap_lists[list], __ATOMIC_ACQUIRE);
	distance = LIKELY(of_list != NULL) ? __atomic_load_n(&of_list[region % (1 << HEAP_LIST_BITS)], __ATOMIC_ACQUIRE) : 0;
	if (UNLIKELY(!distance))
		return make && heap_region_make(region) ? heap_entry_at(address, false) : NULL;
	return (uint64_t *)(at + (uintptr_t)distance);
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
