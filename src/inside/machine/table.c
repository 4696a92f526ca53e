/* table.c - tables by hash, of open addressing.
 *
 * A slot has a hash above and a tag below, never 0; 0 is free.  The mask stands before the first slot, in a
 * page of its own, so that who has a table has both.  An outgrown one stays mapped, for a look-up that this thread's signal handler
 * interrupted or that the sampler is at, but its memory is given back: they find nothing there, as if they had come before. */
#include "inside/machine/table.h"

#include "contract/amon.h"
#include "inside/machine/memory.h"

enum { FIRST_SLOTS = 1024 };

void table_add(uint64_t *table, uint64_t slot)
{
	uint64_t mask = table[-1], i = slot >> 32 & mask;

	while (table[i])
		i = (i + 1) & mask;
	__atomic_store_n(&table[i], slot, __ATOMIC_RELEASE);
}

bool table_has_room(const uint64_t *table, uint32_t used)
{
	uint64_t slots = table ? table[-1] + 1 : 0;

	return used < slots - slots / 4;
}

static uint64_t *table_new(uint32_t slots)
{
	uint64_t *table = memory_take_table(AMON_PAGE, slots);

	if (!table)
		return NULL;
	table += AMON_PAGE / sizeof *table;
	table[-1] = slots - 1;
	return table;
}

bool table_grow(uint64_t **table, uint32_t used)
{
	uint64_t *old = *table, *grown;
	uint32_t slots = old ? (uint32_t)old[-1] + 1 : 0;

	if (table_has_room(old, used))
		return true;
	grown = table_new(old ? slots * 2 : FIRST_SLOTS);
	if (!grown)
		return false;
	for (uint32_t i = 0; i < slots; i++)
		if (old[i])
			table_add(grown, old[i]);
	__atomic_store_n(table, grown, __ATOMIC_RELEASE);
	if (old)
		memory_forget(old, slots * sizeof *old);
	return true;
}
