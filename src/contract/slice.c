/* slice.c - a hash table of slices, in a chunk: a slot is taken by its number, last, and never given back. */
#include "contract/slice.h"

#include <stddef.h>

uint32_t slice_level(uint64_t elapsed, uint32_t level)
{
	while (level < SLICE_LEVELS - 1 && elapsed / slice_length(level) >= SLICE_INTERVALS)
		level++;
	return level;
}

uint32_t slice_room(uint32_t slots, uint32_t level, uint32_t next)
{
	if (next == level)
		return slots ? slots * 2 : SLICE_FIRST;
	return slots / 2 > SLICE_FIRST ? slots / 2 : SLICE_FIRST;
}

/* Where the search begins. */
static uint32_t slice_hash(uint32_t interval, uint32_t context)
{
	return (uint32_t)(((uint64_t)interval << 32 | context) * UINT64_C(0x9e3779b97f4a7c15) >> 32);
}

/* The slot of the three, or a free one for them; NULL: there is neither.  Those of several phases stand one behind the other. */
static struct amon_slice *slice_find(struct amon_slice *table, uint32_t slots, uint32_t interval, uint32_t context, uint32_t phase)
{
	uint32_t hash = slice_hash(interval, context);

	for (uint32_t i = 0; i < slots; i++) {
		struct amon_slice *s = &table[(hash + i) & (slots - 1)];

		if (!s->interval || (s->interval == interval && s->context == context && s->phase == phase))
			return s;
	}
	return NULL;
}

bool slice_charge(struct amon_chunk *c, uint32_t slots, uint64_t number, uint32_t context, uint32_t phase, uint64_t time, uint32_t ticks)
{
	uint32_t interval = (uint32_t)number + 1;
	struct amon_slice *s = slice_find((struct amon_slice *)(c + 1), slots, interval, context, phase);

	if (!s || (!s->interval && c->count >= slots / 4 * 3))
		return false;
	s->time += time;
	s->ticks = ticks < UINT32_MAX - s->ticks ? s->ticks + ticks : UINT32_MAX;
	if (s->interval)
		return true;
	s->context = context;
	s->phase = phase;
	c->count++;
	__atomic_store_n(&s->interval, interval, __ATOMIC_RELEASE);
	return true;
}
