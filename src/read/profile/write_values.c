/* write_values.c - what a profile has amounts of, and how much. */
#include "read/profile/writer.h"

#include <string.h>

#include "contract/amount.h"
#include "read/profile/values.h"

enum { AMOUNTS_A_CHUNK = 1 << 20 };

/* Does the header tell all of the values of P itself? */
static bool values_are_told(const struct profile *p)
{
	struct profile_value clock;
	struct amon_header h;

	if (p->nruns == 0)
		return true;
	h = p->runs[0].header;
	value_of_header(&h, &clock);
	return p->nvalues == 1 && value_is_like(&clock, &p->values[0]) && clock.flags == p->values[0].flags;
}

bool write_values(struct writer *w)
{
	const struct profile *p = w->p;
	size_t at;

	if (values_are_told(p))
		return true;
	if (!writer_chunk(w, AMON_VALUES, AMON_NONE, NULL, p->nvalues, sizeof(struct amon_value), &at))
		return false;
	for (uint32_t i = 0; i < p->nvalues; i++) {
		struct amon_value item = { .flags = p->values[i].flags };

		memcpy(item.name, p->values[i].name, sizeof item.name);
		memcpy(item.unit, p->values[i].unit, sizeof item.unit);
		memcpy(w->data + at + i * sizeof item, &item, sizeof item);
	}
	return true;
}

bool writer_clear_amounts(struct writer *w, size_t n)
{
	if (!array_reserve(&w->amounts, &w->amount_room, n + 1, sizeof *w->amounts))
		return writer_no_memory(w);
	memset(w->amounts, 0, n * sizeof *w->amounts);
	return true;
}

static bool are_nothing(const struct amon_amount *a, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!amount_is_nothing(&a[i]))
			return false;
	return true;
}

bool write_amounts(struct writer *w, uint32_t thread, uint32_t value, size_t n)
{
	for (size_t base = 0; base < n; base += AMOUNTS_A_CHUNK) {
		size_t left = n - base, part = left < AMOUNTS_A_CHUNK ? left : AMOUNTS_A_CHUNK, at;

		if (are_nothing(w->amounts + base, part))
			continue;
		if (!writer_chunk(w, AMON_AMOUNTS, thread, w->amounts + base, part, sizeof *w->amounts, &at))
			return false;
		writer_set_base(w, at, base, value);
	}
	return true;
}
