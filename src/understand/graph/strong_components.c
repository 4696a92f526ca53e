/* strong_components.c - Tarjan's algorithm, without recursion, and the sums of what calls itself in a circle. */
#include "understand/graph/strong_components.h"

#include <stdlib.h>

static uint32_t strong_components_end_of(const struct graph_arc *arc, bool outgoing)
{
	return outgoing ? arc->from : arc->to;
}

/* A counting sort. */
static bool ends_make(struct ends *e, const struct arcs *a, uint32_t n, bool outgoing)
{
	e->first = calloc((size_t)n + 1, sizeof *e->first);
	e->at = calloc((size_t)a->n + 1, sizeof *e->at);
	if (!e->first || !e->at)
		return false;
	for (uint32_t i = 0; i < a->n; i++)
		if (strong_components_end_of(a->arcs + i, outgoing) != GRAPH_NONE)
			e->first[strong_components_end_of(a->arcs + i, outgoing)]++;
	for (uint32_t r = 0, sum = 0; r <= n; r++)
		e->first[r] = sum += e->first[r];
	for (uint32_t i = a->n; i-- > 0;)
		if (strong_components_end_of(a->arcs + i, outgoing) != GRAPH_NONE)
			e->at[--e->first[strong_components_end_of(a->arcs + i, outgoing)]] = i;
	return true;
}

static bool components_start(struct components *t)
{
	uint32_t n = t->g->nroutines;
	uint32_t **const arrays[] = { &t->order, &t->low, &t->next, &t->path, &t->open, &t->closed, &t->start };

	for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) {
		*arrays[i] = calloc((size_t)n + 1, sizeof **arrays[i]);
		if (!*arrays[i])
			return false;
	}
	return ends_make(&t->out, t->arcs, n, true) && ends_make(&t->in, t->arcs, n, false);
}

void components_free(struct components *t)
{
	uint32_t *const arrays[] = { t->order, t->low, t->next, t->path, t->open, t->closed, t->start, t->out.first, t->out.at,
		t->in.first, t->in.at };

	for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
		free(arrays[i]);
}

static void discover(struct components *t, uint32_t r)
{
	t->order[r] = t->low[r] = ++t->discovered;
	t->next[r] = t->out.first[r];
	t->path[t->depth++] = r;
	t->open[t->nopen++] = r;
}

/* R is the first routine of its component that was discovered, and all that it calls has been visited. */
static void close_component(struct components *t, uint32_t r)
{
	uint32_t member;

	t->start[t->ncomponents++] = t->nclosed;
	do {
		member = t->open[--t->nopen];
		t->g->routines[member].topological = t->ncomponents;
		t->closed[t->nclosed++] = member;
	} while (member != r);
	t->start[t->ncomponents] = t->nclosed;
}

/* Follow the next arc of R, the last of the path; false if there is none. */
static bool strong_components_follow(struct components *t, uint32_t r)
{
	uint32_t callee;

	if (t->next[r] == t->out.first[r + 1])
		return false;
	callee = t->arcs->arcs[t->out.at[t->next[r]++]].to;
	if (t->order[callee] == 0)
		discover(t, callee);
	else if (t->g->routines[callee].topological == 0 && t->order[callee] < t->low[r])
		t->low[r] = t->order[callee];
	return true;
}

/* Leave R, the last of the path. */
static void strong_components_leave(struct components *t, uint32_t r)
{
	uint32_t caller = --t->depth > 0 ? t->path[t->depth - 1] : GRAPH_NONE;

	if (caller != GRAPH_NONE && t->low[r] < t->low[caller])
		t->low[caller] = t->low[r];
	if (t->low[r] == t->order[r])
		close_component(t, r);
}

static void number_all(struct components *t)
{
	for (uint32_t r = 0; r < t->g->nroutines; r++) {
		if (t->order[r] == 0)
			discover(t, r);
		while (t->depth > 0)
			if (!strong_components_follow(t, t->path[t->depth - 1]))
				strong_components_leave(t, t->path[t->depth - 1]);
	}
}

bool components_find(struct components *t, struct graph *g, struct arcs *a)
{
	t->g = g;
	t->arcs = a;
	if (!components_start(t))
		return false;
	number_all(t);
	return true;
}

bool components_are_same(const struct graph *g, const struct graph_arc *arc)
{
	return arc->from != GRAPH_NONE && g->routines[arc->from].topological == g->routines[arc->to].topological;
}

bool components_lump(struct components *t)
{
	struct graph *g = t->g;

	for (uint32_t c = 0; c < t->ncomponents; c++)
		g->nlumps += t->start[c + 1] - t->start[c] > 1;
	g->lumps = calloc((size_t)g->nlumps + 1, sizeof *g->lumps);
	g->lump_members = calloc((size_t)g->nroutines + 1, sizeof *g->lump_members);
	if (!g->lumps || !g->lump_members)
		return false;
	g->nlumps = 0;
	for (uint32_t r = 0, n = 0; r < g->nroutines; r++) {
		uint32_t c = g->routines[r].topological - 1, size = t->start[c + 1] - t->start[c];

		if (size == 1 || g->routines[r].cycle != 0)
			continue;
		g->lumps[g->nlumps++] = (struct graph_lump){ .first = n, .size = size };
		for (uint32_t i = t->start[c]; i < t->start[c + 1]; i++) {
			g->routines[t->closed[i]].cycle = g->nlumps;
			g->lump_members[n++] = t->closed[i];
		}
	}
	return true;
}

void components_sum(struct components *t)
{
	struct graph *g = t->g;

	for (uint32_t r = 0; r < g->nroutines; r++)
		if (g->routines[r].cycle != 0) {
			g->lumps[g->routines[r].cycle - 1].self += g->routines[r].self;
			g->lumps[g->routines[r].cycle - 1].total += g->routines[r].total;
		}
	for (uint32_t i = 0; i < t->arcs->n; i++) {
		const struct graph_arc *arc = t->arcs->arcs + i;
		struct graph_lump *lump = g->lumps + g->routines[arc->to].cycle - 1;

		if (g->routines[arc->to].cycle == 0)
			continue;
		*(components_are_same(g, arc) ? &lump->inner : &lump->calls) += arc->calls;
	}
}
