/* values.c - values: which are the same, what sums have of them, and which files go together. */
#include "read/profile/values.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "contract/amount.h"

const struct profile_value value_bytes = { "bytes", "bytes", 0 };

static void value_name(struct profile_value *v, const char *name, size_t n, const char *unit)
{
	snprintf(v->name, sizeof v->name, "%.*s", (int)n, name);
	snprintf(v->unit, sizeof v->unit, "%s", unit);
}

/* What earlier versions made of other people's files: what is no time was shown as one, 1 ns or 1 ms for each, and `unit` tells so.  Returns by how
 * much it is more than it was; 0: it is a time. */
static uint64_t value_of_before(const char *unit, struct profile_value *v)
{
	const char *in = strstr(unit, ", in "), *name = strncmp(unit, "event ", 6) == 0 ? unit + 6 : strncmp(unit, "sample type ", 12) == 0 ? unit + 12 : "samples";
	size_t n = strcspn(name, ",;");

	if (!strstr(unit, "shown as 1 "))
		return 0;
	value_name(v, name, n, "count");
	if (in && name == unit + 12)
		snprintf(v->unit, sizeof v->unit, "%.*s", (int)strcspn(in + 5, ";"), in + 5);
	return strstr(unit, "shown as 1 ms") ? 1000000 : 1;
}

/* The value that value_tell wrote TEXT of. */
static void value_told(const char *text, struct profile_value *v)
{
	const char *in = strstr(text, ", in ");
	bool own = strcmp(text, "cycles") == 0 || strcmp(text, "instructions") == 0;

	value_name(v, text, in ? (size_t)(in - text) : strlen(text), "count");
	if (in || own)
		snprintf(v->unit, sizeof v->unit, "%s", in ? in + 5 : text);
	v->flags = AMON_VALUE_SAMPLED;
}

uint64_t value_of_header(struct amon_header *h, struct profile_value *v)
{
	static const struct profile_value clocks[] = {
		[AMON_CLOCK_NONE] = { "none", "ns", 0 }, [AMON_CLOCK_TICK] = { "cpu", "ns", AMON_VALUE_SAMPLED }, [AMON_CLOCK_TSC] = { "elapsed", "ns", 0 },
		[AMON_CLOCK_WALL] = { "wall", "ns", AMON_VALUE_SAMPLED }, [AMON_CLOCK_COUNT] = { "count", "count", 0 },
	};
	uint64_t more = 0;

	*v = clocks[h->clock];
	if (h->clock == AMON_CLOCK_COUNT && h->origin[0] && h->unit[0])
		value_told(h->unit, v);
	if (h->origin[0] && h->clock == AMON_CLOCK_TICK)
		more = value_of_before(h->unit, v);
	else if (h->clock == AMON_CLOCK_COUNT && strncmp(h->unit, "count: ", 7) == 0)
		more = 1000;			/* of earlier monitors */
	if (more) {
		h->clock = AMON_CLOCK_COUNT;
		value_tell(v, h->unit, sizeof h->unit);
	}
	return more ? more : 1;
}

void value_tell(const struct profile_value *v, char *text, size_t size)
{
	if (strcmp(v->unit, "ns") == 0)
		snprintf(text, size, strcmp(v->name, "cpu") == 0 ? "CPU time" : strcmp(v->name, "wall") == 0 ? "elapsed time" : strcmp(v->name, "time") == 0 ? "time" :
			 "%s, a time", v->name);
	else if (strcmp(v->unit, "count") == 0 || strcmp(v->unit, v->name) == 0)
		snprintf(text, size, "%s", v->name);
	else
		snprintf(text, size, "%s, in %s", v->name, v->unit);
}

bool value_is_like(const struct profile_value *a, const struct profile_value *b)
{
	return strcmp(a->name, b->name) == 0 && strcmp(a->unit, b->unit) == 0;
}

uint32_t value_flags_join(uint32_t a, uint32_t b)
{
	bool known = (!(a & AMON_VALUE_SAMPLED) || a & AMON_VALUE_WEIGHED) && (!(b & AMON_VALUE_SAMPLED) || b & AMON_VALUE_WEIGHED);
	uint32_t both = (a | b) & ~(uint32_t)AMON_VALUE_WEIGHED;

	return both | (known && both & AMON_VALUE_SAMPLED ? AMON_VALUE_WEIGHED : 0);
}

uint32_t profile_value_find(const struct profile *p, const char *name)
{
	for (uint32_t i = 0; i < p->nvalues; i++)
		if (strcmp(p->values[i].name, name) == 0)
			return i;
	return PROFILE_NONE;
}

uint32_t profile_value_add(struct profile *p, const struct profile_value *v)
{
	uint32_t found = profile_value_find(p, v->name);

	if (found != PROFILE_NONE)
		return found;
	if (!array_reserve(&p->values, &p->private->values, (size_t)p->nvalues + 1, sizeof *p->values))
		return PROFILE_NONE;
	p->values[p->nvalues] = *v;
	return p->nvalues++;
}

const struct profile_value *profile_value_at(const struct profile *p, uint32_t i)
{
	if (i < p->nvalues)
		return &p->values[i];
	i -= p->nvalues;
	for (uint32_t k = 0; p->sampled && k < p->sampled->nvalues; k++)
		if (profile_value_find(p, p->sampled->values[k].name) == PROFILE_NONE && i-- == 0)
			return &p->sampled->values[k];
	for (uint32_t k = 0; i == 0 && k < p->ncontexts; k++)
		if (p->contexts[k].bytes)
			return &value_bytes;
	return NULL;
}

bool values_agree(const struct profile *p, const struct profile_value *v, size_t n, const char *label, struct error *err)
{
	for (size_t i = 0; i < n; i++) {
		uint32_t k = profile_value_find(p, v[i].name);

		if (k != PROFILE_NONE && strcmp(p->values[k].unit, v[i].unit) != 0)
			return error_set(err, ERROR_MISMATCH, ERROR_NO_OFFSET, "%.60s has %s in %s, and %.60s in %s: unlike things are not added up", label, v[i].name,
					 v[i].unit, p->runs[0].label, p->values[k].unit);
	}
	return true;
}

uint32_t profile_kind(const struct amon_header *h)
{
	return (h->way >> AMON_WAY_STACKS & 1) << 31 | (h->way >> AMON_WAY_ARCS & 1) << 30 | h->clock;
}

bool profile_kind_is_stacks(uint32_t kind)
{
	return kind >> 31;
}

char *profile_value_text(const struct profile_value *v, char *text)
{
	value_tell(v, text, PROFILE_VALUE);
	return text;
}

/* Why the kinds of two headers are not one. */
static bool kinds_refuse(const struct profile_run *first, const struct profile_run *run, struct error *err)
{
	const struct amon_header *f = &first->header, *h = &run->header;

	if ((f->way ^ h->way) >> AMON_WAY_STACKS & 1)
		return error_set(err, ERROR_MISMATCH, offsetof(struct amon_header, way),
				 "%.60s and %.60s: of one call stacks were sampled, of the other calls were counted; report them apart",
				 run->label, first->label);
	if ((f->way ^ h->way) >> AMON_WAY_ARCS & 1)
		return error_set(err, ERROR_MISMATCH, offsetof(struct amon_header, way),
				 "%.60s and %.60s: of one contexts are known, of the other arcs alone; report them apart", run->label, first->label);
	return error_set(err, ERROR_MISMATCH, offsetof(struct amon_header, clock),
			 "%.60s: its times are by another clock than those of %.60s; report them apart", run->label, first->label);
}

bool profile_goes_with(const struct profile_run *first, const struct profile_run *run, struct error *err)
{
	const struct amon_header *f = &first->header, *h = &run->header;
	char value[PROFILE_VALUE], first_value[PROFILE_VALUE];
	bool counted = f->clock == AMON_CLOCK_COUNT || h->clock == AMON_CLOCK_COUNT || f->origin[0] || h->origin[0];

	if (counted && !value_is_like(&first->value, &run->value))
		return error_set(err, ERROR_MISMATCH, ERROR_NO_OFFSET, "%.60s has %s, and %.60s has %s: unlike things are not added up", run->label,
				 profile_value_text(&run->value, value), first->label, profile_value_text(&first->value, first_value));
	return profile_kind(f) == profile_kind(h) || kinds_refuse(first, run, err);
}

void squares_settle(struct profile *p)
{
	if (!p->private->weighed || (p->nvalues && p->values[0].flags & AMON_VALUE_WEIGHED))
		return;
	for (size_t i = 0; i < p->nshares; i++)
		p->shares[i].squares[0] = p->shares[i].squares[1] = 0;
	for (uint32_t i = 0; i < p->ncontexts; i++)
		p->contexts[i].squares[0] = p->contexts[i].squares[1] = 0;
	p->private->weighed = false;
}

void amount_sum(struct profile_amount *to, const struct profile_amount *more)
{
	add_capped(&to->amount, more->amount);
	add_capped(&to->samples, more->samples);
	squares_add(to->squares, more->squares);
}

void amounts_merge(struct profile *p, size_t first)
{
	size_t kept = first;

	if (p->namounts > first)
		qsort(p->amounts + first, p->namounts - first, sizeof *p->amounts, order_amounts);
	for (size_t i = first; i < p->namounts; i++)
		if (kept > first && order_amounts(&p->amounts[kept - 1], &p->amounts[i]) == 0)
			amount_sum(&p->amounts[kept - 1], &p->amounts[i]);
		else
			p->amounts[kept++] = p->amounts[i];
	p->namounts = kept;
}
