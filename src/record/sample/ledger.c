/* ledger.c - see ledger.h.
 *
 * What was live at the peak is what was sampled before, and not freed by now, and what was freed since: those are kept, until there is another peak. */
#include "record/sample/ledger.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/table.h"

enum { FIRST_SLOTS = 1024 };

bool ledger_begin(struct ledger *l, struct recording *file)
{
	static const struct { const char *name, *unit; } values[HEAP_VALUES] = {
		[HEAP_ALLOCATIONS] = { HEAP_NAME_ALLOCATIONS, "count" }, [HEAP_ALLOCATED] = { HEAP_NAME_ALLOCATED, "bytes" },
		[HEAP_LIVE] = { HEAP_NAME_LIVE, "bytes" }, [HEAP_PEAK] = { HEAP_NAME_PEAK, "bytes" },
	};

	for (uint32_t i = 0; i < HEAP_VALUES; i++) {
		uint32_t value = recording_value(file, values[i].name, values[i].unit, AMON_VALUE_SAMPLED | AMON_VALUE_WEIGHED);

		if (value == RECORDING_NONE)
			return false;
		l->first = i == 0 ? value : l->first;
	}
	return true;
}

/* ---- the table ---- */

static size_t ledger_place(const struct ledger *l, uint64_t number)
{
	size_t i = hash_mix(number, 0) & (l->slots - 1);

	while (l->live[i].number && l->live[i].number != number)
		i = (i + 1) & (l->slots - 1);
	return i;
}

static bool ledger_reserve(struct ledger *l)
{
	struct ledger more = { .slots = l->slots ? 2 * l->slots : FIRST_SLOTS };

	if (4 * (l->nlive + 1) <= 3 * l->slots)
		return true;
	more.live = calloc(more.slots, sizeof *more.live);
	if (!more.live)
		return false;
	for (size_t i = 0; i < l->slots; i++)
		if (l->live[i].number)
			more.live[ledger_place(&more, l->live[i].number)] = l->live[i];
	free(l->live);
	l->live = more.live;
	l->slots = more.slots;
	return true;
}

/* Free slot I; those behind it that are found by way of it move up. */
static void ledger_remove(struct ledger *l, size_t i)
{
	size_t mask = l->slots - 1;

	l->nlive--;
	for (size_t k = (i + 1) & mask; l->live[k].number; k = (k + 1) & mask) {
		size_t home = hash_mix(l->live[k].number, 0) & mask;

		if (((k - home) & mask) < ((k - i) & mask))
			continue;
		l->live[i] = l->live[k];
		i = k;
	}
	l->live[i].number = 0;
}

/* ---- what is told ---- */

/* Add what S stands for, AMOUNT of VALUE, to its context: 1 / p times OWN.  A sample adds (1 - p) / p^2 times the square of OWN to the variance: AMOUNT * (AMOUNT - OWN). */
static void ledger_add(const struct ledger *l, struct recording *file, const struct ledger_sample *s, enum heap_value value, uint64_t amount, uint64_t own)
{
	unsigned __int128 square = (unsigned __int128)amount * (amount > own ? amount - own : 0);

	recording_amount_drawn(file, s->thread, s->item, l->first + value, amount, (const uint64_t[2]){ (uint64_t)square, (uint64_t)(square >> 64) });
}

void ledger_allocated(struct ledger *l, struct recording *file, uint32_t thread, uint32_t item, const struct happening *h)
{
	double chance = -expm1(-(double)h->bytes / (double)h->mean);
	struct ledger_sample s = { h->allocation, h->bytes, (uint64_t)llround((double)h->bytes / chance) + h->others_bytes, l->born++, thread, item };

	ledger_add(l, file, &s, HEAP_ALLOCATIONS, (uint64_t)llround(1 / chance) + h->others, 1);
	ledger_add(l, file, &s, HEAP_ALLOCATED, s.bytes, s.size);
	if (!ledger_reserve(l))
		return;
	l->live[ledger_place(l, s.number)] = s;
	l->nlive++;
	l->bytes += s.bytes;
	if (l->bytes <= l->most)
		return;
	l->most = l->bytes;
	l->at_peak = true;
	l->nkept = 0;
}

void ledger_freed(struct ledger *l, uint64_t number)
{
	size_t i = l->slots ? ledger_place(l, number) : 0;
	const struct ledger_sample *s = l->slots ? &l->live[i] : NULL;

	if (!s || !s->number)
		return;
	if (l->at_peak) {
		l->at_peak = false;
		l->peak = l->born;
	}
	l->bytes -= s->bytes;
	if (s->born < l->peak && array_grow(&l->kept, &l->kept_room, l->nkept, sizeof *l->kept))
		l->kept[l->nkept++] = *s;
	ledger_remove(l, i);
}

void ledger_end(struct ledger *l, struct recording *file)
{
	for (size_t i = 0; i < l->slots; i++) {
		const struct ledger_sample *s = &l->live[i];

		if (!s->number)
			continue;
		ledger_add(l, file, s, HEAP_LIVE, s->bytes, s->size);
		if (l->at_peak || s->born < l->peak)
			ledger_add(l, file, s, HEAP_PEAK, s->bytes, s->size);
	}
	for (size_t i = 0; i < l->nkept; i++)
		ledger_add(l, file, &l->kept[i], HEAP_PEAK, l->kept[i].bytes, l->kept[i].size);
	free(l->live);
	free(l->kept);
	*l = (struct ledger){ 0 };
}
