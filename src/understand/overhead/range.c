/* range.c - a range of the time of the runs: the hooks' cost in it is that part of each context's cost which its time there is of its time.
 *
 * What the hooks cost is estimated from the whole runs, whose calls and program counters are known; so the times of ranges add up to those of the runs. */
#include <math.h>
#include <stdlib.h>

#include "understand/overhead/overhead.h"
#include "understand/overhead/steps.h"

/* Times by context, by context with all that it leads to, and by routine, and of the root, ns. */
struct sums {
	double *own, *below, *routine;
	double all;
};

static bool sums_make(struct sums *s, const struct profile *p)
{
	*s = (struct sums){ .own = calloc((size_t)p->ncontexts + 1, sizeof *s->own), .below = calloc((size_t)p->ncontexts + 1, sizeof *s->below),
			    .routine = calloc((size_t)p->nroutines + 1, sizeof *s->routine), .all = (double)p->time };
	if (!s->own || !s->below || !s->routine)
		return false;
	for (uint32_t i = p->ncontexts; i-- > 0;) {
		s->own[i] = (double)p->contexts[i].time;
		s->below[i] += s->own[i];
		s->routine[group_of(p, i)] += s->own[i];
		if (i > 0)
			s->below[p->contexts[i].parent] += s->below[i];
	}
	return true;
}

static void sums_free(struct sums *s)
{
	free(s->own);
	free(s->below);
	free(s->routine);
}

static double ratio(double part, double whole) { return whole > 0 ? part / whole : 0; }

/* The part of CONTEXT's time that is in the RANGE of the WHOLE run; of one that no sample met, that of the nearest thing that samples met: what it leads to, its
 * routine, the run. */
static double part_of(const struct sums *range, const struct sums *whole, const struct profile *p, uint32_t context)
{
	uint32_t r = group_of(p, context);

	if (whole->own[context] > 0)
		return ratio(range->own[context], whole->own[context]);
	if (whole->below[context] > 0)
		return ratio(range->below[context], whole->below[context]);
	return whole->routine[r] > 0 ? ratio(range->routine[r], whole->routine[r]) : ratio(range->all, whole->all);
}

static void costs_scale(struct overhead *o, const struct sums *range, const struct sums *whole)
{
	const struct profile *p = o->profile;

	for (uint32_t i = 0; i < p->ncontexts; i++) {
		double part = part_of(range, whole, p, i);

		o->hooks[i] = llround((double)o->hooks[i] * part);
		if (o->evidence) {
			o->evidence[i].measured *= part;
			o->evidence[i].variance *= part;
		}
	}
	for (uint32_t r = 0; r <= p->nroutines; r++)
		o->kernel[r] *= ratio(range->routine[r], whole->routine[r]);
	o->cost.total = (uint64_t)((double)o->cost.total * ratio(range->all, whole->all));
}

bool overhead_take_range(struct overhead *o, struct profile *p, const struct profile_range *r)
{
	struct sums whole, range = { 0 };
	bool ok = sums_make(&whole, p);

	if (ok) {
		profile_take_range(p, r);
		ok = sums_make(&range, p);
	}
	if (ok)
		costs_scale(o, &range, &whole);
	sums_free(&whole);
	sums_free(&range);
	return ok;
}
