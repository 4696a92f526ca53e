/* tail_calls.c - looking at the code of a caller, and then of all that it calls. */
#include "understand/findings/tail_calls.h"

#include <stdlib.h>
#include <string.h>

#include "understand/findings/figures.h"

enum { MOST = 64 };		/* callees that are looked at */

/* Whether a function is called, and jumped to, by code at hand. */
struct search {
	const char *name, *linked;	/* of the function */
	bool called, jumped;
};

static void call_visit(void *arg, const struct symbols_call *call)
{
	struct search *s = arg;

	if (strcmp(call->name, s->name) != 0 && (!s->linked || strcmp(call->linked, s->linked) != 0))
		return;
	s->called = true;
	s->jumped |= call->tail;
}

/* Look at all bodies of ROUTINE for what S wants.  False: some cannot be read. */
static bool routine_search(struct search *s, const struct report_input *in, uint32_t routine)
{
	const struct graph *g = in->graph;
	const struct profile *p = g->profile;
	bool known = in->symbols != NULL;

	for (uint32_t i = 0; known && i < p->nroutines; i++)
		if (g->routine_of[i] == routine && !p->routines[i].pseudo)
			known = p->routines[i].module != PROFILE_NONE && symbols_calls(in->symbols, p->routines[i].module, p->routines[i].address, call_visit, s);
	return known;
}

uint32_t tail_calls_through(const struct report_input *in, uint32_t caller, const char *name, const char *linked)
{
	const struct graph_routine *r = in->graph->routines + caller;
	struct search own = { .name = name, .linked = linked };
	uint32_t found = GRAPH_NONE;

	if (r->pseudo || !routine_search(&own, in, caller) || own.called)
		return GRAPH_NONE;
	for (uint32_t i = r->first_out; i < r->first_out + r->nout && i < r->first_out + MOST; i++) {
		const struct graph_routine *to = in->graph->routines + in->graph->arcs[i].to;
		struct search s = { .name = name, .linked = linked };

		if (to->pseudo || in->graph->arcs[i].to == caller || strcmp(to->name.name, name) == 0 || !routine_search(&s, in, in->graph->arcs[i].to) || !s.jumped)
			continue;
		if (found != GRAPH_NONE)
			return GRAPH_NONE;
		found = in->graph->arcs[i].to;
	}
	return found;
}

bool tail_calls_make(struct tail_calls *t, const struct report_input *in, struct error *err)
{
	*t = (struct tail_calls){ .in = in, .through = calloc((size_t)in->graph->narcs + 1, sizeof *t->through) };
	return t->through || error_no_memory(err, NULL);
}

void tail_calls_free(struct tail_calls *t)
{
	free(t->through);
	*t = (struct tail_calls){ 0 };
}

uint32_t tail_calls_of(struct tail_calls *t, uint32_t arc)
{
	const struct graph *g = t->in->graph;
	const struct graph_arc *a = &g->arcs[arc];
	double time = (double)a->self2 + (double)a->child2;

	if (a->from == GRAPH_NONE || time <= 0 || time < TAIL_CALLS_PART * (double)figure_run(g))
		return GRAPH_NONE;
	if (!t->through[arc])
		t->through[arc] = 2 + tail_calls_through(t->in, a->from, g->routines[a->to].name.name, g->routines[a->to].name.linked);
	return t->through[arc] - 2;
}

uint32_t tail_calls_arc(const struct graph *g, uint32_t from, uint32_t to)
{
	const struct graph_routine *r = from == GRAPH_NONE ? NULL : &g->routines[from];

	for (uint32_t i = r ? r->first_out : 0; r && i < r->first_out + r->nout; i++)
		if (g->arcs[i].to == to)
			return i;
	return GRAPH_NONE;
}
