/* phases.c - the phases of a file: which there are, and what each thread counted in them.
 *
 * The counters of a file are of the whole run.  What was counted while the program was stopped is taken off them; or, if
 * the profile is to be of one phase, what was counted in that one takes their place.  The phase that goes on has, beside its
 * sum, what was counted since the mark. */
#include "read/profile/reader.h"

#include <stdlib.h>
#include <string.h>

bool profile_set_phase(struct profile *p, const char *name)
{
	free(p->private->phase);
	p->private->phase = strdup(name);
	return p->private->phase != NULL;
}

/* The profile's phase NAME, added if new. */
static uint32_t phase_index(struct reader *r, const char *name)
{
	struct profile *p = r->p;

	for (uint32_t i = 0; i < p->nphases; i++)
		if (strcmp(p->phases[i].name, name) == 0)
			return i;
	if (!array_reserve(&p->phases, &p->private->phases, (size_t)p->nphases + 1, sizeof *p->phases)) {
		reader_no_memory(r);
		return PROFILE_NONE;
	}
	p->phases[p->nphases] = (struct profile_phase){ .begun = 0 };
	memcpy(p->phases[p->nphases].name, name, sizeof p->phases[p->nphases].name);
	return p->nphases++;
}

static bool add_phase(struct reader *r, struct amon_phase *item)
{
	struct file_phase *phase;

	item->name[sizeof item->name - 1] = 0;
	if (!array_reserve(&r->phases, &r->phase_room, r->nphases + 1, sizeof *r->phases))
		return reader_no_memory(r);
	phase = &r->phases[r->nphases];
	*phase = (struct file_phase){ .index = phase_index(r, item->name), .current = item->current };
	if (phase->index == PROFILE_NONE)
		return false;
	phase->sum.begun = item->begun;
	phase->wanted = r->p->private->phase && r->nphases != AMON_PHASE_STOPPED && strcmp(item->name, r->p->private->phase) == 0;
	r->nphases++;
	return true;
}

bool read_phases(struct reader *r)
{
	const struct chunk *c;

	for (size_t i = 0; (c = reader_next(r, AMON_PHASES, &i)) != NULL;)
		for (uint32_t k = 0; k < c->items; k++) {
			struct amon_phase item;

			memcpy(&item, r->data + c->at + c->head.first + (uint64_t)k * sizeof item, sizeof item);
			if (!add_phase(r, &item))
				return false;
		}
	return true;
}

bool phases_take_chunk(struct reader *r, const struct chunk *c)
{
	if (c->items == 0)
		return true;			/* not published: the one before it holds */
	if (c->head.base == AMON_NONE)
		r->phase_mark = c;
	else if (c->head.base < r->nphases)
		r->phases[c->head.base].counts = c;
	else if (!r->run.truncated)
		return reader_corrupt(r, c->at, "counts of phase %u, there are %zu", c->head.base, r->nphases);
	return true;
}

void phases_next_thread(struct reader *r)
{
	r->phase_mark = NULL;
	for (size_t i = 0; i < r->nphases; i++)
		r->phases[i].counts = NULL;
}

/* Entry I of C's counts; zeros where there are none. */
static struct amon_phase_count phases_entry(const struct reader *r, const struct chunk *c, uint64_t i)
{
	struct amon_phase_count n = { 0, 0, 0 };

	if (c && i < c->items)
		memcpy(&n, r->data + c->at + c->head.first + i * sizeof n, sizeof n);
	return n;
}

/* A less B, never below 0: both may be changing. */
static struct amon_phase_count phases_less(struct amon_phase_count a, struct amon_phase_count b)
{
	return (struct amon_phase_count){ a.calls - (b.calls < a.calls ? b.calls : a.calls),
		a.time - (b.time < a.time ? b.time : a.time), a.ticks - (b.ticks < a.ticks ? b.ticks : a.ticks) };
}

/* What the thread at hand counted in PHASE at entry I, where NOW stands now. */
static struct amon_phase_count phases_part(const struct reader *r, const struct file_phase *phase, uint64_t i, struct amon_phase_count now)
{
	struct amon_phase_count sum = phases_entry(r, phase->counts, i), since;

	if (!phase->current)
		return sum;
	since = phases_less(now, phases_entry(r, r->phase_mark, i));
	add_capped(&sum.calls, since.calls);
	add_capped(&sum.time, since.time);
	add_capped(&sum.ticks, since.ticks);
	return sum;
}

static void phases_sum_up(struct reader *r, struct file_phase *phase, uint64_t i, struct amon_phase_count n)
{
	if (i == 0)
		add_capped(&phase->sum.cpu, n.calls);
	if (i > AMON_PHASE_TOTALS)		/* the root is not called */
		add_capped(&phase->sum.calls, n.calls);
	if (i >= AMON_PHASE_TOTALS)
		add_capped(&phase->sum.time, reader_nsec(r, n.time));
}

struct amon_phase_count phases_count(struct reader *r, uint64_t i, struct amon_phase_count now, uint64_t calls_at_reset)
{
	struct amon_phase_count wanted = { 0, 0, 0 }, stopped = { calls_at_reset, 0, 0 };

	for (size_t k = 0; k < r->nphases; k++) {
		struct amon_phase_count n = phases_part(r, &r->phases[k], i, now);

		phases_sum_up(r, &r->phases[k], i, n);
		if (r->phases[k].wanted)
			wanted = n;
		if (k == AMON_PHASE_STOPPED) {
			add_capped(&stopped.calls, n.calls);
			stopped.time = n.time;
			stopped.ticks = n.ticks;
		}
	}
	return r->p->private->phase ? wanted : phases_less(now, stopped);
}

void phases_thread_totals(struct reader *r, struct amon_thread *t)
{
	struct amon_phase_count times = { t->cpu_last - t->cpu_first, t->unplaced, t->monitor };
	struct amon_phase_count samples = { t->ticks, t->monitor_ticks, 0 };

	t->monitor = reader_nsec(r, t->monitor);
	if (r->nphases == 0 && !r->p->private->phase)
		return;
	times = phases_count(r, 0, times, 0);
	samples = phases_count(r, 1, samples, 0);
	t->cpu_last = t->cpu_first + times.calls;
	t->unplaced = times.time;
	t->monitor = reader_nsec(r, times.ticks);
	t->ticks = samples.calls;
	t->monitor_ticks = samples.time;
}

void phases_commit(struct reader *r)
{
	for (size_t i = 0; i < r->nphases; i++) {
		struct profile_phase *p = &r->p->phases[r->phases[i].index], *sum = &r->phases[i].sum;

		add_capped(&p->begun, sum->begun);
		add_capped(&p->calls, sum->calls);
		add_capped(&p->time, sum->time);
		add_capped(&p->cpu, sum->cpu);
		p->current |= r->phases[i].current;
	}
}
