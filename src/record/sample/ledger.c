/* ledger.c - see ledger.h.
 *
 * What was live at a peak is what was sampled before, and not freed by now, and what was freed since: those are kept, until there is another peak. */
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

/* Deal S, of which H tells, to the halves.  In each its bytes were drawn by the chance p = 1 - e, e = exp(-SIZE / (2 * mean)), and in none by e^2;
 * so it is in one alone by e / (1 + e), since it was drawn. */
static void halves_deal(struct ledger_sample *s, const struct happening *h)
{
	double y = (double)s->size / (2 * (double)h->mean), e = exp(-y), alone = e / (1 + e), x = (double)(hash_mix(s->number, 1) >> 32) / 0x1p32;

	s->halves = x < alone ? 1 : x < 2 * alone ? 2 : 3;
	s->half_bytes = (uint64_t)llround((double)s->size / -expm1(-y) / 2) + h->others_bytes / (s->halves == 3 ? 2 : 1);
}

static bool is_in_half(const struct ledger_sample *s, int half) { return s->halves >> half & 1; }

/* By the half of P there are BYTES more live. */
static void peak_rise(const struct ledger *l, struct ledger_peak *p, uint64_t bytes)
{
	p->bytes += bytes;
	if (p->bytes <= p->most)
		return;
	p->most = p->bytes;
	p->born = l->born;
	p->nkept = 0;
}

/* S was live at a peak. */
static void peak_add(const struct ledger *l, struct recording *file, const struct ledger_sample *s) { ledger_add(l, file, s, HEAP_PEAK, s->half_bytes, s->size / 2); }

void ledger_allocated(struct ledger *l, struct recording *file, uint32_t thread, uint32_t item, const struct happening *h)
{
	double chance = -expm1(-(double)h->bytes / (double)h->mean);
	struct ledger_sample s = { .number = h->allocation, .size = h->bytes, .bytes = (uint64_t)llround((double)h->bytes / chance) + h->others_bytes,
				   .born = l->born++, .thread = thread, .item = item };

	ledger_add(l, file, &s, HEAP_ALLOCATIONS, (uint64_t)llround(1 / chance) + h->others, 1);
	ledger_add(l, file, &s, HEAP_ALLOCATED, s.bytes, s.size);
	if (!ledger_reserve(l))
		return;
	halves_deal(&s, h);
	l->live[ledger_place(l, s.number)] = s;
	l->nlive++;
	for (int i = 0; i < 2; i++)
		if (is_in_half(&s, i))
			peak_rise(l, &l->peaks[i], s.half_bytes);
}

void ledger_freed(struct ledger *l, uint64_t number)
{
	size_t i = l->slots ? ledger_place(l, number) : 0;
	const struct ledger_sample *s = l->slots ? &l->live[i] : NULL;

	if (!s || !s->number)
		return;
	for (int k = 0; k < 2; k++) {
		struct ledger_peak *other = &l->peaks[1 - k];

		if (!is_in_half(s, k))
			continue;
		l->peaks[k].bytes -= s->half_bytes;
		if (s->born < other->born && array_grow(&other->kept, &other->room, other->nkept, sizeof *other->kept))
			other->kept[other->nkept++] = *s;
	}
	ledger_remove(l, i);
}

void ledger_end(struct ledger *l, struct recording *file)
{
	for (size_t i = 0; i < l->slots; i++) {
		const struct ledger_sample *s = &l->live[i];

		if (!s->number)
			continue;
		ledger_add(l, file, s, HEAP_LIVE, s->bytes, s->size);
		for (int k = 0; k < 2; k++)
			if (is_in_half(s, k) && s->born < l->peaks[1 - k].born)
				peak_add(l, file, s);
	}
	for (int k = 0; k < 2; k++) {
		for (size_t i = 0; i < l->peaks[k].nkept; i++)
			peak_add(l, file, &l->peaks[k].kept[i]);
		free(l->peaks[k].kept);
	}
	free(l->live);
	*l = (struct ledger){ 0 };
}
