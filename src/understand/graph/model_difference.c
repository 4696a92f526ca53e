/* model_difference.c - two graphs of one profile, joined arc by arc.
 *
 * Routines have the same indices in both, since they are numbered before any model is looked at; arcs are sorted in both, so that
 * one pass over the two lists joins them. */
#include "understand/graph/model_difference.h"

#include <stdlib.h>

#include "understand/graph/build.h"

/* Below 0: A stands before B in the lists. */
static int model_difference_compare_places(const struct graph_arc *a, const struct graph_arc *b)
{
	if (a->from != b->from)
		return a->from < b->from ? -1 : 1;
	return (a->to > b->to) - (a->to < b->to);
}

static bool within(const struct graph *gprof, const struct graph_arc *a)
{
	return gprof->routines[a->to].cycle != 0 && gprof->routines[a->from].cycle == gprof->routines[a->to].cycle;
}

/* Append the arc that is TRUTH in one graph and GPROF in the other; either can be NULL. */
static void model_difference_add(struct compare *c, const struct graph *g, const struct graph_arc *truth, const struct graph_arc *gprof)
{
	const struct graph_arc *a = truth ? truth : gprof;
	struct compare_arc *arc = c->arcs + c->narcs;

	if (a->from == GRAPH_NONE)
		return;
	*arc = (struct compare_arc){ .from = a->from, .to = a->to, .calls = a->calls, .within = within(g, a),
		.truth = truth ? truth->self1 + truth->child1 : 0, .gprof = gprof ? gprof->self1 + gprof->child1 : 0 };
	c->narcs += arc->calls || arc->truth || arc->gprof;
	c->inclusive += arc->truth;
	if (arc->truth > arc->gprof) {
		c->wrong += arc->truth - arc->gprof;
		c->within += arc->within ? arc->truth - arc->gprof : 0;
	}
}

static void model_difference_join(struct compare *c, const struct graph *truth, const struct graph *gprof)
{
	uint32_t i = 0, k = 0;

	while (i < truth->narcs || k < gprof->narcs) {
		int place = i == truth->narcs ? 1 : k == gprof->narcs ? -1 : model_difference_compare_places(truth->arcs + i, gprof->arcs + k);

		model_difference_add(c, gprof, place <= 0 ? truth->arcs + i : NULL, place >= 0 ? gprof->arcs + k : NULL);
		i += place <= 0;
		k += place >= 0;
	}
}

/* Sum up callee_calls.  False: out of memory. */
static bool model_difference_count_calls(struct compare *c, const struct graph *truth)
{
	uint64_t *entered = calloc((size_t)truth->nroutines + 1, sizeof *entered);

	if (!entered)
		return false;
	for (uint32_t i = 0; i < truth->narcs; i++)
		entered[truth->arcs[i].to] += truth->arcs[i].calls;
	for (uint32_t i = 0; i < c->narcs; i++)
		c->arcs[i].callee_calls = entered[c->arcs[i].to];
	free(entered);
	return true;
}

static int by_error(const void *left, const void *right)
{
	const struct compare_arc *a = left, *b = right;

	if (compare_error(a) != compare_error(b))
		return compare_error(a) > compare_error(b) ? -1 : 1;
	if (a->truth != b->truth)
		return a->truth > b->truth ? -1 : 1;
	if (a->to != b->to)
		return a->to < b->to ? -1 : 1;
	return (a->from > b->from) - (a->from < b->from);
}

struct compare *compare_models(const struct graph *truth, const struct graph *gprof, struct error *err)
{
	struct compare *c = calloc(1, sizeof *c);

	if (c)
		c->arcs = calloc((size_t)truth->narcs + gprof->narcs + 1, sizeof *c->arcs);
	if (c && c->arcs)
		model_difference_join(c, truth, gprof);
	if (!c || !c->arcs || !model_difference_count_calls(c, truth)) {
		compare_free(c);
		build_no_memory(err);
		return NULL;
	}
	qsort(c->arcs, c->narcs, sizeof *c->arcs, by_error);
	return c;
}

void compare_free(struct compare *c)
{
	if (c)
		free(c->arcs);
	free(c);
}
