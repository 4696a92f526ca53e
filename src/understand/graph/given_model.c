/* given_model.c - no model: what a file of other people's says of arcs, where it has no contexts (AMON_WAY_ARCS).
 *
 * Self times and calls are given, and of each arc the time that passed in its calls, in the callee and in what that called.  So the total of a
 * routine is its self time and what its outgoing arcs have, or what its incoming ones have, if that is more: callgrind loses some instructions of
 * a routine that ends the process, and aprof's own export has the callee's view of arcs.
 *
 * Of routines that call each other in a circle arcs have the time of calls within calls, too, so both sums may count some time twice or more.  Most routines of a large circle are never
 * under way twice, and for these what the incoming arcs have is true; so that is the total, but no more than the whole circle has: what its members have themselves, and what it calls
 * outside.  How much of an arc's time is the callee's own nobody knows: it stands as child1 and child2, and graph.arcs_alone is true. */
#include <stdlib.h>

#include "base/array.h"
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

		if (called[r] >= to->total)
			continue;
		arc = arcs_at(arcs, GRAPH_NONE, r);
		if (!arc)
			return build_no_memory(err);
		arc->child1 += to->total - called[r];
		arc->child2 = arc->child1;
	}
	return true;
}

/* Of each component the self times of its members and what it calls outside: into WHOLE, by topological number; and of routines what outgoing arcs say, into totals, and incoming ones, into CALLED. */
static void given_model_sum(struct graph *g, struct arcs *arcs, uint64_t *called, uint64_t *whole)
{
	for (uint32_t r = 0; r < g->nroutines; r++) {
		g->routines[r].total = g->routines[r].self;
		whole[g->routines[r].topological] += g->routines[r].self;
	}
	for (uint32_t i = 0; i < arcs->n; i++) {
		struct graph_arc *a = &arcs->arcs[i];

		a->child2 = a->child1;
		add_capped(&called[a->to], a->child1);
		if (a->from == GRAPH_NONE)
			continue;
		add_capped(&g->routines[a->from].total, a->child1);
		if (!components_are_same(g, a))
			add_capped(&whole[g->routines[a->from].topological], a->child1);
	}
}

/* The total of R, of a component of several routines that has WHOLE, or of one alone, when it is 0: what callers know of, or who it calls. */
static void total_settle(struct graph_routine *r, uint64_t called, uint64_t whole)
{
	if (whole)
		r->total = called ? called : r->total;
	else if (called > r->total)
		r->total = called;
	if (whole && r->total > whole)
		r->total = whole;
	if (r->total < r->self)
		r->total = r->self;
}

static bool is_circle(const struct components *t, uint32_t topological) { return t->start[topological] - t->start[topological - 1] > 1; }

/* Does the file tell the times of arcs?  gmon.out does not. */
static bool has_times(const struct graph *g)
{
	for (size_t i = 0; i < g->profile->narcs; i++)
		if (g->profile->arcs[i].time)
			return true;
	return !g->counted || g->profile->narcs == 0;
}

/* The times of arcs ARCS by their calls, as of gprof's model. */
static bool times_share(struct graph *g, struct arcs *arcs, const struct weight *w, struct error *err)
{
	return arcs_take(g, arcs, err) && gprof_model_attribute(g, arcs, w, err);
}

bool given_arcs_attribute(struct graph *g, struct arcs *arcs, const struct weight *w, struct error *err)
{
	struct components t = { 0 };
	uint64_t *called = calloc((size_t)g->nroutines + 1, sizeof *called), *whole = calloc((size_t)g->nroutines + 2, sizeof *whole);
	bool times = has_times(g), done = called && whole && (!times || (arcs_take(g, arcs, err) && components_find(&t, g, arcs)));

	if (done && !times) {
		done = times_share(g, arcs, w, err);
	} else if (done) {
		given_model_sum(g, arcs, called, whole);
		for (uint32_t r = 0; r < g->nroutines; r++)
			total_settle(&g->routines[r], called[r], is_circle(&t, g->routines[r].topological) ? whole[g->routines[r].topological] : 0);
		done = given_model_rest_add(g, arcs, called, err);
	}
	components_free(&t);
	free(called);
	free(whole);
	return done || build_no_memory(err);
}
