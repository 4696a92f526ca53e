/* mean.c - the mean of several runs of one program, of which a profile is the sum.
 *
 * Samples stay those of all runs: each then stands for so much less, and what they say of a time is as sure as all of them make it. */
#include <stdlib.h>
#include <string.h>

#include "contract/amount.h"
#include "read/profile/private.h"

/* ---- threads ---- */

/* Set TO of each thread to how many threads before it, of its run, have its name. */
static void orders_find(const struct profile *p, uint32_t *to)
{
	for (uint32_t t = 0; t < p->nthreads; t++) {
		to[t] = 0;
		for (uint32_t i = p->runs[p->threads[t].run].first_thread; i < t; i++)
			to[t] += strcmp(p->threads[i].record.name, p->threads[t].record.name) == 0;
	}
}

static void thread_fold(struct amon_thread *to, const struct amon_thread *t)
{
	add_capped(&to->folded, t->folded);
	add_capped(&to->cpu_first, t->cpu_first);
	add_capped(&to->cpu_last, t->cpu_last);
	add_capped(&to->unplaced, t->unplaced);
	add_capped(&to->monitor, t->monitor);
	add_capped(&to->ticks, t->ticks);
	add_capped(&to->monitor_ticks, t->monitor_ticks);
	add_capped(&to->misses, t->misses);
	add_capped(&to->slow, t->slow);
	to->deepest = t->deepest > to->deepest ? t->deepest : to->deepest;
}

/* The threads of one name and order in their runs become one, which stands where the first of them did: its number in TO, which had the orders. */
static void threads_fold(struct profile *p, uint32_t *to)
{
	uint32_t kept = 0;

	for (uint32_t t = 0; t < p->nthreads; t++) {
		uint32_t order = to[t], found = 0;

		for (; found < kept; found++)
			if (strcmp(p->threads[found].record.name, p->threads[t].record.name) == 0 && order-- == 0)
				break;
		to[t] = found;
		if (found < kept)
			thread_fold(&p->threads[found].record, &p->threads[t].record);
		else
			p->threads[kept++] = p->threads[t];
	}
	p->nthreads = kept;
}

/* Sort the N records at BASE by ORDER, and ADD those that are then one to the first of them; returns how many are left. */
static size_t records_fold(void *base, size_t n, size_t size, int (*order)(const void *, const void *), void (*add)(void *to, const void *record))
{
	char *records = base;
	size_t kept = 0;

	if (n == 0)
		return 0;
	qsort(base, n, size, order);
	for (size_t i = 1; i < n; i++) {
		char *last = records + kept * size, *record = records + i * size;

		if (order(last, record) == 0) {
			add(last, record);
			continue;
		}
		kept++;
		if (kept != i)
			memcpy(records + kept * size, record, size);
	}
	return kept + 1;
}

static void share_add(void *to, const void *record)
{
	profile_sum_share(to, record);
}

static void detour_add(void *to, const void *record)
{
	add_capped(&((struct profile_detour *)to)->calls, ((const struct profile_detour *)record)->calls);
}

static void site_add(void *to, const void *record)
{
	struct profile_site *sum = to;
	const struct profile_site *s = record;

	add_capped(&sum->calls, s->calls);
	add_capped(&sum->self, s->self);
	add_capped(&sum->children, s->children);
}

/* The threads of all runs are those of one. */
static bool threads_join(struct profile *p)
{
	uint32_t *to = calloc((size_t)p->nthreads + 1, sizeof *to);

	if (!to)
		return false;
	orders_find(p, to);
	threads_fold(p, to);
	for (size_t i = 0; i < p->nshares; i++)
		p->shares[i].thread = to[p->shares[i].thread];
	for (size_t i = 0; i < p->ndetours; i++)
		p->detours[i].thread = to[p->detours[i].thread];
	for (size_t i = 0; i < p->nsites; i++)
		p->sites[i].thread = to[p->sites[i].thread];
	p->nshares = records_fold(p->shares, p->nshares, sizeof *p->shares, order_shares, share_add);
	p->ndetours = records_fold(p->detours, p->ndetours, sizeof *p->detours, order_detours, detour_add);
	p->nsites = records_fold(p->sites, p->nsites, sizeof *p->sites, order_sites, site_add);
	free(to);
	return true;
}

/* ---- the division ---- */

/* Numbers that are divided one after the other, and what is left over of each, so that their sum is that of the quotients. */
struct division {
	uint32_t by;
	uint64_t left;
};

static void divide(struct division *d, uint64_t *x)
{
	uint64_t part = *x % d->by + d->left;

	*x = *x / d->by + part / d->by;
	d->left = part % d->by;
}

static uint64_t mean_of(uint64_t x, uint32_t n) { return x / n + (x % n + n / 2) / n; }

/* Contexts are divided by routine: calls that one run in several makes here and there are still those of the routine. */
static bool contexts_divide(struct profile *p, uint32_t n)
{
	struct division *entries = calloc(2 * ((size_t)p->nroutines + 1), sizeof *entries), *recursive = entries + p->nroutines + 1, out = { n, n / 2 };

	if (!entries)
		return false;
	for (size_t i = 0; i < 2 * ((size_t)p->nroutines + 1); i++)
		entries[i] = (struct division){ n, n / 2 };
	p->time = 0;
	for (uint32_t i = 0; i < p->ncontexts; i++) {
		struct profile_context *c = &p->contexts[i];
		uint32_t r = c->routine < p->nroutines ? c->routine : p->nroutines;

		divide(&entries[r], &c->entries);
		divide(&recursive[r], &c->recursive);
		divide(&out, &c->calls_out);
		c->time = mean_of(c->time, n);
		squares_divide(c->squares, n);
		c->bytes = mean_of(c->bytes, n);
		add_capped(&p->time, c->time);
	}
	free(entries);
	return true;
}

static void threads_divide(struct profile *p, uint32_t n)
{
	for (uint32_t i = 0; i < p->nthreads; i++) {
		struct amon_thread *t = &p->threads[i].record;

		t->folded = mean_of(t->folded, n);
		t->cpu_last = t->cpu_last > t->cpu_first ? t->cpu_first + mean_of(t->cpu_last - t->cpu_first, n) : t->cpu_first;
		t->unplaced = mean_of(t->unplaced, n);
		t->monitor = mean_of(t->monitor, n);
		t->misses = mean_of(t->misses, n);
	}
	for (size_t i = 0; i < p->nshares; i++) {
		struct profile_share *s = &p->shares[i];

		s->entries = mean_of(s->entries, n);
		s->recursive = mean_of(s->recursive, n);
		s->calls_out = mean_of(s->calls_out, n);
		s->time = mean_of(s->time, n);
		squares_divide(s->squares, n);
		s->bytes = mean_of(s->bytes, n);
	}
}

/* Calls that are part of others are rounded down, so that they are never more than these. */
static void parts_divide(struct profile *p, uint32_t n)
{
	for (size_t i = 0; i < p->ndetours; i++)
		p->detours[i].calls /= n;
	for (size_t i = 0; i < p->nsites; i++)
		p->sites[i].calls /= n;
	for (size_t i = 0; i < p->narcs; i++) {
		p->arcs[i].calls = mean_of(p->arcs[i].calls, n);
		p->arcs[i].time = mean_of(p->arcs[i].time, n);
	}
	for (uint32_t i = 0; i < p->nspreads; i++) {
		struct profile_spread *s = &p->spreads[i];

		s->calls_least = mean_of(s->calls_least, n);
		s->calls_most = mean_of(s->calls_most, n);
		s->time_least = mean_of(s->time_least, n);
		s->time_most = mean_of(s->time_most, n);
	}
	for (uint32_t i = 0; i < p->nphases; i++) {
		struct profile_phase *phase = &p->phases[i];

		phase->begun = mean_of(phase->begun, n);
		phase->cpu = mean_of(phase->cpu, n);
		phase->calls = mean_of(phase->calls, n);
		phase->time = mean_of(phase->time, n);
	}
}

bool profile_take_mean(struct profile *p, uint32_t n)
{
	if (n < 2)
		return true;
	if ((p->nruns == n && !threads_join(p)) || !contexts_divide(p, n))
		return false;
	threads_divide(p, n);
	parts_divide(p, n);
	p->monitor = mean_of(p->monitor, n);
	p->unplaced = mean_of(p->unplaced, n);
	p->nslices = 0;			/* each run has its own clock */
	p->namounts = 0;		/* and what is meant is of one value */
	p->nvalues = p->nvalues > 0;
	p->mean_of = n;
	return true;
}
