/* table.h - the hash table: finds items of an array by what they are.
 *
 * It knows positions and hashes only; the owner holds the items and compares them, so that one table serves all of them.
 * Open addressing with linear probing, at most three quarters full. */
#ifndef BASE_TABLE_H
#define BASE_TABLE_H

#include <stdbool.h>
#include <stdint.h>

/* All zero: an empty table. The slots are freed by table_free. */
struct table {
	uint32_t *slots;	/* position + 1; 0: free */
	uint64_t mask;		/* slots - 1; a power of two less one */
	uint64_t used;		/* slots taken */
};

/* Hash of the item at POSITION of the array that OWNER holds. */
typedef uint64_t table_hash(const void *owner, uint32_t position);

/* See that N items fit without growth; HASH tells the hashes of those that are in.
 * False, with all as before, when memory is short. */
bool table_reserve(struct table *t, uint64_t n, table_hash *hash, const void *owner);

/* Put POSITION in, whose hash is KEY; table_reserve has made room. */
void table_add(struct table *t, uint64_t key, uint32_t position);

/* Make T hold just the positions 0..N-1, fewer than it has. Cannot fail. */
void table_cut(struct table *t, uint32_t n, table_hash *hash, const void *owner);

/* The same where the items at positions 0..N-1, all that there are, have become others. */
void table_renew(struct table *t, uint32_t n, table_hash *hash, const void *owner);

/* Free what T holds; it is empty then. */
void table_free(struct table *t);

/* Walk the candidates of a hash: start with *I = the hash; UINT32_MAX ends. */
static inline uint32_t table_next(const struct table *t, uint64_t *i)
{
	return t->slots ? t->slots[(*i)++ & t->mask] - 1 : UINT32_MAX;
}

/* Mix two words into a hash of which every bit depends on every bit of both. */
static inline uint64_t hash_mix(uint64_t a, uint64_t b)
{
	uint64_t h = (a ^ b * UINT64_C(0x9e3779b97f4a7c15)) * UINT64_C(0xff51afd7ed558ccd);

	h = (h ^ h >> 32) * UINT64_C(0xc4ceb9fe1a85ec53);
	return h ^ h >> 29;
}

#endif
