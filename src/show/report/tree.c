/* tree.c - the histories as a tree: top-down from the root, or bottom-up from the running routines.
 *
 * Top-down, a line's total equals its self time plus the totals of the lines below it;
 * what --depth and --min-percent leave out stands on a line "(rest)", so that this can be seen. */
#include <inttypes.h>
#include <stdlib.h>

#include "base/print.h"
#include "show/report/figure_text.h"
#include "show/report/report.h"
#include "show/report/share.h"

static const char legend[] =
	" @% time    share of the run that passed here and below.\n"
	" % parent  the same as a share of the line above it in the tree.\n"
	" total     @time here and below.         self  @time in the routine itself.\n"
	" calls     entries of the contexts that end here.\n"
	" name'     folded recursion: the routine is active again further down, and intermediate calls were squeezed out.\n"
	" ..        between this line and the one above it calls were squeezed out: no known call.\n";

static const char legend_through[] =
	" by NAME   in the source NAME calls it, by a jump at its end (a tail call): NAME was gone when the routine ran.\n";

static const char legend_up[] =
	" The roots are the routines with self @time; the lines below each are its callers, theirs, and so on.\n"
	" @% time    share of the run that passed in the root on behalf of this chain of callers.\n"
	" % parent  the same as a share of the line above it in the tree.\n"
	" total     @time of the chain.           self  @time of the contexts whose history ends with it.\n"
	" name'     folded recursion.            ..    calls were squeezed out here: no known call.\n";

struct columns {
	int total, self, calls;		/* widths, characters */
};

/* One tree under way, and a stack of what is still to be printed, the next on top. */
struct walk {
	const struct graph *graph;
	const struct tree *tree;
	const struct report_options *options;
	struct columns columns;
	uint32_t *stack;		/* nodes; REST or'ed for the line after the children of one */
	uint32_t *level;		/* level of each, 1 for the root's children */
	size_t n;			/* how many */
	uint64_t whole;			/* time of the run, ns */
	struct tail_calls tails;	/* who called by a jump at his end */
	bool through;			/* somebody did */
};

#define REST (UINT32_C(1) << 31)

static struct columns tree_columns_make(const struct tree *t)
{
	struct columns c = { PRINT_TIME, PRINT_TIME, 9 };

	for (size_t i = 0; i < t->nnodes; i++)
		c.calls = print_count_width(t->nodes[i].calls + t->nodes[i].above, c.calls);
	return c;
}

/* Returns the columns that it takes. */
static int indent_print(FILE *out, uint32_t level)
{
	uint32_t shown = level > 60 ? 60 : level;	/* deeper ones say how deep */
	int n = fprintf(out, "%*s", (int)(2 * (shown - 1)), "");

	return level > shown ? n + fprintf(out, "(%" PRIu32 ") ", level) : n;
}

/* By how much the total of N may be off, as a share of the run. */
static double node_error(const struct graph *g, const struct tree *t, const struct tree_node *n)
{
	return graph_error(g, n->total, &n->evidence, t->nodes[0].total, &t->nodes[0].evidence);
}

/* The shares of TOTAL, which may be off by ERROR of the run. */
static void tree_figures_print(const struct walk *w, FILE *out, uint64_t total, uint64_t parent, double error)
{
	double share = w->whole ? (double)total / (double)w->whole : 0;

	share_print(out, &w->options->style, w->graph->sampled, share, error);
	if (graph_share_is_news(share, error))
		fprintf(out, "   %6.2f  ", print_percent(total, parent));
	else
		fprintf(out, "   %6s  ", "");
	figure_print(out, w->graph, total, PRINT_UNITS, w->columns.total);
}

/* Who called in the source the routine of NODE, or upwards that of its parent, on behalf of the line above or below, if that is another. */
static uint32_t node_through(struct tail_calls *t, const struct tree *tree, const struct tree_node *node, bool bottom_up)
{
	uint32_t other = tree->nodes[node->parent].routine, arc;

	if (other == GRAPH_NONE || node->gap)
		return GRAPH_NONE;
	arc = bottom_up ? tail_calls_arc(t->in->graph, node->routine, other) : tail_calls_arc(t->in->graph, other, node->routine);
	return arc == GRAPH_NONE ? GRAPH_NONE : tail_calls_of(t, arc);
}

static void node_print(struct walk *w, FILE *out, uint32_t index, uint32_t level)
{
	const struct tree_node *node = &w->tree->nodes[index];
	const struct columns *c = &w->columns;
	uint32_t through = node_through(&w->tails, w->tree, node, w->options->bottom_up);
	int used = share_width(w->graph->sampled) + 11 + c->total + 1 + c->self + 1 + c->calls + 2 + (node->gap ? 3 : 0) + node->folded;
	char marks[ENTRY_MARKS];

	tree_figures_print(w, out, node->total, w->tree->nodes[node->parent].total, node_error(w->graph, w->tree, node));
	putc(' ', out);
	figure_print(out, w->graph, node->self, PRINT_UNITS, c->self);
	putc(' ', out);
	print_calls(out, c->calls, node->calls + node->above, graph_counts(w->graph, node->routine));
	fputs("  ", out);
	used += indent_print(out, level);
	if (node->gap)
		fputs(".. ", out);
	used += entry_marks(marks, &w->graph->routines[node->routine], &w->options->style);
	print_brief_beside(out, w->graph->routines[node->routine].name.name, w->graph->routines[node->routine].brief, &w->options->style, used);
	fprintf(out, "%s%s", node->folded ? "'" : "", marks);
	if (through != GRAPH_NONE) {
		fputs(" by ", out);
		print_brief(out, w->graph->routines[through].name.name, w->graph->routines[through].brief, &w->options->style);
		w->through = true;
	}
	putc('\n', out);
}

/* The part of PARENT that the lines below it do not show. */
static void tree_rest_print(const struct walk *w, FILE *out, uint32_t parent, uint32_t level)
{
	const struct tree_node *node = &w->tree->nodes[parent];

	print_begin(out, &w->options->style, 'd');
	tree_figures_print(w, out, node->rest, node->total, -1);
	fprintf(out, " %*s %*s  ", w->columns.self, "", w->columns.calls, "");
	indent_print(out, level);
	fputs(w->options->bottom_up ? "(rest, or no caller)" : "(rest)", out);
	print_end(out, &w->options->style);
	putc('\n', out);
}

static void tree_push(struct walk *w, uint32_t node, uint32_t level)
{
	w->stack[w->n] = node;
	w->level[w->n++] = level;
}

/* Put the children of INDEX on the stack, the largest on top and what is not shown at the bottom. */
static void children_push(struct walk *w, uint32_t index, uint32_t level)
{
	const struct tree_node *node = &w->tree->nodes[index];

	if (node->rest && (node->nchildren || !w->options->bottom_up))	/* the end of a chain of callers has no other rest */
		tree_push(w, index | REST, level);
	for (uint32_t i = node->nchildren; i-- > 0;)
		tree_push(w, node->first + i, level);
}

static void walk_print(struct walk *w, FILE *out)
{
	children_push(w, 0, 1);
	while (w->n > 0) {
		uint32_t index = w->stack[--w->n], level = w->level[w->n];

		if (index & REST) {
			tree_rest_print(w, out, index & ~REST, level);
			continue;
		}
		node_print(w, out, index, level);
		children_push(w, index, level + 1);
	}
}

/* The time of no routine, at the level of the first callers. */
static void tree_outside_print(const struct walk *w, FILE *out)
{
	if (!w->tree->nodes[0].self || w->options->bottom_up)
		return;
	tree_figures_print(w, out, w->tree->nodes[0].self, w->whole, -1);
	fprintf(out, " %*s %*s  (outside all routines)\n", w->columns.self, "", w->columns.calls, "");
}

static void tree_heading_print(const struct walk *w, FILE *out)
{
	print_begin(out, &w->options->style, 'h');
	share_heading(out, &w->options->style, w->graph, w->graph->sampled);
	fprintf(out, " %% parent  %*s %*s %*s  name\n", w->columns.total, "total", w->columns.self, "self",
		w->columns.calls, "calls");
	print_end(out, &w->options->style);
}

static struct tree_options limits(const struct graph *g, const struct report_options *options)
{
	return (struct tree_options){ .bottom_up = options->bottom_up, .depth = options->depth, .entered = true,
		.min_time = (uint64_t)((double)figure_run(g) * options->min_percent / 100) };
}

static void tree_print(struct walk *w, FILE *out)
{
	char whole[PRINT_TIME_SIZE];

	w->whole = w->tree->nodes[0].total;
	w->columns = tree_columns_make(w->tree);
	fprintf(out, "%s tree: %s\n\n", w->options->bottom_up ? "Bottom-up" : "Top-down", print_amount_text(whole, (double)w->whole, figure_unit(w->graph)));
	tree_heading_print(w, out);
	tree_outside_print(w, out);
	walk_print(w, out);
	print_worded(out, &w->options->style, figure_unit(w->graph), "\n%s", w->options->bottom_up ? legend_up : legend);
	if (w->through && !w->options->style.brief)
		fputs(legend_through, out);
	share_legend(out, &w->options->style, w->graph, w->graph->sampled, 10);
}

bool tree_text(const struct report_input *in, const struct report_options *options, FILE *out, struct error *err)
{
	struct tree_options what = limits(in->graph, options);
	struct tree *tree = tree_build(in->graph, &what, err);
	struct walk w = { .graph = in->graph, .tree = tree, .options = options };
	bool ok;

	if (!tree)
		return false;
	w.stack = calloc(2 * tree->nnodes + 1, sizeof *w.stack);
	w.level = calloc(2 * tree->nnodes + 1, sizeof *w.level);
	ok = tail_calls_make(&w.tails, in, err) && w.stack && w.level;
	if (ok && tree->nnodes < REST)
		tree_print(&w, out);
	free(w.stack);
	free(w.level);
	tail_calls_free(&w.tails);
	tree_free(tree);
	return ok || error_no_memory(err, NULL);
}

/* Nodes as a list, each after its parent, by number: nested objects would be as deep as the recursion. */
bool tree_json(const struct report_input *in, const struct report_options *options, struct emit *e, struct error *err)
{
	struct tree_options what = limits(in->graph, options);
	struct tree *tree = tree_build(in->graph, &what, err);
	struct tail_calls tails;

	if (!tree || !tail_calls_make(&tails, in, err)) {
		tree_free(tree);
		return false;
	}
	emit_member(e, "bottom_up", json_boolean(options->bottom_up));
	emit_array(e, "tree");
	for (size_t i = 0; i < tree->nnodes; i++) {
		const struct tree_node *n = &tree->nodes[i];
		const char *name = n->routine == GRAPH_NONE ? NULL : in->graph->routines[n->routine].name.name;
		uint32_t through = i ? node_through(&tails, tree, n, options->bottom_up) : GRAPH_NONE;
		json_t *row;

		row = json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:b, s:b}", "node", emit_count(i),
				       "parent", n->parent == GRAPH_NONE ? json_null() : emit_count(n->parent),
				       "name", emit_name(name), "self_ns", emit_count(n->self), "total_ns",
				       emit_count(n->total), "error_ns", share_json(node_error(in->graph, tree, n), tree->nodes[0].total), "rest_ns", emit_count(n->rest), "calls", emit_calls(graph_counts(in->graph, n->routine), n->calls + n->above), "ticks",
				       emit_count(n->ticks), "folded", (int)n->folded, "gap", (int)n->gap);
		if (through != GRAPH_NONE)
			json_object_set_new(row, "tail_called_by", emit_name(in->graph->routines[through].name.name));
		emit_item(e, row);
	}
	emit_array_end(e);
	tail_calls_free(&tails);
	tree_free(tree);
	return true;
}
