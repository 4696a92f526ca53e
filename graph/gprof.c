/* gprof.c - the steps from a gmon.out to gprof's view, and looking things up in it. */
#include "graph/gprof.h"

#include <stdlib.h>

#include "graph/build.h"
#include "graph/gprof_build.h"

static bool start(struct gprof *g, const struct gmon_symbol *symbols, size_t n)
{
	g->routines = calloc(n + 1, sizeof *g->routines);
	if (!g->routines)
		return false;
	g->nroutines = (uint32_t)n;
	for (uint32_t i = 0; i < g->nroutines; i++)
		g->routines[i] = (struct gprof_routine){ .symbol = &symbols[i], .first_out = GPROF_NONE, .first_in = GPROF_NONE };
	return true;
}

struct gprof *gprof_build(const struct gmon *m, const struct gmon_symbol *symbols, size_t n,
			  const struct gprof_options *options, struct error *err)
{
	struct gprof *g = n < GPROF_NONE / 2 ? calloc(1, sizeof *g) : NULL;

	if (!g) {
		build_no_memory(err);
		return NULL;
	}
	g->gmon = m;
	g->others = options->others;
	g->nothers = options->nothers;
	if (start(g, symbols, n) && gprof_pick(g, options)) {
		gprof_credit(g);
		if (gprof_tally(g, options) && gprof_order(g) && gprof_spread(g))
			return g;
	}
	gprof_free(g);
	build_no_memory(err);
	return NULL;
}

void gprof_free(struct gprof *g)
{
	if (!g)
		return;
	free(g->routines);
	free(g->arcs);
	free(g->blocks);
	free(g->cycles);
	free(g->members);
	free(g->listed);
	free(g);
}

bool gprof_wanted(const struct gprof *g, uint32_t r, enum gprof_table include)
{
	unsigned picked = g->routines[r].picked;

	return picked & 1u << include || (g->npicked[include] == 0 && !(picked & 1u << (include + 1)));
}

uint32_t gprof_find(const struct gprof *g, uint64_t address)
{
	uint32_t low = 0, high = g->nroutines;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (g->routines[middle].symbol->start <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low > 0 && address <= g->routines[low - 1].symbol->last ? low - 1 : GPROF_NONE;
}
