/* arcs.c - arcs by (caller, callee): found by hash while the graph is built, sorted at its end.
 *
 * The table holds index + 1. */
#include "understand/graph/arcs.h"

#include <assert.h>
#include <stdlib.h>

#include "base/array.h"
#include "understand/graph/build.h"

/* Index + 1 of the arc FROM -> TO, made with zeros when new.  0: out of memory. */
static uint32_t number_of(struct arcs *a, uint32_t from, uint32_t to)
{
	uint32_t *slot = pair_table_at(&a->table, from, to);

	if (!slot)
		return 0;
	if (*slot == 0) {
		if (!array_grow(&a->arcs, &a->room, a->n, sizeof *a->arcs))
			return 0;
		a->arcs[a->n] = (struct graph_arc){ .from = from, .to = to };
		*slot = ++a->n;
	}
	assert(*slot <= a->n);
	return *slot;
}

struct graph_arc *arcs_at(struct arcs *a, uint32_t from, uint32_t to)
{
	uint32_t number = number_of(a, from, to);

	assert(number == 0 || (a->arcs[number - 1].from == from && a->arcs[number - 1].to == to));
	return number ? a->arcs + number - 1 : NULL;
}

bool arcs_find(struct arcs *a, uint32_t context, uint32_t from, uint32_t to)
{
	a->of[context] = number_of(a, from, to);
	return a->of[context] != 0;
}

static int by_from_then_to(const void *x, const void *y)
{
	const struct graph_arc *a = x, *b = y;

	if (a->from != b->from)
		return a->from < b->from ? -1 : 1;
	return a->to < b->to ? -1 : a->to > b->to;
}

/* first_out, nout, first_in and nin of the routines, from the sorted arcs. */
static void arcs_find_ranges(struct graph *g)
{
	uint32_t in = 0;

	for (uint32_t i = g->narcs; i-- > 0;) {
		g->routines[g->arcs[i].to].nin++;
		if (g->arcs[i].from != GRAPH_NONE) {
			g->routines[g->arcs[i].from].first_out = i;
			g->routines[g->arcs[i].from].nout++;
		}
	}
	for (uint32_t r = 0; r < g->nroutines; r++) {
		g->routines[r].first_in = in;
		in += g->routines[r].nin;
	}
	assert(in == g->narcs);
}

/* A counting sort by callee, stable, so that callers stay in order; nin counts up again. */
static void sort_incoming(struct graph *g)
{
	for (uint32_t r = 0; r < g->nroutines; r++)
		g->routines[r].nin = 0;
	for (uint32_t i = 0; i < g->narcs; i++) {
		struct graph_routine *to = g->routines + g->arcs[i].to;

		g->in_arcs[to->first_in + to->nin++] = i;
	}
}

bool arcs_settle(struct arcs *a, struct graph *g, struct error *err)
{
	g->in_arcs = calloc((size_t)a->n + 1, sizeof *g->in_arcs);
	if (!g->in_arcs)
		return build_no_memory(err);
	g->arcs = a->arcs;
	g->narcs = a->n;
	a->arcs = NULL;
	a->n = a->room = 0;
	if (g->narcs > 0)
		qsort(g->arcs, g->narcs, sizeof *g->arcs, by_from_then_to);
	arcs_find_ranges(g);
	sort_incoming(g);
	return true;
}

void arcs_free(struct arcs *a)
{
	free(a->arcs);
	free(a->of);
	pair_table_free(&a->table);
	*a = (struct arcs){ 0 };
}
