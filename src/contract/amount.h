/* amount.h - amounts of a value, and how sure they are, added up: each sum stays at the largest number if it would wrap. */
#ifndef CONTRACT_AMOUNT_H
#define CONTRACT_AMOUNT_H

#include <stdbool.h>
#include <stdint.h>

#include "contract/amon.h"

/* The number of 128 bits at X. */
static inline unsigned __int128 squares_wide(const uint64_t x[2])
{
	return (unsigned __int128)x[1] << 64 | x[0];
}

/* Add X to the number at SUM. */
static inline void squares_add_wide(uint64_t sum[2], unsigned __int128 x)
{
	unsigned __int128 all = squares_wide(sum) + x;

	if (all < x)
		all = ~(unsigned __int128)0;
	sum[0] = (uint64_t)all;
	sum[1] = (uint64_t)(all >> 64);
}

static inline void squares_add(uint64_t sum[2], const uint64_t more[2])
{
	squares_add_wide(sum, squares_wide(more));
}

/* The squares of amounts that become N times less. */
static inline void squares_divide(uint64_t sum[2], uint32_t n)
{
	unsigned __int128 x = squares_wide(sum) / n / n;

	sum[0] = (uint64_t)x;
	sum[1] = (uint64_t)(x >> 64);
}

static inline bool amount_is_nothing(const struct amon_amount *a)
{
	return !a->amount && !a->samples && !a->squares[0] && !a->squares[1];
}

/* SAMPLES samples, alike, brought AMOUNT in all; 0 of them: it is exact, or their number is not known. */
static inline void amount_add(struct amon_amount *a, uint64_t amount, uint64_t samples)
{
	unsigned __int128 square = (unsigned __int128)amount * amount;

	a->amount = __builtin_add_overflow(a->amount, amount, &a->amount) ? UINT64_MAX : a->amount;
	if (samples == 0)
		return;
	a->samples = __builtin_add_overflow(a->samples, samples, &a->samples) ? UINT64_MAX : a->samples;
	squares_add_wide(a->squares, samples == 1 ? square : square / samples);
}

#endif
