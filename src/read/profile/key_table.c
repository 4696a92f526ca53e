/* key_table.c - records by key. */
#include "read/profile/key_table.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

static uint64_t key_table_key_hash(const struct key_table *k, const char *item)
{
	uint64_t hash = 0;
	uint32_t word;

	for (size_t i = 0; i < k->key; i += sizeof word) {
		memcpy(&word, item + i, sizeof word);
		hash = hash_mix(hash, word);
	}
	return hash;
}

static uint64_t item_hash(const void *owner, uint32_t i)
{
	const struct key_table *k = owner;

	return key_table_key_hash(k, k->items + i * k->size);
}

void *key_table_at(struct key_table *k, const void *item, bool *is_new)
{
	uint64_t hash = key_table_key_hash(k, item);
	uint32_t found;

	*is_new = false;
	for (uint64_t i = hash; (found = table_next(&k->table, &i)) != UINT32_MAX;)
		if (memcmp(k->items + found * k->size, item, k->key) == 0)
			return k->items + found * k->size;
	if (k->n >= UINT32_MAX - 1 || !array_reserve(&k->items, &k->room, k->n + 1, k->size) ||
	    !table_reserve(&k->table, k->n + 1, item_hash, k))
		return NULL;
	*is_new = true;
	table_add(&k->table, hash, (uint32_t)k->n);
	return memcpy(k->items + k->n++ * k->size, item, k->size);
}

void key_table_free(struct key_table *k)
{
	free(k->items);
	table_free(&k->table);
	k->items = NULL;
	k->n = k->room = 0;
}
