/* graph.c - from a profile to a graph, step by step. */
#include "understand/graph/graph.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "understand/graph/build.h"

static graph_model_function *const models[] = {
	[GRAPH_HISTORY] = history_model_attribute,
	[GRAPH_GPROF] = gprof_model_attribute,
	[GRAPH_CCT] = cct_model_attribute,
};

/* The arc of each context whose calls count: that from the entry before the running routine.  A loop of its own, so that the processor fetches several from
 * the table at a time. */
static bool find_arcs(const struct graph *g, struct arcs *arcs, struct error *err)
{
	arcs->of = calloc(g->ncontexts, sizeof *arcs->of);
	if (!arcs->of)
		return build_no_memory(err);
	for (uint32_t i = 1; i < g->ncontexts; i++) {
		uint32_t caller = contexts_caller(g, i), routine = g->contexts[i].routine;

		if (g->contexts[i].kept && (g->options.nspecs == 0 || narrow_keeps(g, caller, routine)) && !arcs_find(arcs, i, caller, routine))
			return build_no_memory(err);
	}
	return true;
}

/* The calls of context I. */
static void count_entries(struct graph *g, uint32_t i, struct arcs *arcs)
{
	const struct graph_context *c = g->contexts + i;
	struct graph_routine *r = g->routines + c->routine;

	if (arcs->of[i]) {
		arcs->arcs[arcs->of[i] - 1].calls += c->entries;
		r->calls += c->entries;
	}
	if (g->options.nspecs == 0 || narrow_keeps(g, c->routine, c->routine))
		r->recursive += c->recursive;
	g->calls += c->entries + c->recursive;
}

/* What no model changes: the routines' self times and calls, and the calls on the arcs. */
static bool graph_count_calls(struct graph *g, struct arcs *arcs, struct error *err)
{
	if (!g->arcs_alone && !find_arcs(g, arcs, err))
		return false;
	for (uint32_t i = 1; i < g->ncontexts; i++) {
		const struct graph_context *c = g->contexts + i;
		struct graph_routine *r = g->routines + c->routine;

		if (!c->kept)
			continue;
		if (!g->arcs_alone)
			count_entries(g, i, arcs);
		r->self += c->time;
		r->self_ticks += c->ticks;
		overhead_evidence_add(&r->self_evidence, &c->evidence);
		g->time += c->time;
		g->ticks += c->ticks;
		overhead_evidence_add(&g->evidence, &c->evidence);
	}
	g->outside = g->contexts[0].time;
	g->outside_ticks = g->contexts[0].ticks;
	overhead_evidence_add(&g->evidence, &g->contexts[0].evidence);
	g->sampled = g->overhead->evidence != NULL;
	g->sample = g->sampled ? profile_tick(g->profile) : 0;
	g->unsure = overhead_unsure(g->profile);
	return true;
}

/* The static arcs; direct recursion is none, and makes no arc, and what is left out has none. */
static bool add_static_arcs(const struct graph *g, struct arcs *arcs, struct error *err)
{
	for (size_t i = 0; i < g->options.nstatic_arcs; i++) {
		uint32_t from = g->static_ends[2 * i], to = g->static_ends[2 * i + 1];

		if (from != to && !g->routines[from].left_out && !g->routines[to].left_out && !arcs_at(arcs, from, to))
			return build_no_memory(err);
	}
	return true;
}

/* Do the arcs of each routine add up to its total, from both sides, as graph.h has it?  Of all models but gprof's. */
__attribute__((unused))			/* without assert */
static bool is_conserved(const struct graph *g)
{
	for (uint32_t i = 0; i < g->nroutines; i++) {
		const struct graph_routine *r = g->routines + i;
		uint64_t in = 0, out = r->self;

		for (uint32_t k = r->first_in; k < r->first_in + r->nin; k++)
			in += g->arcs[g->in_arcs[k]].self2 + g->arcs[g->in_arcs[k]].child2;
		for (uint32_t k = r->first_out; k < r->first_out + r->nout; k++)
			out += g->arcs[k].self1 + g->arcs[k].child1;
		if (in != r->total || out != r->total)
			return false;
	}
	return true;
}

static bool attribute(struct graph *g, struct error *err)
{
	struct arcs arcs = { 0 };
	struct weight *w = contexts_weigh(g, err);
	bool done = w && graph_count_calls(g, &arcs, err)
		&& add_static_arcs(g, &arcs, err)
		&& (g->arcs_alone ? given_arcs_attribute : models[g->options.model])(g, &arcs, w, err)
		&& arcs_settle(&arcs, g, err)
		&& narrow_entries(g, err)
		&& (g->arcs_alone || cycles_find(g, w, err));

	assert(!done || g->options.model == GRAPH_GPROF || g->arcs_alone || g->options.nspecs > 0 || is_conserved(g));
	arcs_free(&arcs);
	free(w);
	return done;
}

/* Can what is asked for be had without contexts?  False with *ERR set. */
static bool graph_options_fit(const struct graph *g, struct error *err)
{
	const char *what = g->options.nfocus > 0 || g->options.module ? "--focus" : g->options.nhide > 0 ? "--hide" : g->options.model != GRAPH_HISTORY ? "another model" : NULL;

	for (size_t i = 0; i < g->options.nspecs && !what; i++)
		if (g->options.specs[i].table >= GPROF_INCLUDE_ARCS && g->options.specs[i].table <= GPROF_EXCLUDE_TIME &&
		    g->options.specs[i].table != GPROF_INCLUDE_FLAT && g->options.specs[i].table != GPROF_EXCLUDE_FLAT)
			what = "an option that leaves out arcs or times";
	return !g->arcs_alone || !what || error_set(err, ERROR_USAGE, ERROR_NO_OFFSET, "%s: the profile has arcs without contexts, so that is not known", what);
}

struct graph *graph_build(const struct overhead *o, const struct graph_name *names,
			  const struct graph_options *options, struct error *err)
{
	struct graph *g = calloc(1, sizeof *g);

	if (!g) {
		build_no_memory(err);
		return NULL;
	}
	g->overhead = o;
	g->profile = o->profile;
	g->options = *options;
	g->names = names;
	g->counted = profile_counts_calls(g->profile);
	g->arcs_alone = !profile_has_contexts(g->profile);
	if (graph_options_fit(g, err) && routines_fold(g, names, err) && routines_leave_out(g, err) && contexts_fold(g, err) &&
	    charge_contexts(g, err)
	    && narrow_routines(g, err) && focus_apply(g, err) && attribute(g, err)) {
		ranks_sum(g);
		return g;
	}
	graph_free(g);
	return NULL;
}

void graph_free(struct graph *g)
{
	if (!g)
		return;
	free(g->routines);
	free(g->routine_of);
	free(g->static_ends);
	free(g->arcs);
	free(g->in_arcs);
	free(g->contexts);
	free(g->context_of);
	free(g->spelled);
	free(g->cycles);
	free(g->cycle_entries);
	free(g->lumps);
	free(g->lump_members);
	free(g->spec_named);
	arena_free(&g->briefs);
	free(g);
}
