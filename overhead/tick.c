/* tick.c - the time that a sample stands for, where errors are reckoned from it. */
#include "overhead/overhead.h"

#include <math.h>

#define ODDS 2.0

/* What part of the looks of the sampler find a thread of RUN at work, where a look that did so brought TICK ns: as many as came of those that were asked for, or
 * as long as it had a processor. */
static double found_part(const struct profile_run *run, double tick)
{
	const struct amon_header *h = &run->header;
	double asked = 1e9 / fmax(h->rate, 1) / tick, lived = (double)h->end_monotonic - (double)h->start_monotonic;
	double busy = lived > 0 ? (double)h->cpu_total / lived : 0;

	return fmin(fmax(asked, busy), 1);
}

struct overhead_late overhead_late(const struct profile *p)
{
	double whole = (double)p->time + (double)p->monitor + (double)p->unplaced;
	struct overhead_late late = { 0 };

	for (uint32_t i = 0; i < p->nruns && whole > 0; i++) {
		late.charged += (double)p->runs[i].header.late_charged / whole;
		late.left += (double)p->runs[i].header.late_left / whole;
	}
	late.charged = fmin(late.charged, 1);
	late.left = fmin(late.left, 1 - late.charged);
	return late;
}

/* Looks may come late where the program does one thing rather than another.
 *
 * Of what late looks charged nothing is known: a routine may have had all of it or nothing (the worst-case bounds of Manski, Anatomy of the selection problem,
 * 1989).  What they left is charged as others found it.  There the odds that a look is late may be up to ODDS times as large in one routine as elsewhere: so
 * the odds of its share may differ by as much from what is known (the bounds of Rosenbaum's sensitivity analysis, Observational Studies, 2002, chapter 4). */
void overhead_widen(const struct overhead_late *late, double *lo, double *hi)
{
	double known = 1 - late->charged - late->left;

	*lo = known * *lo + late->left * *lo / (ODDS - (ODDS - 1) * *lo);
	*hi = known * *hi + late->left * ODDS * *hi / (1 + (ODDS - 1) * *hi) + late->charged;
}

/* What a thread spent while looks did not find it at work the next one that does brings.  So where a part q of the looks do, what each brings is a geometric sum,
 * whose mean square is 2 - q times the square of its mean. */
double overhead_tick(const struct profile *p)
{
	double tick = profile_tick(p), sum = 0;

	for (uint32_t i = 0; tick > 0 && i < p->nruns; i++)
		sum += p->runs[i].header.source == AMON_SOURCE_SAMPLER ? 2 - found_part(p->runs + i, tick) : 1;
	return p->nruns ? tick * sum / p->nruns : tick;
}
