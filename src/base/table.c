/* table.c - growth of hash tables. */
#include "base/table.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define MOST (UINT64_C(1) << 31)	/* items; so half of a hash tells a slot */

void table_add(struct table *t, uint64_t key, uint32_t position)
{
	assert(t->slots && t->used < (t->mask + 1) / 4 * 3);	/* else a walk might never end */
	while (t->slots[key & t->mask].item)
		key = table_behind(key);
	t->slots[key & t->mask] = (struct table_slot){ .item = position + 1, .tag = (uint32_t)(key >> 32) };
	t->used++;
}

bool table_reserve(struct table *t, uint64_t n, table_hash *hash, const void *owner)
{
	struct table old = *t;
	uint64_t size = old.slots ? old.mask + 1 : 64;

	if (old.slots && n <= size / 4 * 3)
		return true;
	if (n > MOST)
		return false;
	while (n > size / 4 * 3)
		size *= 2;
	t->slots = calloc(size, sizeof *t->slots);
	if (!t->slots) {
		*t = old;
		return false;
	}
	t->mask = size - 1;
	t->used = 0;
	for (uint64_t i = 0; old.slots && i <= old.mask; i++)
		if (old.slots[i].item)
			table_add(t, hash(owner, old.slots[i].item - 1), old.slots[i].item - 1);
	assert(t->used == old.used && (size & t->mask) == 0);
	free(old.slots);
	return true;
}

void table_cut(struct table *t, uint32_t n, table_hash *hash, const void *owner)
{
	assert(n <= t->used);
	if (t->used != n)
		table_renew(t, n, hash, owner);
}

void table_renew(struct table *t, uint32_t n, table_hash *hash, const void *owner)
{
	assert(n <= t->used);
	if (!t->slots)
		return;
	memset(t->slots, 0, (t->mask + 1) * sizeof *t->slots);
	t->used = 0;
	for (uint32_t i = 0; i < n; i++)
		table_add(t, hash(owner, i), i);
}

void table_free(struct table *t)
{
	free(t->slots);
	*t = (struct table){ 0 };
}
