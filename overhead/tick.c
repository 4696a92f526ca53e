/* tick.c - the time that a sample stands for, where errors are reckoned from it. */
#include "overhead/overhead.h"

#include <math.h>

/* What part of the looks of the sampler find a thread of RUN at work, where a look that did so brought TICK ns: as many as came of those that were asked for, or
 * as long as it had a processor. */
static double found_part(const struct profile_run *run, double tick)
{
	const struct amon_header *h = &run->header;
	double asked = 1e9 / fmax(h->rate, 1) / tick, lived = (double)h->end_monotonic - (double)h->start_monotonic;
	double busy = lived > 0 ? (double)h->cpu_total / lived : 0;

	return fmin(fmax(asked, busy), 1);
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
