/* given_model.c - no model: what a file of other people's says of arcs, where it has no contexts (AMON_WAY_ARCS).
 *
 * Self times and calls are given, and of each arc the time that passed in its calls, in the callee and in what that called.  So the total of a
 * routine is its self time and what its outgoing arcs have, or what its incoming ones have, if that is more: callgrind loses some instructions of
 * a routine that ends the process, and aprof's own export has the callee's view of arcs.  Of routines that call each other in a circle the times of arcs among them would
 * count some time twice or more: these arcs have calls alone, and callers have what arcs from outside say, as of gprof's cycles.  How much of an
 * arc's time is the callee's own nobody knows: it stands as child1 and child2, and graph.arcs_alone is true. */
#include <stdlib.h>

#include "understand/graph/build.h"
#include "understand/graph/strong_components.h"

/* The arcs with their calls and times, but direct recursion, which is none. */
static bool arcs_take(struct graph *g, struct arcs *arcs, struct error *err)
{
	for (size_t i = 0; i < g->profile->narcs; i++) {
		const struct profile_arc *a = &g->profile->arcs[i];
		uint32_t from = a->from == PROFILE_NONE ? GRAPH_NONE : g->routine_of[a->from], to = g->routine_of[a->to];
		struct graph_arc *arc;

		g->calls += a->calls;
		if (from == to) {
			g->routines[to].recursive += a->calls;
			continue;
		}
		arc = arcs_at(arcs, from, to);
		if (!arc)
			return build_no_memory(err);
		g->routines[to].calls += a->calls;
		arc->calls += a->calls;
		arc->child1 += a->time;
	}
	return true;
}

/* What nobody is known to have called for: of the root of all, and of those that were entered otherwise. */
static bool given_model_rest_add(struct graph *g, struct arcs *arcs, const uint64_t *called, struct error *err)
{
	for (uint32_t r = 0; r < g->nroutines; r++) {
		const struct graph_routine *to = &g->routines[r];
		struct graph_arc *arc;

		if (to->cycle || called[r] >= to->total)
			continue;
		arc = arcs_at(arcs, GRAPH_NONE, r);
		if (!arc)
			return build_no_memory(err);
		arc->child1 += to->total - called[r];
		arc->child2 = arc->child1;
	}
	return true;
}

/* Totals from outgoing arcs, and into CALLED, by routine, what the incoming ones have. */
static void totals_make(struct graph *g, struct arcs *arcs, uint64_t *called)
{
	for (uint32_t r = 0; r < g->nroutines; r++)
		g->routines[r].total = g->routines[r].self;
	for (uint32_t i = 0; i < arcs->n; i++) {
		struct graph_arc *a = &arcs->arcs[i];

		if (components_are_same(g, a))
			a->child1 = 0;
		a->child2 = a->child1;
		called[a->to] += a->child1;
		if (a->from != GRAPH_NONE)
			g->routines[a->from].total += a->child1;
	}
}

/* Callers may know of more than the routine's own lines tell. */
static void totals_raise(struct graph *g, const uint64_t *called)
{
	for (uint32_t r = 0; r < g->nroutines; r++)
		if (!g->routines[r].cycle && g->routines[r].total < called[r])
			g->routines[r].total = called[r];
}

bool given_arcs_attribute(struct graph *g, struct arcs *arcs, const struct weight *w, struct error *err)
{
	struct components t = { 0 };
	uint64_t *called = calloc((size_t)g->nroutines + 1, sizeof *called);
	bool done = called && arcs_take(g, arcs, err) && components_find(&t, g, arcs);

	(void)w;
	if (done) {
		totals_make(g, arcs, called);
		done = components_lump(&t);
	}
	if (done) {
		totals_raise(g, called);
		components_sum(&t);
		done = given_model_rest_add(g, arcs, called, err);
	}
	components_free(&t);
	free(called);
	return done || build_no_memory(err);
}
