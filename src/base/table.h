/* table.h - the hash table: finds items of an array by what they are.
 *
 * It knows positions and hashes only; the owner holds the items and compares them, so that one table serves all of them.
 * Open addressing with linear probing, at most three quarters full.  Beside a position stands half of its item's hash: so the items that only happen to be
 * on the way, which are anywhere in memory, need not be looked at. */
#ifndef BASE_TABLE_H
#define BASE_TABLE_H

#include <stdbool.h>
#include <stdint.h>

struct table_slot {
	uint32_t item;		/* position + 1; 0: free */
	uint32_t tag;		/* of its hash, the upper half */
};

/* All zero: an empty table. The slots are freed by table_free. */
struct table {
	struct table_slot *slots; /* by the lower half of the hash */
	uint64_t mask;		/* slots - 1; a power of two less one */
	uint64_t used;		/* slots taken */
};

/* Hash of the item at POSITION of the array that OWNER holds. */
typedef uint64_t table_hash(const void *owner, uint32_t position);

/* See that N items fit without growth; HASH tells the hashes of those that are in.
 * False, with all as before, when memory is short, or there would be more than 2^31. */
bool table_reserve(struct table *t, uint64_t n, table_hash *hash, const void *owner);

/* Put POSITION in, whose hash is KEY; table_reserve has made room. */
void table_add(struct table *t, uint64_t key, uint32_t position);

/* Make T hold just the positions 0..N-1, fewer than it has. Cannot fail. */
void table_cut(struct table *t, uint32_t n, table_hash *hash, const void *owner);

/* The same where the items at positions 0..N-1, all that there are, have become others. */
void table_renew(struct table *t, uint32_t n, table_hash *hash, const void *owner);

/* Free what T holds; it is empty then. */
void table_free(struct table *t);

/* The slot behind that of *I. */
static inline uint64_t table_behind(uint64_t i)
{
	return (i >> 32) << 32 | (uint32_t)(i + 1);
}

/* Walk the candidates of a hash: start with *I = the hash; UINT32_MAX ends. */
static inline uint32_t table_next(const struct table *t, uint64_t *i)
{
	struct table_slot slot = { 0, 0 };

	do {
		if (t->slots)
			slot = t->slots[*i & t->mask];
		*i = table_behind(*i);
	} while (slot.item && slot.tag != *i >> 32);
	return slot.item - 1;
}

/* A walk from HASH comes soon: have its beginning at hand. */
static inline void table_expect(const struct table *t, uint64_t hash)
{
	if (t->slots)
		__builtin_prefetch(&t->slots[hash & t->mask]);
}

/* Mix two words into a hash of which every bit depends on every bit of both. */
static inline uint64_t hash_mix(uint64_t a, uint64_t b)
{
	uint64_t h = (a ^ b * UINT64_C(0x9e3779b97f4a7c15)) * UINT64_C(0xff51afd7ed558ccd);

	h = (h ^ h >> 32) * UINT64_C(0xc4ceb9fe1a85ec53);
	return h ^ h >> 29;
}

#endif
