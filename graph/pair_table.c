/* pair_table.c - the table of pair_table.h.  A slot whose number is 0 is free. */
#include "graph/pair_table.h"

#include <stdbool.h>
#include <stdlib.h>

struct pair_slot {
	uint32_t a, b;		/* the pair */
	uint32_t number;	/* its number; 0: free */
};

static struct pair_slot *slot_of(const struct pair_table *t, uint32_t a, uint32_t b)
{
	uint64_t hash = ((uint64_t)a << 32 | b) * UINT64_C(0x9e3779b97f4a7c15);
	size_t mask = t->nslots - 1, i = hash >> 32 & mask;

	while (t->slots[i].number != 0 && (t->slots[i].a != a || t->slots[i].b != b))
		i = (i + 1) & mask;
	return t->slots + i;
}

static bool grow(struct pair_table *t)
{
	struct pair_table old = *t;

	t->nslots = old.nslots ? 2 * old.nslots : 256;
	t->slots = calloc(t->nslots, sizeof *t->slots);
	if (!t->slots) {
		*t = old;
		return false;
	}
	for (size_t i = 0; i < old.nslots; i++)
		if (old.slots[i].number != 0)
			*slot_of(t, old.slots[i].a, old.slots[i].b) = old.slots[i];
	free(old.slots);
	return true;
}

uint32_t *pair_table_at(struct pair_table *t, uint32_t a, uint32_t b)
{
	struct pair_slot *slot;

	if (2 * ((size_t)t->n + 1) > t->nslots && !grow(t))
		return NULL;
	slot = slot_of(t, a, b);
	if (slot->number == 0) {
		slot->a = a;
		slot->b = b;
		t->n++;
	}
	return &slot->number;
}

uint32_t pair_table_find(const struct pair_table *t, uint32_t a, uint32_t b)
{
	return t->nslots ? slot_of(t, a, b)->number : 0;
}

void pair_table_free(struct pair_table *t)
{
	free(t->slots);
	*t = (struct pair_table){ 0 };
}
