/* rows.c - from a graph to the rows of a run. */
#include "understand/compare/rows.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* PATH as all builds have it: the last part, without a version after .so; "" for the main program. */
static char *identity_of(const char *path, bool main_program)
{
	const char *slash = path ? strrchr(path, '/') : NULL, *name = slash ? slash + 1 : path, *version;

	if (!path || main_program)
		return strdup("");
	version = strstr(name, ".so.");
	return version ? strndup(name, (size_t)(version + 3 - name)) : strdup(name);
}

/* Whether the module of each routine of G is the main program; in MAIN, one for each. */
static void main_fill(bool *main, const struct graph *g)
{
	const struct profile *p = g->profile;

	for (uint32_t i = 0; i < p->nroutines; i++) {
		uint32_t module = p->routines[i].module;

		if (module != PROFILE_NONE && p->modules[module].main_program)
			main[g->routine_of[i]] = true;
	}
}

static bool routine_fill(struct row_routine *row, const struct graph_routine *r, uint32_t run, bool main)
{
	const char *file = r->name.file, *slash = file ? strrchr(file, '/') : NULL;

	*row = (struct row_routine){ .run = run, .value = { .time = { r->self, r->total },
		.variance = { r->self_evidence.variance, r->total_evidence.variance }, .calls = r->calls + r->recursive } };
	row->name = strdup(r->name.name ? r->name.name : "(unknown)");
	row->module = r->name.module ? strdup(r->name.module) : NULL;
	row->identity = identity_of(r->name.module, main);
	row->file = file ? strdup(slash ? slash + 1 : file) : NULL;
	return row->name && row->identity && (row->module || !r->name.module) && (row->file || !file);
}

bool rows_routines(struct rows *r, const struct graph *g, uint32_t run)
{
	bool *main = calloc((size_t)g->nroutines + 1, sizeof *main), ok;

	r->routines = calloc((size_t)g->nroutines + 1, sizeof *r->routines);
	ok = main && r->routines;
	if (ok)
		main_fill(main, g);
	for (uint32_t i = 0; ok && i < g->nroutines; i++)
		ok = routine_fill(&r->routines[r->nroutines++], &g->routines[i], run, main[i]);
	free(main);
	return ok;
}

/* Is the routine with V worth a look at its code?  One that was called may take on the other side what it does not take on this one. */
static bool is_code_of_use(const struct comparison_value *v, const struct graph *g)
{
	enum { MANY = 20000 };	/* routines: then those that take anything */

	return v->time[COMPARISON_SELF] > g->time / SYMBOLS_CODE_PART || (v->calls && g->nroutines <= MANY);
}

/* The machine code of the routines that matter: of several pieces and clones all of it. */
static void codes_find(struct rows *r, const struct report_input *in)
{
	const struct graph *g = in->graph;
	const struct profile *p = g->profile;

	for (uint32_t i = 0; in->symbols && i < p->nroutines; i++) {
		struct comparison_value *v = &r->routines[g->routine_of[i]].value;

		if (p->routines[i].module != PROFILE_NONE && !p->routines[i].script && is_code_of_use(v, g))
			v->code += symbols_code(in->symbols, p->routines[i].module, p->routines[i].address);
	}
}

/* The variance of a PART of what has the evidence E. */
static double variance_of_part(const struct overhead_evidence *e, uint64_t part)
{
	return e->measured > 0 ? e->variance * fmin((double)part / e->measured, 1) : 0;
}

static bool arcs_make(struct rows *r, const struct graph *g)
{
	r->arcs = calloc((size_t)g->narcs + 1, sizeof *r->arcs);
	for (uint32_t i = 0; r->arcs && i < g->narcs; i++) {
		const struct graph_arc *a = &g->arcs[i];
		uint64_t total = a->self2 + a->child2;

		if (a->calls || total)
			r->arcs[r->narcs++] = (struct row_pair){ .from = a->from, .to = a->to, .value = { .time = { a->self2, total },
				.variance = { variance_of_part(&a->evidence2, a->self2), a->evidence2.variance }, .calls = a->calls } };
	}
	return r->arcs != NULL;
}

/* Calls of each context go to the node where it ends; of self times the node has no variance, but its total's less its children's. */
static bool contexts_make(struct rows *r, const struct graph *g, struct error *err)
{
	struct tree *t = tree_build(g, &(struct tree_options){ 0 }, err);

	if (!t)
		return false;
	r->contexts = calloc(t->nnodes, sizeof *r->contexts);
	for (size_t i = 0; r->contexts && i < t->nnodes; i++) {
		const struct tree_node *n = &t->nodes[i];

		r->contexts[i] = (struct row_pair){ .from = n->parent, .to = n->routine, .gap = n->gap, .folded = n->folded,
			.value = { .time = { n->self, n->total }, .variance = { n->evidence.variance, n->evidence.variance } } };
		if (i > 0)
			r->contexts[n->parent].value.variance[COMPARISON_SELF] -= n->evidence.variance;
	}
	for (uint32_t i = 0; r->contexts && i < g->ncontexts; i++)
		r->contexts[t->node_of[i]].value.calls += g->contexts[i].entries + g->contexts[i].recursive;
	r->ncontexts = (uint32_t)t->nnodes;
	tree_free(t);
	return r->contexts || error_no_memory(err, NULL);
}

bool rows_make(struct rows *r, const struct report_input *in, uint32_t run, bool contexts, bool codes, struct error *err)
{
	const struct graph *g = in->graph;

	if (!rows_routines(r, g, run) || !arcs_make(r, g))
		return error_no_memory(err, NULL);
	if (codes)
		codes_find(r, in);
	return !contexts || contexts_make(r, g, err);
}

void rows_free(struct rows *r)
{
	for (uint32_t i = 0; i < r->nroutines; i++) {
		free(r->routines[i].name);
		free(r->routines[i].module);
		free(r->routines[i].identity);
		free(r->routines[i].file);
	}
	free(r->routines);
	free(r->arcs);
	free(r->contexts);
	free(r->sites);
	arena_free(&r->text);
	*r = (struct rows){ 0 };
}
