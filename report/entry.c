/* entry.c - callers and callees, sorted. */
#include "report/entry.h"

#include <stdlib.h>

bool entry_is_within_cycle(const struct graph *g, const struct graph_arc *arc)
{
	return arc->from != GRAPH_NONE && g->routines[arc->to].cycle
		&& g->routines[arc->from].cycle == g->routines[arc->to].cycle;
}

void entry_part_legend(FILE *out, const struct graph *g, const struct text_style *style)
{
	for (uint32_t i = 0; i < g->nroutines && !style->brief; i++)
		if (g->routines[i].partly) {
			fputs(" <part>      its beginning was inlined in some of its callers: calls that ended there are not counted.\n", out);
			return;
		}
}

const char *entry_self_legend(const struct graph *g)
{
	bool own = !g->counted || g->profile->plain;

	return own ? "time in the routine itself.\n" : "time in the routine itself, and in code without hooks that it called.\n";
}

uint64_t entry_calls(const struct graph *g, const struct graph_routine *r)
{
	return r->cycle ? g->lumps[r->cycle - 1].calls : r->calls;
}

static int caller_compare(const void *left, const void *right, void *arg)
{
	const struct graph *g = arg;
	const struct graph_arc *a = &g->arcs[*(const uint32_t *)left], *b = &g->arcs[*(const uint32_t *)right];
	uint64_t s = a->self2 + a->child2, t = b->self2 + b->child2;

	if (s != t)
		return s < t ? -1 : 1;			/* dearest next to the entry's line */
	if (a->calls != b->calls)
		return a->calls < b->calls ? -1 : 1;
	return (a->from > b->from) - (a->from < b->from);
}

static int callee_compare(const void *left, const void *right, void *arg)
{
	const struct graph *g = arg;
	const struct graph_arc *a = &g->arcs[*(const uint32_t *)left], *b = &g->arcs[*(const uint32_t *)right];
	uint64_t s = a->self1 + a->child1, t = b->self1 + b->child1;

	if (s != t)
		return s > t ? -1 : 1;
	if (a->calls != b->calls)
		return a->calls > b->calls ? -1 : 1;
	return (a->to > b->to) - (a->to < b->to);
}

uint32_t entry_callers(const struct graph *g, const struct graph_routine *r, uint32_t *arcs)
{
	for (uint32_t i = 0; i < r->nin; i++)
		arcs[i] = g->in_arcs[r->first_in + i];
	qsort_r(arcs, r->nin, sizeof *arcs, caller_compare, (void *)(uintptr_t)g);
	return r->nin;
}

uint32_t entry_callees(const struct graph *g, const struct graph_routine *r, uint32_t *arcs)
{
	for (uint32_t i = 0; i < r->nout; i++)
		arcs[i] = r->first_out + i;
	qsort_r(arcs, r->nout, sizeof *arcs, callee_compare, (void *)(uintptr_t)g);
	return r->nout;
}

static int by_caller(const void *left, const void *right)
{
	const struct graph_arc *a = left, *b = right;

	return (a->from > b->from) - (a->from < b->from);
}

static int by_time(const void *left, const void *right)
{
	const struct graph_arc *a = left, *b = right;
	uint64_t s = a->self2 + a->child2, t = b->self2 + b->child2;

	return s != t ? (s > t) - (s < t) : by_caller(left, right);
}

uint32_t entry_lump_callers(const struct graph *g, const struct graph_lump *lump, struct graph_arc *arcs)
{
	uint32_t n = 0, kept = 0;

	for (uint32_t i = 0; i < lump->size; i++) {
		const struct graph_routine *r = &g->routines[g->lump_members[lump->first + i]];

		for (uint32_t k = 0; k < r->nin; k++)
			if (!entry_is_within_cycle(g, &g->arcs[g->in_arcs[r->first_in + k]]))
				arcs[n++] = g->arcs[g->in_arcs[r->first_in + k]];
	}
	qsort(arcs, n, sizeof *arcs, by_caller);
	for (uint32_t i = 0; i < n; i++)
		if (kept > 0 && arcs[kept - 1].from == arcs[i].from) {
			arcs[kept - 1].calls += arcs[i].calls;
			arcs[kept - 1].self2 += arcs[i].self2;
			arcs[kept - 1].child2 += arcs[i].child2;
		} else {
			arcs[kept++] = arcs[i];
		}
	qsort(arcs, kept, sizeof *arcs, by_time);
	return kept;
}

bool entry_is_listed(const struct graph *g, uint32_t entry)
{
	const struct graph_lump *lump = entry < g->nroutines ? NULL : &g->lumps[entry - g->nroutines];

	if (!lump)
		return !g->routines[entry].off_graph;
	for (uint32_t i = 0; i < lump->size; i++)
		if (!g->routines[g->lump_members[lump->first + i]].off_graph)
			return true;
	return false;
}
