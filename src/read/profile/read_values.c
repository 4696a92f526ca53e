/* read_values.c - which values a file has, what its items and arcs have of them, and the one of them that is read in the place of times. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "contract/allocations.h"
#include "contract/amount.h"
#include "read/profile/reader.h"
#include "read/profile/values.h"

enum { MOST_VALUES = 64 };	/* of a file */

static const struct profile_value value_calls = { "calls", "count", 0 };

static bool read_value_take(struct reader *r, const struct chunk *c, uint32_t i)
{
	uint64_t at = c->at + c->head.first + (uint64_t)i * sizeof(struct amon_value);
	struct profile_value *v = &r->values[r->nvalues];
	struct amon_value item;

	memcpy(&item, r->data + at, sizeof item);
	memcpy(v->name, item.name, sizeof v->name);
	memcpy(v->unit, item.unit, sizeof v->unit);
	v->flags = item.flags & (AMON_VALUE_SAMPLED | AMON_VALUE_WEIGHED | AMON_VALUE_PARTIAL);
	if (item.flags & AMON_VALUE_PEAK && r->nvalues > 0) {
		r->peak = r->nvalues;
		r->peak_state = item.state;
	}
	if (!v->name[0] || v->name[sizeof v->name - 1] || !v->unit[0] || v->unit[sizeof v->unit - 1])
		return reader_corrupt(r, at, "a value without name or unit");
	for (uint32_t k = 0; k < r->nvalues; k++)
		if (strcmp(r->values[k].name, v->name) == 0)
			return reader_corrupt(r, at, "a value that is there already");
	r->nvalues++;
	return true;
}

/* All that the file says it has. */
static bool read_values_take(struct reader *r)
{
	const struct chunk *c;
	size_t n = 1;

	for (size_t i = 0; (c = reader_next(r, AMON_VALUES, &i)) != NULL;)
		n += c->items;
	if (n > MOST_VALUES + 1)
		return reader_corrupt(r, 0, "%zu values, %d fit", n - 1, MOST_VALUES);
	r->values = calloc(n, sizeof *r->values);
	r->value_of = calloc(n, sizeof *r->value_of);
	if (!r->values || !r->value_of)
		return reader_no_memory(r);
	for (size_t i = 0; (c = reader_next(r, AMON_VALUES, &i)) != NULL;)
		for (uint32_t k = 0; k < c->items; k++)
			if (!read_value_take(r, c, k))
				return false;
	r->divisor = 1;
	if (r->nvalues == 0)
		r->divisor = value_of_header(&r->run.header, &r->values[r->nvalues++]);
	return true;
}

/* Are calls a value of the file?  Arcs alone have them, but not what is below. */
static bool has_calls(const struct reader *r)
{
	return !(r->run.header.way >> AMON_WAY_STACKS & 1) && !(r->run.header.way >> AMON_WAY_ARCS & 1);
}

/* The same of what these moved? */
static bool has_bytes(const struct reader *r)
{
	size_t i = 0;

	return has_calls(r) && reader_next(r, AMON_BYTES, &i);
}

/* Which of the N VALUES is called NAME; N: none. */
static uint32_t value_called(const struct profile_value *values, uint32_t n, const char *name)
{
	uint32_t i = 0;

	while (i < n && strcmp(values[i].name, name) != 0)
		i++;
	return i;
}

static bool value_unknown(struct reader *r, const struct reader *beside, const char *name)
{
	char list[200] = "";
	size_t n = 0;

	for (uint32_t i = 0; i < r->nvalues && n < sizeof list; i++)
		if (i || r->run.header.clock != AMON_CLOCK_NONE)
			n += (size_t)snprintf(list + n, sizeof list - n, "%s%s", n ? ", " : "", r->values[i].name);
	for (uint32_t i = 0; i < beside->nvalues && n < sizeof list; i++)
		if (value_called(r->values, r->nvalues, beside->values[i].name) == r->nvalues)
			n += (size_t)snprintf(list + n, sizeof list - n, "%s%s", n ? ", " : "", beside->values[i].name);
	if (has_bytes(r) && n < sizeof list)
		n += (size_t)snprintf(list + n, sizeof list - n, "%s%s", n ? ", " : "", value_bytes.name);
	if (has_calls(r) && n < sizeof list)
		snprintf(list + n, sizeof list - n, "%s%s", n ? ", " : "", value_calls.name);
	return error_set(r->err, ERROR_USAGE, ERROR_NO_OFFSET, "%.60s: it has no value %.60s, but %s", r->label, name, list[0] ? list : "none");
}

/* The values of the call stacks that the file has beside its contexts, if it may be one of theirs that is asked for, into S, of which reader_end is
 * to be called: none where there are no stacks, or something is the matter with them, which whoever reads them says. */
static void values_beside(const struct reader *r, struct reader *s, struct error *ignored)
{
	size_t i = 0;
	const struct chunk *c = r->p->private->value_from == PROFILE_VALUE_JOINED && has_calls(r) ? reader_next(r, AMON_SAMPLED, &i) : NULL;

	*s = (struct reader){ .p = r->p, .label = r->label, .err = ignored };
	if (!c)
		return;
	s->data = r->data + c->at + c->head.first;
	s->len = c->items;
	if (!reader_header(s) || !reader_collect(s) || !read_values_take(s))
		s->nvalues = 0;
}

/* Nothing of what the header says of a clock, its samples and its hooks is about another value. */
static void header_turn(struct amon_header *h, const struct profile_value *v)
{
	h->clock = strcmp(v->unit, "ns") != 0 ? AMON_CLOCK_COUNT : strcmp(v->name, "wall") == 0 ? AMON_CLOCK_WALL : AMON_CLOCK_TICK;
	h->source = h->pc_source = AMON_SOURCE_NONE;
	h->rate = 0;
	h->tsc_hz = h->hook_picoseconds = h->hook_inside = h->pc_period = 0;
	h->cpu_before = h->cpu_total = h->cpu_user = h->cpu_system = 0;
	h->notes[AMON_NOTE_PC_LOST] = h->notes[AMON_NOTE_SIGPROF_TAKEN] = h->notes[AMON_NOTE_PC_BLOCKED] = h->notes[AMON_NOTE_TIMER_FAILED] = 0;
	memset(h->sum_weight, 0, sizeof *h - offsetof(struct amon_header, sum_weight));
	value_tell(v, h->unit, sizeof h->unit);
}

/* V is what stands in the place of times. */
static void value_take(struct reader *r, const struct profile_value *v)
{
	r->divisor = 1;
	r->values[0] = *v;
	header_turn(&r->run.header, v);
}

/* The same, of the call stacks beside. */
static bool value_choose_beside(struct reader *r, const char *name)
{
	struct reader beside;
	struct error ignored;
	uint32_t i;

	values_beside(r, &beside, &ignored);
	i = value_called(beside.values, beside.nvalues, name);
	if (i < beside.nvalues) {
		r->chosen = CHOSEN_BESIDE;
		r->p->private->value_beside = true;
		value_take(r, &beside.values[i]);
	} else {
		value_unknown(r, &beside, name);
	}
	reader_end(&beside);
	return r->chosen == CHOSEN_BESIDE;
}

/* The value that was asked for is the only one. */
static bool value_choose(struct reader *r, const char *name)
{
	uint32_t i = value_called(r->values, r->nvalues, name);
	bool calls = strcmp(name, value_calls.name) == 0 && has_calls(r), bytes = strcmp(name, value_bytes.name) == 0 && has_bytes(r);

	if (i == r->nvalues && !calls && !bytes)
		return value_choose_beside(r, name);
	r->chosen = i < r->nvalues ? i : calls ? CHOSEN_CALLS : CHOSEN_BYTES;
	if (i > 0)
		value_take(r, i < r->nvalues ? &r->values[i] : calls ? &value_calls : &value_bytes);
	return true;
}

bool read_values(struct reader *r)
{
	struct profile *p = r->p;
	bool elsewhere = p->private->value_from == PROFILE_VALUE_OF_STACKS && !(r->run.header.way >> AMON_WAY_STACKS & 1);
	const char *name = elsewhere ? NULL : p->private->value;

	if (!read_values_take(r) || (name && !value_choose(r, name)))
		return false;
	if (name)
		r->nvalues = 1;
	r->run.value = r->values[0];
	if (p->nruns > 1 && (!profile_goes_with(&p->runs[0], &r->run, r->err) || !values_agree(p, r->values, r->nvalues, r->label, r->err)))
		return false;
	for (uint32_t i = 0; i < r->nvalues; i++) {
		r->value_of[i] = profile_value_add(p, &r->values[i]);
		if (r->value_of[i] == PROFILE_NONE)
			return reader_no_memory(r);
	}
	p->runs[p->nruns - 1].value = r->run.value;
	return true;
}

void values_commit(struct reader *r)
{
	struct profile *p = r->p;

	for (uint32_t i = 0; i < p->nvalues; i++) {
		uint32_t k = 0;

		while (k < r->nvalues && r->value_of[k] != i)
			k++;
		p->values[i].flags = value_flags_join(p->values[i].flags, k < r->nvalues ? r->values[k].flags : AMON_VALUE_PARTIAL);
		if (i >= r->mark.values && r->mark.runs)
			p->values[i].flags |= AMON_VALUE_PARTIAL;
	}
	squares_settle(p);
}

/* Item I of chunk C; zero beyond its end. */
static struct amon_amount amount_at(const struct reader *r, const struct chunk *c, uint32_t i)
{
	struct amon_amount a = { 0 };

	if (i < c->items)
		memcpy(&a, r->data + c->at + c->head.first + (uint64_t)i * sizeof a, sizeof a);
	return a;
}

/* What chunk K of the N chunks C beside says of item I.  Of a peak it is what there is now of the value before, unless it is kept. */
static struct amon_amount amount_beside(const struct reader *r, const struct chunk *c, size_t n, size_t k, uint32_t i)
{
	struct amon_amount a = amount_at(r, &c[k], i);
	uint64_t mark = a.squares[0];

	if (!r->peak || c[k].head.value != r->peak)
		return a;
	a.squares[0] = 0;
	if (heap_peak_is_kept(r->peak_state, mark))
		return a;
	a.amount = 0;
	for (size_t other = 0; other < n; other++)
		if (c[other].head.value == r->peak - 1)
			add_capped(&a.amount, amount_at(r, &c[other], i).amount);
	return a;
}

/* Which value of P the chunk C is of; PROFILE_NONE: none that is wanted. */
static uint32_t value_of_chunk(const struct reader *r, const struct chunk *c)
{
	if (r->chosen)
		return c->head.value == r->chosen ? 0 : PROFILE_NONE;
	return c->head.value < r->nvalues ? r->value_of[c->head.value] : PROFILE_NONE;
}

static bool amount_keep(struct reader *r, const struct profile_amount *a)
{
	struct profile *p = r->p;

	if (!array_reserve(&p->amounts, &p->private->amounts, p->namounts + 1, sizeof *p->amounts))
		return reader_no_memory(r);
	p->amounts[p->namounts++] = *a;
	return true;
}

void values_take_chosen(const struct reader *r, const struct chunk *c, size_t n, uint32_t i, uint64_t *amount, uint64_t *samples)
{
	*amount = *samples = 0;
	for (size_t k = 0; k < n; k++)
		if (c[k].head.value == r->chosen) {
			struct amon_amount a = amount_beside(r, c, n, k, i);

			add_capped(amount, a.amount);
			add_capped(samples, a.samples);
		}
}

bool values_take_item(struct reader *r, const struct chunk *c, size_t n, uint32_t i, struct profile_share *s)
{
	if (r->p->private->phase)
		return true;			/* it is not known in which phase they were */
	for (size_t k = 0; k < n; k++) {
		struct amon_amount a = amount_beside(r, c, n, k, i);
		uint32_t value = value_of_chunk(r, &c[k]);

		if (value == PROFILE_NONE || amount_is_nothing(&a))
			continue;
		if (value == 0) {
			squares_add(s->squares, a.squares);
			r->p->private->weighed = true;
			continue;
		}
		if (!amount_keep(r, &(struct profile_amount){ s->thread, PROFILE_NONE, s->context, value, a.amount, a.samples, { a.squares[0], a.squares[1] } }))
			return false;
	}
	return true;
}

bool values_take_arcs(struct reader *r, size_t first)
{
	struct profile *p = r->p;
	const struct chunk *c;

	for (size_t k = 0; (c = reader_next(r, AMON_AMOUNTS, &k)) != NULL;) {
		uint32_t value = value_of_chunk(r, c);

		for (uint32_t i = 0; c->head.thread == AMON_NONE && value != PROFILE_NONE && i < c->items && c->head.base + (size_t)i < p->narcs - first; i++) {
			struct amon_amount a = amount_at(r, c, i);
			struct profile_arc *arc = &p->arcs[first + c->head.base + i];

			if (r->chosen)
				add_capped(&arc->time, a.amount);
			else if (value && !amount_is_nothing(&a) &&
				 !amount_keep(r, &(struct profile_amount){ PROFILE_NONE, arc->from, arc->to, value, a.amount, a.samples, { a.squares[0], a.squares[1] } }))
				return false;
		}
	}
	return true;
}
