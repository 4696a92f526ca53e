/* callgraph.c - gprof's second listing: each routine between its callers and its callees.
 *
 * The times of the callers' lines add up to the entry's own (self2 and child2 of the paper), and
 * so do those of the callees' lines to its children (self1 and child1): two sets, since a
 * recursive routine's arcs are charged differently from the two sides. */
#include <inttypes.h>
#include <stdlib.h>

#include "leaves.h"
#include "order.h"
#include "print.h"

static const char legend[] =
	" An entry is the lines between two rules. The line with the number at the left is the routine itself:\n"
	" % time    share of the run that passed while it was active, counted once however deep it recursed.\n"
	" self      seconds in the routine itself, and in code without hooks that it called.\n"
	" children  seconds in the routines that it called.\n"
	" called    times it was called, + direct recursive calls.\n"
	" Lines above are its callers: seconds that passed in it on their behalf, measured, not shared out by\n"
	" the number of calls; calls from there / all calls. Lines below are its callees, in the same way.\n"
	" <spontaneous> stands for callers that are not known: the system, or code without hooks that started a thread.\n";

/* Widths of the columns, in characters; gprof's or more. */
struct columns {
	int decimals;		/* of the seconds */
	int self, children;	/* seconds */
	int called, total;	/* calls, and what stands after the / or + */
};

/* One listing under way. */
struct listing {
	const struct graph *graph;
	const struct report_options *options;
	struct order order;
	struct leaves leaves;
	struct columns columns;
	FILE *out;
};

static void widen(int *width, int needed)
{
	if (*width < needed)
		*width = needed;
}

static struct columns columns_make(const struct graph *g)
{
	struct columns c = { print_decimals(g->time), 7, 7, 7, 7 };

	for (uint32_t i = 0; i < g->nroutines; i++) {
		const struct graph_routine *r = &g->routines[i];

		widen(&c.self, print_seconds_width(r->self, c.decimals, 0));
		widen(&c.children, print_seconds_width(r->total, c.decimals, 0));
		widen(&c.called, print_count_width(r->calls, 0));
		widen(&c.called, print_count_width(r->recursive, 0));
	}
	c.total = c.called;
	return c;
}

static void routine_name_print(struct listing *l, uint32_t routine)
{
	print_name(l->out, l->graph->routines[routine].name.name, l->options);
	if (l->order.number[routine])
		fprintf(l->out, " [%" PRIu32 "]", l->order.number[routine]);
	putc('\n', l->out);
}

/* The line of one arc: OTHER, the routine at its far end, with the times of that side. */
static void arc_print(struct listing *l, const struct graph_arc *arc, uint32_t other, uint64_t self, uint64_t child)
{
	const struct columns *c = &l->columns;

	fprintf(l->out, "%12s ", "");
	print_seconds(l->out, self, c->decimals, c->self);
	putc(' ', l->out);
	print_seconds(l->out, child, c->decimals, c->children);
	fprintf(l->out, " %*" PRIu64 "/%-*" PRIu64 "     ", c->called, arc->calls, c->total,
		l->graph->routines[arc->to].calls);
	if (other == GRAPH_NONE)
		fputs("<spontaneous>\n", l->out);
	else
		routine_name_print(l, other);
}

/* gprof's line for direct recursion, above and below the entry: calls without times. */
static void recursion_print(struct listing *l, uint32_t routine)
{
	const struct columns *c = &l->columns;
	uint64_t recursive = l->graph->routines[routine].recursive;

	if (!recursive)
		return;
	fprintf(l->out, "%12s %*s %*s %*" PRIu64 " %*s     ", "", c->self, "", c->children, "", c->called, recursive,
		c->total, "");
	routine_name_print(l, routine);
}

static void spontaneous_print(struct listing *l)
{
	const struct columns *c = &l->columns;

	fprintf(l->out, "%12s %*s %*s %*s %*s     <spontaneous>\n", "", c->self, "", c->children, "", c->called, "",
		c->total, "");
}

static int parent_compare(const void *left, const void *right, void *arg)
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

static int child_compare(const void *left, const void *right, void *arg)
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

/* Callers of the routine in the order of their lines; ARCS has room for all of them. */
static uint32_t parents_sorted(const struct graph *g, const struct graph_routine *r, uint32_t *arcs)
{
	for (uint32_t i = 0; i < r->nin; i++)
		arcs[i] = g->in_arcs[r->first_in + i];
	qsort_r(arcs, r->nin, sizeof *arcs, parent_compare, (void *)(uintptr_t)g);
	return r->nin;
}

static uint32_t children_sorted(const struct graph *g, const struct graph_routine *r, uint32_t *arcs)
{
	for (uint32_t i = 0; i < r->nout; i++)
		arcs[i] = r->first_out + i;
	qsort_r(arcs, r->nout, sizeof *arcs, child_compare, (void *)(uintptr_t)g);
	return r->nout;
}

static void parents_print(struct listing *l, const struct graph_routine *r, uint32_t *arcs)
{
	const struct graph *g = l->graph;
	uint32_t n = parents_sorted(g, r, arcs);

	if (n == 0 || (n == 1 && g->arcs[arcs[0]].from == GRAPH_NONE)) {
		spontaneous_print(l);
		return;
	}
	for (uint32_t i = 0; i < n; i++) {
		const struct graph_arc *arc = &g->arcs[arcs[i]];

		arc_print(l, arc, arc->from, arc->self2, arc->child2);
	}
}

static void children_print(struct listing *l, const struct graph_routine *r, uint32_t *arcs)
{
	const struct graph *g = l->graph;
	uint32_t n = children_sorted(g, r, arcs);

	for (uint32_t i = 0; i < n; i++) {
		const struct graph_arc *arc = &g->arcs[arcs[i]];

		arc_print(l, arc, arc->to, arc->self1, arc->child1);
	}
}

/* The parts of the entry's self time that program counters tell. */
static void parts_print(struct listing *l, uint32_t routine)
{
	const struct columns *c = &l->columns;

	for (size_t i = l->leaves.first[routine]; i < l->leaves.first[routine + 1]; i++) {
		print_begin(l->out, l->options, 'd');
		fprintf(l->out, "%12s ", "");
		print_seconds(l->out, l->leaves.leaf[i].time, c->decimals, c->self);
		fprintf(l->out, " %*s %*s %*s     ", c->children, "", c->called, "", c->total, "");
		leaves_print(l->out, &l->leaves.leaf[i], l->options);
		print_end(l->out, l->options);
		putc('\n', l->out);
	}
}

/* The entry's own line. */
static void primary_print(struct listing *l, uint32_t routine)
{
	const struct columns *c = &l->columns;
	const struct graph_routine *r = &l->graph->routines[routine];
	char number[24];

	print_begin(l->out, l->options, 'm');
	snprintf(number, sizeof number, "[%" PRIu32 "]", l->order.number[routine]);
	fprintf(l->out, "%-6s %5.1f ", number, print_percent(r->total, l->graph->time));
	print_seconds(l->out, r->self, c->decimals, c->self);
	putc(' ', l->out);
	print_seconds(l->out, r->total - r->self, c->decimals, c->children);
	fprintf(l->out, " %*" PRIu64, c->called, r->calls);
	if (r->recursive)
		fprintf(l->out, "+%-*" PRIu64 " ", c->total, r->recursive);
	else
		fprintf(l->out, " %*s ", c->total, "");
	routine_name_print(l, routine);
	print_end(l->out, l->options);
}

static bool entries_print(struct listing *l, struct error *err)
{
	uint32_t *arcs = calloc((size_t)l->graph->narcs + 1, sizeof *arcs);

	if (!arcs)
		return error_set(err, ERROR_MEMORY, ERROR_NO_OFFSET, "out of memory");
	for (uint32_t i = 0; i < l->order.n; i++) {
		uint32_t routine = l->order.routines[i];
		const struct graph_routine *r = &l->graph->routines[routine];

		recursion_print(l, routine);
		parents_print(l, r, arcs);
		primary_print(l, routine);
		parts_print(l, routine);
		children_print(l, r, arcs);
		recursion_print(l, routine);
		fputs("-----------------------------------------------\n", l->out);
	}
	free(arcs);
	return true;
}

static void heading_print(struct listing *l)
{
	const struct columns *c = &l->columns;

	print_begin(l->out, l->options, 'h');
	fprintf(l->out, "index %% time %*sself %*schildren%*s    called%*s     name\n", c->self - 4, "",
		c->children - 6, "", c->called - 7, "", c->total - 7, "");
	print_end(l->out, l->options);
}

static void granularity_print(FILE *out, const struct graph *g)
{
	const struct amon_header *h = g->profile->nruns ? &g->profile->runs[0].header : NULL;

	if (h && h->rate && g->ticks)
		fprintf(out, "granularity: each sample hit is %.6g seconds, %.2f%% of %.2f seconds\n\n", 1.0 / h->rate,
			100.0 / h->rate / ((double)g->time / 1e9), (double)g->time / 1e9);
}

bool callgraph_text(const struct report_input *in, const struct report_options *options, FILE *out, struct error *err)
{
	struct listing l = { .graph = in->graph, .options = options, .out = out, .columns = columns_make(in->graph) };
	bool ok = false;

	if (!order_make(&l.order, in->graph, options->sort == REPORT_BY_DEFAULT ? REPORT_BY_TOTAL : options->sort, err))
		return false;
	if (leaves_make(&l.leaves, in, options, err)) {
		fputs("\t\t     Call graph\n\n\n", out);
		granularity_print(out, in->graph);
		heading_print(&l);
		ok = entries_print(&l, err);
		print_legend(out, options, legend);
		leaves_free(&l.leaves);
	}
	order_free(&l.order);
	return ok;
}

static json_t *arc_json(const struct listing *l, const struct graph_arc *arc, uint32_t other, uint64_t self,
			uint64_t child)
{
	json_t *name = other == GRAPH_NONE ? json_null() : emit_name(l->graph->routines[other].name.name);
	json_t *number = other == GRAPH_NONE ? json_null() : emit_count(l->order.number[other]);

	return json_pack("{s:o, s:o, s:o, s:o, s:o, s:b}", "index", number, "name", name, "calls", emit_count(arc->calls),
			 "self_ns", emit_count(self), "children_ns", emit_count(child), "folded", (int)arc->folded);
}

static json_t *entry_json(const struct listing *l, uint32_t routine, uint32_t *arcs)
{
	const struct graph *g = l->graph;
	const struct graph_routine *r = &g->routines[routine];
	json_t *parents = json_array(), *children = json_array();
	uint32_t n = parents_sorted(g, r, arcs);

	for (uint32_t i = 0; i < n; i++) {
		const struct graph_arc *arc = &g->arcs[arcs[i]];

		json_array_append_new(parents, arc_json(l, arc, arc->from, arc->self2, arc->child2));
	}
	n = children_sorted(g, r, arcs);
	for (uint32_t i = 0; i < n; i++) {
		const struct graph_arc *arc = &g->arcs[arcs[i]];

		json_array_append_new(children, arc_json(l, arc, arc->to, arc->self1, arc->child1));
	}
	return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "index", emit_count(l->order.number[routine]),
			 "name", emit_name(r->name.name), "self_ns", emit_count(r->self), "children_ns",
			 emit_count(r->total - r->self), "calls", emit_count(r->calls), "recursive",
			 emit_count(r->recursive), "parents", parents, "children", children);
}

bool callgraph_json(const struct report_input *in, const struct report_options *options, struct emit *e,
		    struct error *err)
{
	struct listing l = { .graph = in->graph, .options = options };
	uint32_t *arcs = calloc((size_t)in->graph->narcs + 1, sizeof *arcs);

	if (!arcs || !order_make(&l.order, in->graph,
				 options->sort == REPORT_BY_DEFAULT ? REPORT_BY_TOTAL : options->sort, err)) {
		free(arcs);
		return error_set(err, ERROR_MEMORY, ERROR_NO_OFFSET, "out of memory");
	}
	emit_array(e, "callgraph");
	for (uint32_t i = 0; i < l.order.n; i++)
		emit_item(e, entry_json(&l, l.order.routines[i], arcs));
	emit_array_end(e);
	free(arcs);
	order_free(&l.order);
	return true;
}
