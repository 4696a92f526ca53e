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
#include <stdlib.h>

#include "graph/build.h"

/* The arcs at one end of each routine: of r, at[first[r] .. first[r + 1]) are indices in struct arcs. */
struct ends {
	uint32_t *first;	/* by routine, and one more */
	uint32_t *at;		/* arcs */
};

/* One run of the model.  By routine, unless said otherwise. */
struct numbering {
	struct graph *g;	/* whose routines are numbered */
	struct arcs *arcs;	/* its arcs */
	struct ends out;	/* arcs by caller */
	struct ends in;		/* arcs by callee */
	uint32_t *order;	/* order of discovery, from 1; 0: not discovered yet */
	uint32_t *low;		/* the earliest open routine that is known to be reached from it */
	uint32_t *next;		/* position in out.at of the arc to follow next */
	uint32_t *path;		/* routines under visit, each called by the one before */
	uint32_t depth;		/* how many */
	uint32_t *open;		/* discovered routines whose component is not closed, in order of discovery */
	uint32_t nopen;		/* how many */
	uint32_t *closed;	/* routines in order of closing: component after component */
	uint32_t nclosed;	/* how many */
	uint32_t *start;	/* by component, from 0: its first routine in closed[]; and one more */
	uint32_t ncomponents;	/* how many */
	uint32_t discovered;	/* routines with an order */
};

static uint32_t end_of(const struct graph_arc *arc, bool outgoing)
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
		if (end_of(a->arcs + i, outgoing) != GRAPH_NONE)
			e->first[end_of(a->arcs + i, outgoing)]++;
	for (uint32_t r = 0, sum = 0; r <= n; r++)
		e->first[r] = sum += e->first[r];
	for (uint32_t i = a->n; i-- > 0;)
		if (end_of(a->arcs + i, outgoing) != GRAPH_NONE)
			e->at[--e->first[end_of(a->arcs + i, outgoing)]] = i;
	return true;
}

static bool numbering_start(struct numbering *t)
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

static void numbering_end(struct numbering *t)
{
	uint32_t *const arrays[] = { t->order, t->low, t->next, t->path, t->open, t->closed, t->start, t->out.first, t->out.at,
		t->in.first, t->in.at };

	for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
		free(arrays[i]);
}

static void discover(struct numbering *t, uint32_t r)
{
	t->order[r] = t->low[r] = ++t->discovered;
	t->next[r] = t->out.first[r];
	t->path[t->depth++] = r;
	t->open[t->nopen++] = r;
}

/* R is the first routine of its component that was discovered, and all that it calls has been visited. */
static void close_component(struct numbering *t, uint32_t r)
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
static bool follow(struct numbering *t, uint32_t r)
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
static void leave(struct numbering *t, uint32_t r)
{
	uint32_t caller = --t->depth > 0 ? t->path[t->depth - 1] : GRAPH_NONE;

	if (caller != GRAPH_NONE && t->low[r] < t->low[caller])
		t->low[caller] = t->low[r];
	if (t->low[r] == t->order[r])
		close_component(t, r);
}

static void number_all(struct numbering *t)
{
	for (uint32_t r = 0; r < t->g->nroutines; r++) {
		if (t->order[r] == 0)
			discover(t, r);
		while (t->depth > 0)
			if (!follow(t, t->path[t->depth - 1]))
				leave(t, t->path[t->depth - 1]);
	}
}

static bool same_component(const struct graph *g, const struct graph_arc *arc)
{
	return arc->from != GRAPH_NONE && g->routines[arc->from].topological == g->routines[arc->to].topological;
}

/* What one component has to share among its callers. */
struct share {
	uint64_t self;		/* ns */
	uint64_t child;		/* ns */
	uint64_t calls;		/* from outside */
	uint64_t given;		/* calls that have had their part */
};

/* The part of TIME that calls FROM .. TO of CALLS have. */
static uint64_t part(uint64_t time, uint64_t from, uint64_t to, uint64_t calls)
{
	return (uint64_t)((unsigned __int128)time * to / calls - (unsigned __int128)time * from / calls);
}

/* Give the callers along ARC, from outside of the component, their part of S. */
static void give(struct numbering *t, struct graph_arc *arc, struct share *s)
{
	uint64_t to = s->given + arc->calls;

	if (s->calls == 0)
		return;
	arc->self1 = arc->self2 = part(s->self, s->given, to, s->calls);
	arc->child1 = arc->child2 = part(s->child, s->given, to, s->calls);
	s->given = to;
	if (arc->from != GRAPH_NONE)
		t->g->routines[arc->from].total += arc->self1 + arc->child1;
}

/* Propagate the time of component C, but that of closed members; those that it calls have given theirs to its members' totals. */
static void propagate(struct numbering *t, uint32_t c)
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
			if (!same_component(g, t->arcs->arcs + t->in.at[k]))
				s.calls += t->arcs->arcs[t->in.at[k]].calls;
	}
	for (uint32_t i = t->start[c]; i < t->start[c + 1]; i++)
		for (uint32_t k = t->in.first[t->closed[i]]; k < t->in.first[t->closed[i] + 1] && !g->routines[t->closed[i]].closed; k++)
			if (!same_component(g, t->arcs->arcs + t->in.at[k]))
				give(t, t->arcs->arcs + t->in.at[k], &s);
}

/* Samples behind the totals, in proportion: the model knows those of self times only. */
static void estimate_ticks(struct graph *g)
{
	for (uint32_t i = 0; i < g->nroutines && g->time > 0; i++)
		g->routines[i].total_ticks = (uint64_t)((unsigned __int128)g->ticks * g->routines[i].total / g->time);
}

/* Number the components with several members, in the order of their first routines. */
static bool lumps_number(struct numbering *t)
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

/* The sums of the lumps. */
static void lumps_fill(struct numbering *t)
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
		*(same_component(g, arc) ? &lump->inner : &lump->calls) += arc->calls;
	}
}

bool gprof_model_attribute(struct graph *g, struct arcs *arcs, const struct weight *w, struct error *err)
{
	struct numbering t = { .g = g, .arcs = arcs };
	bool done = numbering_start(&t);

	(void)w;
	if (done) {
		number_all(&t);
		for (uint32_t r = 0; r < g->nroutines; r++)
			g->routines[r].total = g->routines[r].self;
		for (uint32_t c = 0; c < t.ncomponents; c++)
			propagate(&t, c);
		done = lumps_number(&t);
	}
	if (done) {
		lumps_fill(&t);
		estimate_ticks(g);
	}
	numbering_end(&t);
	return done || build_no_memory(err);
}
