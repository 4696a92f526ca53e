/* inlined.c - addresses, each with a run of functions. */
#include "read/stacks/inlined.h"

#include <stdlib.h>

#include "base/array.h"

static uint64_t inlined_key_of(const struct image *i, uint64_t address) { return hash_mix(address, (uint64_t)(uintptr_t)i); }

static uint64_t at_hash(const void *owner, uint32_t k)
{
	const struct inlined_at *at = &((const struct inlined *)owner)->at[k];

	return inlined_key_of(at->image, at->address);
}

/* One more function of the address that is asked about. */
static void inlined_add_function(void *arg, const struct debug_inlined *f)
{
	struct inlined *s = arg;
	uint32_t number = s->number(s->arg, f);

	if (number == UINT32_MAX || !array_grow(&s->functions, &s->functions_room, s->nfunctions, sizeof *s->functions))
		return;
	if (s->nfunctions == s->at[s->nat].first)
		s->at[s->nat].entry = f->entry;
	s->functions[s->nfunctions++] = number;
}

/* What is known of ADDRESS of I from now on; NULL: out of memory. */
static const struct inlined_at *inlined_add(struct inlined *s, struct image *i, uint64_t address)
{
	struct inlined_at *at;

	if (!array_grow(&s->at, &s->at_room, s->nat, sizeof *s->at) || !table_reserve(&s->by_address, s->nat + 1, at_hash, s))
		return NULL;
	at = &s->at[s->nat];
	*at = (struct inlined_at){ .image = i, .address = address, .first = s->nfunctions };
	image_inlined(i, address, inlined_add_function, s);
	at->n = s->nfunctions - at->first;
	table_add(&s->by_address, inlined_key_of(i, address), s->nat++);
	return at;
}

const uint32_t *inlined_find(struct inlined *s, struct image *i, uint64_t address, uint32_t *n, uint64_t *entry)
{
	uint64_t probe = inlined_key_of(i, address);
	const struct inlined_at *at = NULL;
	uint32_t k;

	while (!at && (k = table_next(&s->by_address, &probe)) != UINT32_MAX)
		if (s->at[k].address == address && s->at[k].image == i)
			at = &s->at[k];
	if (!at)
		at = inlined_add(s, i, address);
	*n = at ? at->n : 0;
	*entry = at ? at->entry : 0;
	return at ? s->functions + at->first : NULL;
}

void inlined_free(struct inlined *s)
{
	free(s->at);
	free(s->functions);
	table_free(&s->by_address);
	*s = (struct inlined){ 0 };
}
