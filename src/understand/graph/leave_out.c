/* leave_out.c - routines whose frames are their callers': of the layer that was not asked for, and what is hidden. */
#include <stdlib.h>

#include "understand/graph/build.h"

/* Those of the layer that is not asked for. */
static void layer_leave_out(struct graph *g)
{
	for (uint32_t r = 0; g->options.layer != GRAPH_ALL && r < g->nroutines; r++)
		if (!g->routines[r].pseudo && (profile_language(g->routines[r].name.module) != NULL) == (g->options.layer == GRAPH_NATIVE))
			g->routines[r].left_out = true;
}

bool routines_leave_out(struct graph *g, struct error *err)
{
	bool *named, done;

	layer_leave_out(g);
	if (g->options.nhide == 0)
		return true;
	named = calloc((size_t)g->nroutines + 1, sizeof *named);
	done = named || build_no_memory(err);
	for (size_t i = 0; done && i < g->options.nhide; i++)
		done = graph_match(g, "hide", g->options.hide[i], true, named, err);
	for (uint32_t r = 0; done && r < g->nroutines; r++)
		if (named[r]) {
			g->routines[r].left_out = true;
			g->nhidden++;
		}
	free(named);
	return done;
}
