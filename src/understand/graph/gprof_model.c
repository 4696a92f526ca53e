/* gprof_model.c - gprof's model of attribution (Graham, Kessler and McKusick 1982, "Post Processing").
 *
 *     T(r) = S(r) + sum over r calls e of  T(e) * C(r,e) / C(e)
 *
 * Strongly connected components of the call graph (Tarjan 1972) count as one node each: members add up, calls among them
 * and direct recursion propagate nothing.  Tarjan's algorithm closes a component after all those that it calls, so
 * the order of closing is the topological numbering, in which arcs between components descend, and one pass in
 * it propagates all time.
 *
 * Times are whole nanoseconds: what a component's callers get is cut from its time at the running sums of their calls, so
 * that the parts add up to it, and each is less than 1 ns from the exact quotient.  Where nobody is known to have called a
 * component its time stays there. */
#include "understand/graph/build.h"
#include "understand/graph/strong_components.h"

/* What one component has to share among its callers. */
struct share {
	uint64_t self;		/* ns */
	uint64_t child;		/* ns */
	uint64_t calls;		/* from outside */
	uint64_t given;		/* calls that have had their part */
};

/* The part of TIME that calls FROM .. TO of CALLS have. */
static uint64_t gprof_model_part(uint64_t time, uint64_t from, uint64_t to, uint64_t calls)
{
	return (uint64_t)((unsigned __int128)time * to / calls - (unsigned __int128)time * from / calls);
}

/* Give the callers along ARC, from outside of the component, their part of S. */
static void gprof_model_give(struct components *t, struct graph_arc *arc, struct share *s)
{
	uint64_t to = s->given + arc->calls;

	if (s->calls == 0)
		return;
	arc->self1 = arc->self2 = gprof_model_part(s->self, s->given, to, s->calls);
	arc->child1 = arc->child2 = gprof_model_part(s->child, s->given, to, s->calls);
	s->given = to;
	if (arc->from != GRAPH_NONE)
		t->g->routines[arc->from].total += arc->self1 + arc->child1;
}

/* Propagate the time of component C, but that of closed members; those that it calls have given theirs to its members' totals. */
static void propagate(struct components *t, uint32_t c)
{
	struct graph *g = t->g;
	struct share s = { 0 };

	for (uint32_t i = t->start[c]; i < t->start[c + 1]; i++) {
		const struct graph_routine *r = g->routines + t->closed[i];

		if (r->closed)
			continue;
		s.self += r->self;
		s.child += r->total - r->self;
		for (uint32_t k = t->in.first[t->closed[i]]; k < t->in.first[t->closed[i] + 1]; k++)
			if (!components_are_same(g, t->arcs->arcs + t->in.at[k]))
				s.calls += t->arcs->arcs[t->in.at[k]].calls;
	}
	for (uint32_t i = t->start[c]; i < t->start[c + 1]; i++)
		for (uint32_t k = t->in.first[t->closed[i]]; k < t->in.first[t->closed[i] + 1] && !g->routines[t->closed[i]].closed; k++)
			if (!components_are_same(g, t->arcs->arcs + t->in.at[k]))
				gprof_model_give(t, t->arcs->arcs + t->in.at[k], &s);
}

/* Samples behind the totals, in proportion: the model knows those of self times only. */
static void estimate_ticks(struct graph *g)
{
	for (uint32_t i = 0; i < g->nroutines && g->time > 0; i++)
		g->routines[i].total_ticks = (uint64_t)((unsigned __int128)g->ticks * g->routines[i].total / g->time);
}

bool gprof_model_attribute(struct graph *g, struct arcs *arcs, const struct weight *w, struct error *err)
{
	struct components t = { 0 };
	bool done = components_find(&t, g, arcs);

	(void)w;
	if (done) {
		for (uint32_t r = 0; r < g->nroutines; r++)
			g->routines[r].total = g->routines[r].self;
		for (uint32_t c = 0; c < t.ncomponents; c++)
			propagate(&t, c);
		done = components_lump(&t);
	}
	if (done) {
		components_sum(&t);
		estimate_ticks(g);
	}
	components_free(&t);
	return done || build_no_memory(err);
}
