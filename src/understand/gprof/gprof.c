/* gprof.c - the steps from a gmon.out to gprof's view. */
#include "understand/gprof/gprof.h"

#include <stdlib.h>

#include "understand/gprof/postprocess.h"

static bool gprof_start(struct gprof *g, const struct gmon_symbol *symbols, size_t n)
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

	if (!g)
		return error_no_memory(err, "gprof's view was made"), NULL;
	g->gmon = m;
	g->others = options->others;
	g->nothers = options->nothers;
	if (gprof_start(g, symbols, n) && gprof_pick(g, options)) {
		gprof_credit(g);
		if (gprof_tally(g, options) && gprof_order(g) && gprof_spread(g))
			return g;
	}
	gprof_free(g);
	return error_no_memory(err, "gprof's view was made"), NULL;
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
