/* range.c - a range of the time of the runs: the hooks' cost in it is that part of each context's cost which its time there is of its time.
 *
 * What the hooks cost is estimated from the whole runs, whose calls and program counters are known; so the times of ranges add up to those of the runs. */
#include <math.h>
#include <stdlib.h>

#include "overhead/overhead.h"
#include "overhead/steps.h"

/* Whole times, of which the range is a part, ns: by context, then by routine, and of the root. */
struct whole {
	double *contexts, *routines, *ranges;	/* routines: of the runs, and in the range */
	double all;
};

static bool whole_make(struct whole *w, const struct profile *p)
{
	*w = (struct whole){ .contexts = calloc((size_t)p->ncontexts + 1, sizeof *w->contexts), .routines = calloc((size_t)p->nroutines + 1, sizeof *w->routines),
			     .ranges = calloc((size_t)p->nroutines + 1, sizeof *w->ranges), .all = (double)p->time };
	for (uint32_t i = 0; w->contexts && w->routines && w->ranges && i < p->ncontexts; i++) {
		w->contexts[i] = (double)p->contexts[i].time;
		w->routines[group_of(p, i)] += w->contexts[i];
	}
	return w->contexts && w->routines && w->ranges;
}

static void whole_free(struct whole *w)
{
	free(w->contexts);
	free(w->routines);
	free(w->ranges);
}

/* The part of CONTEXT's time that is in the range; of one that no sample met, its routine's. */
static double part_of(const struct whole *w, const struct profile *p, uint32_t context)
{
	uint32_t r = group_of(p, context);

	if (w->contexts[context] > 0)
		return (double)p->contexts[context].time / w->contexts[context];
	return w->routines[r] > 0 ? w->ranges[r] / w->routines[r] : 0;
}

static void costs_scale(struct overhead *o, const struct whole *w)
{
	const struct profile *p = o->profile;

	for (uint32_t i = 0; i < p->ncontexts; i++) {
		double part = part_of(w, p, i);

		o->hooks[i] = llround((double)o->hooks[i] * part);
		if (o->evidence) {
			o->evidence[i].measured *= part;
			o->evidence[i].variance *= part;
		}
	}
	for (uint32_t r = 0; r <= p->nroutines; r++)
		o->kernel[r] *= w->routines[r] > 0 ? w->ranges[r] / w->routines[r] : 0;
	o->cost.total = w->all > 0 ? (uint64_t)((double)o->cost.total * ((double)p->time / w->all)) : 0;
}

bool overhead_take_range(struct overhead *o, struct profile *p, const struct profile_range *r)
{
	struct whole w;
	bool ok = whole_make(&w, p);

	if (ok) {
		profile_take_range(p, r);
		for (uint32_t i = 0; i < p->ncontexts; i++)
			w.ranges[group_of(p, i)] += (double)p->contexts[i].time;
		costs_scale(o, &w);
	}
	whole_free(&w);
	return ok;
}
