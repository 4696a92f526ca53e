/* sound.c - contexts are the states of the machine, sums are conserved, orders are kept. */
#include "read/profile/tests/sound.h"

#include <stdlib.h>
#include <string.h>

enum { LONGEST = 200 };

/* Context I is what calling its routine in its parent's history makes. */
static const char *bad_context(const struct profile *p, uint32_t i, history_entry *s, history_entry *t)
{
	const struct profile_context *c = &p->contexts[i];
	size_t n, m;

	if (c->parent >= i || c->length > p->longest)
		return "a parent after its child, or a length beyond the longest";
	if (c->length > LONGEST || p->contexts[c->parent].length > LONGEST)
		return NULL;
	n = profile_history(p, i, s);
	m = profile_history(p, c->parent, t);
	if (n != c->length || n == 0 || !history_is_valid(s, n))
		return "a history that A1-A5 cannot make";
	if (history_routine(s[n - 1]) != c->routine || c->routine >= p->nroutines)
		return "a context that does not end in its routine";
	if (c->folded != (n != m + 1 || memcmp(s, t, m * sizeof *s) != 0))
		return "folded is wrong";
	m = history_next(t, m, c->routine);
	return m == n && memcmp(s, t, n * sizeof *s) == 0 ? NULL : "a history that is not its parent's next";
}

static const char *bad_contexts(const struct profile *p)
{
	history_entry s[LONGEST + 1], t[LONGEST + 1];
	const char *bad = NULL;

	if (p->ncontexts == 0 || p->contexts[0].parent != PROFILE_NONE || p->contexts[0].length != 0)
		return "no root";
	for (uint32_t i = 1; i < p->ncontexts && !bad; i++)
		bad = bad_context(p, i, s, t);
	return bad;
}

/* X + Y, staying at the largest number as the profile's sums do. */
static uint64_t sum(uint64_t x, uint64_t y)
{
	return x + y < x ? UINT64_MAX : x + y;
}

static const char *bad_sums(const struct profile *p)
{
	uint64_t in = 0, out = 0, time = 0, part_in = 0, part_time = 0;

	for (uint32_t i = 0; i < p->ncontexts; i++) {
		in = sum(in, sum(p->contexts[i].entries, p->contexts[i].recursive));
		out = sum(out, p->contexts[i].calls_out);
		time = sum(time, p->contexts[i].time);
	}
	for (size_t i = 0; i < p->nshares; i++) {
		part_in = sum(part_in, sum(p->shares[i].entries, p->shares[i].recursive));
		part_time = sum(part_time, p->shares[i].time);
	}
	if (in != out || in != part_in)
		return "calls in, calls out and calls by thread differ";
	return time == p->time && time == part_time ? NULL : "time is not conserved";
}

static const char *bad_order(const struct profile *p)
{
	for (size_t i = 0; i < p->nshares; i++)
		if (p->shares[i].thread >= p->nthreads || p->shares[i].context >= p->ncontexts)
			return "a share of nothing";
	for (size_t i = 1; i < p->nshares; i++) {
		const struct profile_share *a = &p->shares[i - 1], *b = &p->shares[i];

		if (a->thread > b->thread || (a->thread == b->thread && a->context >= b->context))
			return "shares out of order";
	}
	for (size_t i = 0; i < p->npcs; i++)
		if (p->pcs[i].context >= p->ncontexts || (i > 0 && p->pcs[i - 1].context > p->pcs[i].context))
			return "PCs out of order";
	return NULL;
}

const char *unsound(const struct profile *p)
{
	const char *bad = bad_contexts(p);

	if (!bad)
		bad = bad_sums(p);
	return bad ? bad : bad_order(p);
}
