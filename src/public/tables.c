/* tables.c - the tables of a profile: routines, arcs, contexts, the tree of them, the runs. */
#include <stdlib.h>

#include "public/opened.h"
#include "public/tables.h"

#define COUNT(rules) (sizeof (rules) / sizeof *(rules))

/* ---- routines ---- */

static void routine_fill(struct aprof_table *t, size_t row, const struct graph *g, const struct graph_routine *r)
{
	uint64_t whole = figure_run(g);

	column_text(t, R_NAME, row, r->name.name);
	column_text(t, R_MODULE, row, r->name.module);
	column_text(t, R_FILE, row, r->name.file);
	if (r->name.line)
		column_integer(t, R_LINE, row, r->name.line);
	if (g->counted && !r->plain) {
		column_integer(t, R_CALLS, row, r->calls);
		column_integer(t, R_RECURSIVE, row, r->recursive);
	}
	column_integer(t, R_SELF, row, r->self);
	column_real(t, R_SELF_ERROR, row, opened_error(graph_run_error(g, r->self, &r->self_evidence), whole));
	column_integer(t, R_TOTAL, row, r->total);
	column_real(t, R_TOTAL_ERROR, row, opened_error(graph_total_error(g, r), whole));
	column_integer(t, R_SELF_SAMPLES, row, r->self_ticks);
	column_integer(t, R_TOTAL_SAMPLES, row, r->total_ticks);
	column_flag(t, R_PARTLY, row, r->partly);
	column_flag(t, R_PSEUDO, row, r->pseudo);
}

struct aprof_table *routines_make(struct aprof_profile *p, struct error *err)
{
	const struct graph *g = p->input.graph;
	struct aprof_table *t = columns_make("routines", routine_rules, ROUTINE_COLUMNS, g->nroutines, p->unit, err);

	for (uint32_t i = 0; t && i < g->nroutines; i++) {
		routine_fill(t, p->rows[i], g, &g->routines[i]);
		column_flag(t, R_LISTED, p->rows[i], p->rows[i] < p->order.n);
	}
	return t;
}

/* ---- arcs ---- */

static void arc_fill(struct aprof_table *t, size_t row, const struct aprof_profile *p, const struct graph_arc *arc)
{
	const struct graph *g = p->input.graph;

	column_index(t, A_CALLER, row, opened_row(p, arc->from));
	column_index(t, A_CALLEE, row, opened_row(p, arc->to));
	if (graph_counts(g, arc->to))
		column_integer(t, A_CALLS, row, arc->calls);
	if (!g->arcs_alone) {
		column_integer(t, A_SELF, row, arc->self2);
		column_integer(t, A_OUT_SELF, row, arc->self1);
	}
	column_integer(t, A_CHILDREN, row, arc->child2);
	column_integer(t, A_OUT_CHILDREN, row, arc->child1);
	column_real(t, A_ERROR, row, opened_error(graph_arc_error(g, arc, true), g->routines[arc->to].total));
	if (arc->from != GRAPH_NONE)
		column_real(t, A_OUT_ERROR, row, opened_error(graph_arc_error(g, arc, false), g->routines[arc->from].total));
	column_flag(t, A_FOLDED, row, arc->folded);
}

struct aprof_table *arcs_make(struct aprof_profile *p, struct error *err)
{
	const struct graph *g = p->input.graph;
	struct aprof_table *t = columns_make("arcs", arc_rules, ARC_COLUMNS, g->narcs, p->unit, err);

	for (uint32_t i = 0; t && i < g->narcs; i++)
		arc_fill(t, i, p, &g->arcs[i]);
	return t;
}

/* ---- the tree, and the contexts that end in it ---- */

/* Make p->tree, once. */
static bool tree_have(struct aprof_profile *p, struct error *err)
{
	const struct graph *g = p->input.graph;

	if (g->arcs_alone)
		return error_set(err, ERROR_USAGE, ERROR_NO_OFFSET, "%.200s: it has arcs without contexts", g->profile->runs[0].label);
	if (!p->tree)
		p->tree = tree_build(g, &(struct tree_options){ 0 }, err);
	return p->tree != NULL;
}

enum { T_PARENT, T_ROUTINE, T_DEPTH, T_SELF, T_TOTAL, T_ERROR, T_CALLS, T_SAMPLES, T_FOLDED, T_GAP };

static const struct column_rule tree_rules[] = {
	[T_PARENT] = { "parent", APROF_INDEX, NULL, "tree", "the caller's node, which stands before it; none at the root, which is the run", false },
	[T_ROUTINE] = { "routine", APROF_INDEX, NULL, "routines", "which routine; none at the root", false },
	[T_DEPTH] = { "depth", APROF_INTEGER, NULL, NULL, "steps from the root", false },
	[T_SELF] = { "self", APROF_INTEGER, COLUMN_VALUE, NULL, "spent in the routine itself, called this way", false },
	[T_TOTAL] = { "total", APROF_INTEGER, COLUMN_VALUE, NULL, "self and the totals of the nodes below", false },
	[T_ERROR] = { "error", APROF_REAL, COLUMN_VALUE, NULL, "by so much total may be off, with a confidence of 95 %", false },
	[T_CALLS] = { "calls", APROF_INTEGER, "calls", NULL, "calls that came this way; not known of sampled stacks", true },
	[T_SAMPLES] = { "samples", APROF_INTEGER, "samples", NULL, "samples behind total", false },
	[T_FOLDED] = { "folded", APROF_FLAG, NULL, NULL, "folded recursion: the routine is active again further down", false },
	[T_GAP] = { "gap", APROF_FLAG, NULL, NULL, "calls between its parent and it were squeezed out", false },
};

static void node_fill(struct aprof_table *t, size_t row, const struct aprof_profile *p)
{
	const struct graph *g = p->input.graph;
	const struct tree_node *node = &p->tree->nodes[row], *root = &p->tree->nodes[0];
	const uint64_t *depth = t->columns[T_DEPTH].data;

	column_index(t, T_PARENT, row, node->parent == GRAPH_NONE ? APROF_NONE : node->parent);
	column_index(t, T_ROUTINE, row, opened_row(p, node->routine));
	column_integer(t, T_DEPTH, row, node->parent == GRAPH_NONE ? 0 : depth[node->parent] + 1);
	column_integer(t, T_SELF, row, node->self);
	column_integer(t, T_TOTAL, row, node->total);
	column_real(t, T_ERROR, row, opened_error(graph_error(g, node->total, &node->evidence, root->total, &root->evidence), root->total));
	if (graph_counts(g, node->routine))
		column_integer(t, T_CALLS, row, node->calls + node->above);
	column_integer(t, T_SAMPLES, row, node->ticks);
	column_flag(t, T_FOLDED, row, node->folded);
	column_flag(t, T_GAP, row, node->gap);
}

struct aprof_table *tree_make(struct aprof_profile *p, struct error *err)
{
	struct aprof_table *t = tree_have(p, err) ? columns_make("tree", tree_rules, COUNT(tree_rules), p->tree->nnodes, p->unit, err) : NULL;

	for (size_t i = 0; t && i < p->tree->nnodes; i++)
		node_fill(t, i, p);
	return t;
}

enum { C_ROUTINE, C_NODE, C_LENGTH, C_CALLS, C_RECURSIVE, C_SELF, C_ERROR, C_SAMPLES };

static const struct column_rule context_rules[] = {
	[C_ROUTINE] = { "routine", APROF_INDEX, NULL, "routines", "the routine that runs in it; none: no routine is active", false },
	[C_NODE] = { "node", APROF_INDEX, NULL, "tree", "the node whose path its history is; several contexts may share one, where recursion was folded in some", false },
	[C_LENGTH] = { "length", APROF_INTEGER, NULL, NULL, "entries in its history", false },
	[C_CALLS] = { "calls", APROF_INTEGER, "calls", NULL, "calls that entered it; not known of sampled stacks", true },
	[C_RECURSIVE] = { "recursive", APROF_INTEGER, "calls", NULL, "direct recursive calls in it", true },
	[C_SELF] = { "self", APROF_INTEGER, COLUMN_VALUE, NULL, "spent in it", false },
	[C_ERROR] = { "error", APROF_REAL, COLUMN_VALUE, NULL, "by so much self may be off, with a confidence of 95 %", false },
	[C_SAMPLES] = { "samples", APROF_INTEGER, "samples", NULL, "samples behind self", false },
};

/* As aprof contexts shows them. */
static bool context_is_shown(const struct graph_context *c)
{
	return c->kept && (c->entries || c->recursive || c->time || c->ticks);
}

static void context_fill(struct aprof_table *t, size_t row, const struct aprof_profile *p, uint32_t context)
{
	const struct graph *g = p->input.graph;
	const struct graph_context *c = &g->contexts[context];
	uint32_t node = p->tree->node_of[context];

	column_index(t, C_ROUTINE, row, opened_row(p, c->routine));
	column_index(t, C_NODE, row, node == GRAPH_NONE ? APROF_NONE : node);
	column_integer(t, C_LENGTH, row, c->length);
	if (graph_counts(g, c->routine)) {
		column_integer(t, C_CALLS, row, c->entries);
		column_integer(t, C_RECURSIVE, row, c->recursive);
	}
	column_integer(t, C_SELF, row, c->time);
	column_real(t, C_ERROR, row, opened_error(graph_run_error(g, c->time, &c->evidence), figure_run(g)));
	column_integer(t, C_SAMPLES, row, c->ticks);
}

struct aprof_table *contexts_make(struct aprof_profile *p, struct error *err)
{
	const struct graph *g = p->input.graph;
	struct aprof_table *t;
	size_t n = 0;

	if (!tree_have(p, err))
		return NULL;
	for (uint32_t i = 0; i < g->ncontexts; i++)
		n += context_is_shown(&g->contexts[i]);
	t = columns_make("contexts", context_rules, COUNT(context_rules), n, p->unit, err);
	n = 0;
	for (uint32_t i = 0; t && i < g->ncontexts; i++)
		if (context_is_shown(&g->contexts[i]))
			context_fill(t, n++, p, i);
	return t;
}

/* ---- values ---- */

enum { V_NAME, V_UNIT, V_SAMPLED, V_PARTIAL, V_SHOWN };

static const struct column_rule value_rules[] = {
	[V_NAME] = { "name", APROF_TEXT, NULL, NULL, "what the option value takes", false },
	[V_UNIT] = { "unit", APROF_TEXT, NULL, NULL, "in which its amounts are", false },
	[V_SAMPLED] = { "sampled", APROF_FLAG, NULL, NULL, "its amounts are of samples; else they are exact", false },
	[V_PARTIAL] = { "partial", APROF_FLAG, NULL, NULL, "not all files have it", false },
	[V_SHOWN] = { "shown", APROF_FLAG, NULL, NULL, "the columns of the other tables are of it", false },
};

static void value_fill(struct aprof_table *t, size_t row, const struct profile_value *v)
{
	column_text(t, V_NAME, row, v->name);
	column_text(t, V_UNIT, row, v->unit);
	column_flag(t, V_SAMPLED, row, v->flags & AMON_VALUE_SAMPLED);
	column_flag(t, V_PARTIAL, row, v->flags & AMON_VALUE_PARTIAL);
	column_flag(t, V_SHOWN, row, row == 0);
}

/* As aprof info lists them; what is looked at stands there also where the clock is none. */
struct aprof_table *values_make(struct aprof_profile *p, struct error *err)
{
	static const struct profile_value calls = { .name = "calls", .unit = "count" };
	const struct profile *q = p->input.profile;
	const struct profile_value *v;
	struct aprof_table *t;
	uint32_t n = 0;

	while (profile_value_at(q, n))
		n++;
	t = columns_make("values", value_rules, COUNT(value_rules), (size_t)n + profile_has_calls(q), p->unit, err);
	for (uint32_t i = 0; t && (v = profile_value_at(q, i)) != NULL; i++)
		value_fill(t, i, v);
	if (t && profile_has_calls(q))
		value_fill(t, n, &calls);
	return t;
}

/* ---- runs ---- */

enum { U_FILE, U_PROGRAM, U_PID, U_STATE, U_BEGUN, U_ELAPSED, U_CPU, U_CALLS, U_CONTEXTS, U_THREADS, U_TRUNCATED };

static const struct column_rule run_rules[] = {
	[U_FILE] = { "file", APROF_TEXT, NULL, NULL, "the file, as it was named", false },
	[U_PROGRAM] = { "program", APROF_TEXT, NULL, NULL, "path of the executable", false },
	[U_PID] = { "pid", APROF_INTEGER, NULL, NULL, "of its process", false },
	[U_STATE] = { "state", APROF_TEXT, NULL, NULL, "ended, running, died or unknown", false },
	[U_BEGUN] = { "begun", APROF_INTEGER, "ns", NULL, "when the file was begun, since 1970 UTC", false },
	[U_ELAPSED] = { "elapsed", APROF_INTEGER, "ns", NULL, "from then to the end; not known if it did not end", true },
	[U_CPU] = { "cpu", APROF_INTEGER, "ns", NULL, "CPU time of the process by the system's account", true },
	[U_CALLS] = { "calls", APROF_INTEGER, "calls", NULL, "all calls; not known of sampled stacks", true },
	[U_CONTEXTS] = { "contexts", APROF_INTEGER, "contexts", NULL, "distinct histories", false },
	[U_THREADS] = { "threads", APROF_INTEGER, "threads", NULL, "threads", false },
	[U_TRUNCATED] = { "truncated", APROF_FLAG, NULL, NULL, "the file was cut off, and what was left of it was read", false },
};

static void run_fill(struct aprof_table *t, size_t row, const struct aprof_profile *p)
{
	const struct profile_run *run = &p->input.profile->runs[row];
	const struct amon_header *h = &run->header;

	column_text(t, U_FILE, row, run->label);
	column_text(t, U_PROGRAM, row, h->program);
	column_integer(t, U_PID, row, (uint64_t)(h->pid < 0 ? 0 : h->pid));
	column_text(t, U_STATE, row, life_word(life_of(&p->input.report, (uint32_t)row)));
	column_integer(t, U_BEGUN, row, h->start_realtime);
	if (h->end_monotonic > h->start_monotonic)
		column_integer(t, U_ELAPSED, row, h->end_monotonic - h->start_monotonic);
	if (h->cpu_total)
		column_integer(t, U_CPU, row, h->cpu_total);
	if (p->input.graph->counted)
		column_integer(t, U_CALLS, row, run->calls);
	column_integer(t, U_CONTEXTS, row, run->contexts);
	column_integer(t, U_THREADS, row, run->threads);
	column_flag(t, U_TRUNCATED, row, run->truncated);
}

struct aprof_table *runs_make(struct aprof_profile *p, struct error *err)
{
	struct aprof_table *t = columns_make("runs", run_rules, COUNT(run_rules), p->input.profile->nruns, p->unit, err);

	for (size_t i = 0; t && i < t->rows; i++)
		run_fill(t, i, p);
	return t;
}
