/* array.h - growable arrays, and sums that stop at the largest number.
 *
 * Sizes come from files, so every multiplication is checked here, once. */
#ifndef BASE_ARRAY_H
#define BASE_ARRAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* See that *ARRAY (a pointer to the first item, NULL at first) has room for NEED items of SIZE bytes;
 * *ROOM is how many it has.  False, with all as before, when memory is short. */
bool array_reserve(void *array, size_t *room, size_t need, size_t size);

/* The same for one more item than the N that are in.  False also if they were more than 2^32 - 2. */
bool array_grow(void *array, size_t *room, uint32_t n, size_t size);

/* *SUM += X, staying at the largest number if it would wrap. */
static inline void add_capped(uint64_t *sum, uint64_t x)
{
	if (__builtin_add_overflow(*sum, x, sum))
		*sum = UINT64_MAX;
}

#endif
