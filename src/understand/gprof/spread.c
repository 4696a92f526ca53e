/* spread.c - T(r) = S(r) + sum of T(e) * C(r, e) / C(e), over the callees e of r that are not in a cycle with it.
 *
 * Twice over the components: from callers to callees goes what is printed and which fraction of the time is shown (all,
 * unless -E, -F, -n, -N say otherwise), then from callees to callers the time.  A cycle is one node: the routine that stands for
 * it has the sum of its members' times. */
#include <stdlib.h>
#include <string.h>

#include "understand/gprof/postprocess.h"

/* What the callers of routine R, which are not in its cycle, let it have, for WHOLE: itself, or its cycle. */
static void callers_ask(struct gprof *g, uint32_t r, struct gprof_routine *whole)
{
	for (uint32_t a = g->routines[r].first_in; a != GPROF_NONE; a = g->arcs[a].next_in) {
		const struct gprof_routine *caller = &g->routines[g->arcs[a].from];

		if (gprof_is_inner(g, &g->arcs[a]))
			continue;
		whole->printed |= caller->printed;
		if (whole->calls)
			whole->fraction += caller->fraction * ((double)g->arcs[a].calls / (double)whole->calls);
	}
}

/* Ask the callers of R, or of all members of its cycle. */
static void inherit(struct gprof *g, uint32_t r)
{
	struct gprof_routine *whole = &g->routines[gprof_whole(g, r)];
	const struct gprof_cycle *cycle = g->routines[r].cycle ? &g->cycles[g->routines[r].cycle - 1] : NULL;

	whole->printed = false;
	whole->fraction = 0;
	if (!cycle) {
		callers_ask(g, r, whole);
		return;
	}
	for (uint32_t i = 0; i < cycle->size; i++)
		callers_ask(g, g->members[cycle->first + i], whole);
	for (uint32_t i = 0; i < cycle->size; i++) {
		g->routines[g->members[cycle->first + i]].printed = whole->printed;
		g->routines[g->members[cycle->first + i]].fraction = whole->fraction;
	}
}

static bool spread_is_in(const struct gprof_routine *r, enum gprof_table table)
{
	return r->picked & 1u << table;
}

/* Names can turn on what no caller shows, and off what some caller shows. */
static void names_decide(struct gprof *g, uint32_t i)
{
	struct gprof_routine *r = &g->routines[i];

	if (!r->printed)
		r->printed = gprof_wanted(g, i, GPROF_INCLUDE_GRAPH);
	else if (!spread_is_in(r, GPROF_INCLUDE_GRAPH) && spread_is_in(r, GPROF_EXCLUDE_GRAPH))
		r->printed = false;
	if (r->fraction == 0)
		r->fraction = gprof_wanted(g, i, GPROF_INCLUDE_TIME);
	else if (!spread_is_in(r, GPROF_INCLUDE_TIME) && spread_is_in(r, GPROF_EXCLUDE_TIME))
		r->fraction = 0;
	r->shown_self = r->self * r->fraction;
	g->shown_time += r->shown_self;
}

/* From the top to the bottom of ORDER; members of a cycle stand together. */
static void shown_spread(struct gprof *g, const uint32_t *order)
{
	uint32_t asked = GPROF_NONE;

	for (uint32_t i = g->nroutines; i-- > 0;) {
		uint32_t whole = gprof_whole(g, order[i]);

		if (whole != asked)
			inherit(g, order[i]);
		asked = whole;
		names_decide(g, order[i]);
	}
}

/* The self time of a cycle; members that -E names have none to share. */
static void cycles_sum(struct gprof *g)
{
	for (uint32_t c = 0; c < g->ncycles; c++) {
		struct gprof_routine *whole = &g->routines[g->nroutines + c];

		for (uint32_t i = 0; i < g->cycles[c].size; i++) {
			const struct gprof_routine *m = &g->routines[g->members[g->cycles[c].first + i]];

			if (m->fraction != 0)
				whole->self += m->self;
		}
		whole->shown_self = whole->fraction * whole->self;
	}
}

/* What routine R gets along ARC from its callee, and its cycle with it. */
static void arc_spread(struct gprof *g, uint32_t r, struct gprof_arc *arc)
{
	struct gprof_routine *to = &g->routines[gprof_whole(g, arc->to)], *from = &g->routines[r];
	double part = (double)arc->calls / (double)to->calls, share, shown;

	arc->self = to->self * part;
	arc->child = to->child * part;
	share = arc->self + arc->child;
	shown = from->fraction * share;
	from->child += share;
	from->shown_child += shown;
	arc->self *= from->fraction;
	arc->child *= from->fraction;
	if (from->cycle) {
		g->routines[gprof_whole(g, r)].child += share;
		g->routines[gprof_whole(g, r)].shown_child += shown;
	}
}

static void time_gather(struct gprof *g, uint32_t r)
{
	if (g->routines[r].fraction == 0)
		return;
	for (uint32_t a = g->routines[r].first_out; a != GPROF_NONE; a = g->arcs[a].next_out) {
		const struct gprof_arc *arc = &g->arcs[a];

		if (arc->calls == 0 || gprof_is_inner(g, arc) || g->routines[arc->to].fraction == 0
		    || g->routines[gprof_whole(g, arc->to)].calls == 0)
			continue;
		arc_spread(g, r, &g->arcs[a]);
	}
}

/* The routines by their component's number, those of one component by address; malloc'ed. */
static uint32_t *spread_order_make(const struct gprof *g)
{
	uint32_t *order = calloc((size_t)g->nroutines + 1, sizeof *order);
	uint32_t *next = calloc((size_t)g->nroutines + 2, sizeof *next);

	if (order && next) {
		for (uint32_t i = 0; i < g->nroutines; i++)
			next[g->routines[i].topological + 1]++;
		for (uint32_t i = 1; i < g->nroutines + 2; i++)
			next[i] += next[i - 1];
		for (uint32_t i = 0; i < g->nroutines; i++)
			order[next[g->routines[i].topological]++] = i;
	} else {
		free(order);
		order = NULL;
	}
	free(next);
	return order;
}

bool gprof_spread(struct gprof *g)
{
	uint32_t *order = spread_order_make(g);

	g->listed = calloc((size_t)g->nroutines + g->ncycles + 1, sizeof *g->listed);
	if (!order || !g->listed) {
		free(order);
		return false;
	}
	shown_spread(g, order);
	cycles_sum(g);
	for (uint32_t i = 0; i < g->nroutines; i++)
		time_gather(g, order[i]);
	free(order);
	gprof_list(g);
	return true;
}

static int name_compare(const struct gprof_routine *a, const struct gprof_routine *b)
{
	int x = a->symbol->name[0] == '_', y = b->symbol->name[0] == '_';

	if (x != y)
		return x - y;
	if (a->calls != b->calls)
		return a->calls > b->calls ? -1 : 1;
	return strcmp(a->symbol->name, b->symbol->name);
}

/* The dearest first; then cycles; then names without an underscore; then what was called most. */
static int listed_compare(const void *left, const void *right, void *arg)
{
	const struct gprof *g = arg;
	uint32_t i = *(const uint32_t *)left, j = *(const uint32_t *)right;
	const struct gprof_routine *a = &g->routines[i], *b = &g->routines[j];
	double difference = (a->shown_self + a->shown_child) - (b->shown_self + b->shown_child);
	int c = (difference < 0) - (difference > 0);

	if (c == 0)
		c = (b->symbol == NULL) - (a->symbol == NULL);
	if (c == 0 && a->symbol)
		c = name_compare(a, b);
	return c ? c : (i > j) - (i < j);
}

void gprof_list(struct gprof *g)
{
	uint32_t n = g->nroutines + g->ncycles;

	for (uint32_t i = 0; i < n; i++)
		g->listed[i] = i;
	qsort_r(g->listed, n, sizeof *g->listed, listed_compare, g);
	for (uint32_t i = 0; i < n; i++)
		g->routines[g->listed[i]].place = i + 1;
}
