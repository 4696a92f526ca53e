/* credit.c - from bins of the histogram to the routines' own samples.
 *
 * A bin can lie over several routines: each is credited in proportion to the addresses that it has in the bin.  All is counted in units of
 * two bytes, and bounds of bins are cut to whole units, as gprof does. */
#include "understand/gprof/postprocess.h"

enum { UNIT = 2 };	/* bytes */

/* Where routine I begins and ends, in units. It reaches to the next one, whatever its last byte; the last has no
 * end that gprof knows of, and is credited nothing. */
static uint64_t unit_start(const struct gprof *g, uint32_t i)
{
	return g->routines[i].symbol->start / UNIT;
}

static uint64_t unit_end(const struct gprof *g, uint32_t i)
{
	return i + 1 < g->nroutines ? unit_start(g, i + 1) : 0;
}

static uint64_t credit_least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static uint64_t most(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/* The bin of COUNT samples over the units [LOW, HIGH): to all routines from *FIRST on, which moves up to the first that
 * can have a part of the next bin. */
static void bin_credit(struct gprof *g, uint64_t low, uint64_t high, uint32_t count, uint32_t *first)
{
	while (*first < g->nroutines && unit_end(g, *first) <= low)
		++*first;
	for (uint32_t i = *first; i < g->nroutines && high >= unit_start(g, i); i++) {
		double credit;

		if (low >= unit_end(g, i))
			continue;
		credit = (double)(credit_least(high, unit_end(g, i)) - most(low, unit_start(g, i))) * count / g->gmon->scale;
		if (high <= unit_start(g, i))
			continue;
		if (gprof_wanted(g, i, GPROF_INCLUDE_FLAT))
			g->routines[i].self += credit;
		else
			g->time -= credit;
	}
}

static void histogram_credit(struct gprof *g, const struct gmon_histogram *h)
{
	double scale = g->gmon->scale;
	uint64_t base = h->low / UNIT;
	uint32_t first = 0;

	for (uint32_t i = 0; i < h->nbins; i++) {
		if (h->bins[i] == 0)
			continue;
		g->time += h->bins[i];
		bin_credit(g, base + (uint64_t)(scale * i), base + (uint64_t)(scale * ((double)i + 1)), h->bins[i], &first);
	}
}

void gprof_credit(struct gprof *g)
{
	for (size_t i = 0; i < g->gmon->nhistograms; i++)
		histogram_credit(g, &g->gmon->histograms[i]);
}
