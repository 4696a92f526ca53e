/* pair_table.c - the pairs, and the table that finds them. */
#include "base/pair_table.h"

#include <assert.h>
#include <stdlib.h>

#include "base/array.h"

struct pair {
	uint32_t a, b;		/* the pair */
	uint32_t number;	/* its number; 0: not yet told */
};

static uint64_t pair_table_hash_of(const void *owner, uint32_t position)
{
	const struct pair_table *t = owner;

	return hash_mix(t->pairs[position].a, t->pairs[position].b);
}

static struct pair *base_pair_table_find(const struct pair_table *t, uint64_t hash, uint32_t a, uint32_t b)
{
	uint32_t found;

	for (uint64_t i = hash; (found = table_next(&t->table, &i)) != UINT32_MAX;)
		if (t->pairs[found].a == a && t->pairs[found].b == b)
			return t->pairs + found;
	return NULL;
}

uint32_t *pair_table_at(struct pair_table *t, uint32_t a, uint32_t b)
{
	uint64_t hash = hash_mix(a, b);
	struct pair *pair = base_pair_table_find(t, hash, a, b);

	if (pair)
		return &pair->number;
	if (!array_grow(&t->pairs, &t->room, t->n, sizeof *t->pairs) || !table_reserve(&t->table, (uint64_t)t->n + 1, pair_table_hash_of, t))
		return NULL;
	t->pairs[t->n] = (struct pair){ .a = a, .b = b };
	table_add(&t->table, hash, t->n);
	t->n++;
	assert(t->table.used == t->n);
	return &t->pairs[t->n - 1].number;
}

uint32_t pair_table_find(const struct pair_table *t, uint32_t a, uint32_t b)
{
	const struct pair *pair = base_pair_table_find(t, hash_mix(a, b), a, b);

	return pair ? pair->number : 0;
}

void pair_table_free(struct pair_table *t)
{
	free(t->pairs);
	table_free(&t->table);
	*t = (struct pair_table){ 0 };
}
