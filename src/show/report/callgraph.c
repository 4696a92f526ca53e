/* callgraph.c - gprof's second listing: each routine between its callers and its callees.
 *
 * The times of the callers' lines add up to the entry's own (self2 and child2 of the paper), and
 * so do those of the callees' lines to its children (self1 and child1): two sets, since a
 * recursive routine's arcs are charged differently from the two sides.
 *
 * By gprof's model routines that call each other in a circle are an entry `<cycle N as a whole>`, with
 * its members below it and the callers of all of them above; arcs between members have calls only. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/print.h"
#include "show/report/code_places.h"
#include "show/report/figure_text.h"
#include "show/report/report.h"
#include "show/report/share.h"

static const char legend[] =
	" An entry is the lines between two rules. The line with the number at the left is the routine itself:\n"
	" @%% time    share of the run that passed while it was active, counted once however deep it recursed.\n"
	" self      %s"
	" children  @time in the routines that it called.\n"
	"%s"
	" Lines above are its callers: @time that passed in it on their behalf, %s"
	"%s. Lines below are its callees, likewise.\n"
	"%s"
	"%s"
	" <spontaneous> stands for callers that are not known: the system, or code without hooks that started a thread.\n";

/* Where calls were counted. */
static const char legend_called[] = " called    times it was called, + direct recursive calls.\n";
static const char legend_shares[] = "; calls from there / all calls";

/* Where times are samples. */
static const char legend_errors[] =
	" Before them stands what part of the entry's total (self + children) that is, and how far this may be off, with a\n"
	" confidence of 95 %; `<9 %` may be chance. Where samples are too few, @times are drawn to the shares of the calls; `~9 %`\n"
	" is known by these alone.\n";

/* What the models differ in. */
static const struct {
	const char *name;	/* for the line above the listing; NULL: needs none */
	const char *behalf;	/* how callers came by their times */
	const char *more;	/* further lines of the legend */
} models[] = {
	[GRAPH_HISTORY] = { NULL, "measured, not shared out by\n the number of calls", "" },
	[GRAPH_GPROF] = { "gprof: each call of a routine is taken to cost the average",
		"as if each call took the\n average @time of all calls",
		" Routines that call each other in a circle are members of a cycle, with an entry as a whole; calls among them\n"
		" have no @times, and callers share the @time of the whole cycle.\n" },
	[GRAPH_CCT] = { "calling context tree: a recursive call returns to the ancestor's node",
		"as the calling context tree\n has it", " Calls that return to an ancestor's node have no @times.\n" },
};

/* The same of a file without contexts. */
static const char given_behalf[] = "as the file says; callers'\n and callees' have the routine's @time and that of what it called in one,";
static const char given_more[] =
	" Of routines that call each other in a circle calls within calls have their @time, too, and a total is no more than the whole circle has.\n";

/* Widths of the columns, in characters; gprof's or more. */
struct columns {
	int decimals;		/* of the seconds; PRINT_UNITS: each time has a unit of its own */
	int self, children;	/* times */
	int called, total;	/* calls, and what stands after the / or + */
};

/* One listing under way. */
struct listing {
	const struct report_input *in;
	const struct graph *graph;
	struct graph_sites sites;	/* if they are asked for */
	const struct report_options *options;
	struct order order;
	struct leaves leaves;
	struct columns columns;
	FILE *out;
	struct tail_calls tails;	/* who called by a jump at his end */
	bool through;		/* somebody did */
};

static void callgraph_widen(int *width, int needed)
{
	if (*width < needed)
		*width = needed;
}

static const char tail_calls_legend[] =
	" by NAME    in the source NAME calls it, by a jump at its end (a tail call): NAME was gone when the routine ran, so its caller has\n"
	"            the @time. Code built by aprof-cc --aprof-callers keeps such callers.\n";

static struct columns callgraph_columns_make(const struct graph *g, bool traditional)
{
	struct columns c = { traditional && profile_is_time(g->profile) ? print_decimals(g->time) : PRINT_UNITS, 7, 7, 7, 7 };

	for (uint32_t i = 0; i < g->nroutines; i++) {
		const struct graph_routine *r = &g->routines[i];

		callgraph_widen(&c.self, print_seconds_width(r->self, c.decimals, 0));
		callgraph_widen(&c.children, print_seconds_width(r->total, c.decimals, 0));
		c.called = print_count_width(r->calls > r->recursive ? r->calls : r->recursive, c.called);
	}
	c.total = c.called;
	return c;
}

/* Columns before a name in lines of arcs; in an entry's own line there are some less. */
static int callgraph_columns_before(const struct columns *c)
{
	return 13 + c->self + 1 + c->children + 1 + c->called + 1 + c->total + 5;
}

/* Who called in the source what ARC leads to, if that is another than its caller; GRAPH_NONE: nobody, or it is not known. */
static uint32_t callgraph_through(struct listing *l, const struct graph_arc *arc)
{
	size_t i = (size_t)(arc - l->graph->arcs);
	bool one = arc >= l->graph->arcs && i < l->graph->narcs;	/* and no sum of several */

	return one && !l->options->gprof.traditional ? tail_calls_of(&l->tails, (uint32_t)i) : GRAPH_NONE;
}

/* The name of ROUTINE, and of the one by whose last jump it was called, or GRAPH_NONE. */
static void routine_name_print(struct listing *l, uint32_t routine, uint32_t through)
{
	const struct graph_routine *r = &l->graph->routines[routine];
	char cycle[24] = "", number[24] = "", marks[ENTRY_MARKS];

	if (r->cycle)
		snprintf(cycle, sizeof cycle, " <cycle %" PRIu32 ">", r->cycle);
	if (l->order.number[routine])
		snprintf(number, sizeof number, r->off_graph ? " (%" PRIu32 ")" : " [%" PRIu32 "]", l->order.number[routine]);
	print_brief_beside(l->out, r->name.name, r->brief, &l->options->style,
		callgraph_columns_before(&l->columns) + (int)(strlen(cycle) + strlen(number)) + entry_marks(marks, r, &l->options->style));
	fprintf(l->out, "%s%s%s", cycle, marks, number);
	if (through != GRAPH_NONE) {
		fputs(" by ", l->out);
		print_brief(l->out, l->graph->routines[through].name.name, l->graph->routines[through].brief, &l->options->style);
		if (l->order.number[through])
			fprintf(l->out, " [%" PRIu32 "]", l->order.number[through]);
		l->through = true;
	}
	putc('\n', l->out);
}

/* The line of the PLACE of some of ARC's calls, or, NULL, of those whose places are not known. */
static void site_print(struct listing *l, const struct call_places *places, const struct call_place *place, const struct call_figures *arc)
{
	const struct columns *c = &l->columns;
	uint64_t self = place ? place->self : places->rest_self, children = place ? place->children : places->rest_children, whole = arc->self + arc->children;
	char text[SHARE_SIZE] = "";

	print_begin(l->out, &l->options->style, 'd');
	if (place && places->timed && place->error > 0 && whole > 0)
		share_text(text, &l->options->style, (double)(self + children) / (double)whole, place->error);
	fprintf(l->out, "%*s%s ", 12 - (int)print_width(text, strlen(text)), "", text);
	if (places->timed && whole > 0) {
		figure_print(l->out, l->graph, self, c->decimals, c->self);
		putc(' ', l->out);
		figure_print(l->out, l->graph, children, c->decimals, c->children);
	} else {
		fprintf(l->out, "%*s %*s", c->self, "", c->children, "");
	}
	putc(' ', l->out);
	print_calls(l->out, c->called, place ? place->calls : places->unknown, places->counted);
	fprintf(l->out, " %*s       ", c->total, "");
	if (place)
		call_place_print(l->out, place, &l->options->style);
	else
		fputs("at places that are not known", l->out);
	print_end(l->out, &l->options->style);
	putc('\n', l->out);
}

/* Where the calls of ARC from FROM to TO come from, if that is asked for and known. */
static void sites_print(struct listing *l, uint32_t from, uint32_t to, const struct call_figures *arc)
{
	struct call_places places;

	if (l->sites.n == 0 || !call_places_make(&places, l->in, &l->sites, from, to, arc))
		return;
	for (size_t i = 0; i < places.n; i++)
		site_print(l, &places, &places.places[i], arc);
	if (call_places_have_rest(&places))
		site_print(l, &places, NULL, arc);
	call_places_free(&places);
}

/* A line of calls alone: direct recursion, or an arc within a cycle. */
static void callgraph_calls_print(struct listing *l, uint64_t calls, uint32_t routine)
{
	const struct columns *c = &l->columns;

	fprintf(l->out, "%12s %*s %*s ", "", c->self, "", c->children, "");
	print_calls(l->out, c->called, calls, graph_counts(l->graph, routine));
	fprintf(l->out, " %*s     ", c->total, "");
	routine_name_print(l, routine, GRAPH_NONE);
}

/* What part of the entry's total ARC is, in the columns of the entry's number and share: nothing of the only caller. */
static void part_print(struct listing *l, const struct graph_arc *arc, bool callers)
{
	const struct graph_routine *entry = &l->graph->routines[callers ? arc->to : arc->from];
	uint64_t time = callers ? arc->self2 + arc->child2 : arc->self1 + arc->child1;
	double error = l->options->gprof.traditional ? -1 : graph_arc_error(l->graph, arc, callers);
	char text[SHARE_SIZE] = "";

	if (error > 0 && entry->total > 0)
		share_text(text, &l->options->style, (double)time / (double)entry->total, error);
	fprintf(l->out, "%*s%s ", 12 - (int)print_width(text, strlen(text)), "", text);
}

/* The line of one arc: OTHER, the routine at its far end, with the times of that side. */
static void callgraph_arc_print(struct listing *l, const struct graph_arc *arc, uint32_t other, uint64_t self, uint64_t child)
{
	const struct columns *c = &l->columns;

	if (entry_is_within_cycle(l->graph, arc)) {
		callgraph_calls_print(l, arc->calls, other);
		sites_print(l, arc->from, arc->to, &(struct call_figures){ arc->calls, 0, 0 });
		return;
	}
	part_print(l, arc, other == arc->from);
	if (l->graph->arcs_alone)
		fprintf(l->out, "%*s", c->self, "");
	else
		figure_print(l->out, l->graph, self, c->decimals, c->self);
	putc(' ', l->out);
	figure_print(l->out, l->graph, child, c->decimals, c->children);
	if (graph_counts(l->graph, arc->to))
		fprintf(l->out, " %*" PRIu64 "/%-*" PRIu64 "     ", c->called, arc->calls, c->total,
			entry_calls(l->graph, &l->graph->routines[arc->to]));
	else
		fprintf(l->out, " %*s     ", c->called + 1 + c->total, "");
	if (other == GRAPH_NONE)
		fputs("<spontaneous>\n", l->out);
	else
		routine_name_print(l, other, callgraph_through(l, arc));
	sites_print(l, arc->from, arc->to, &(struct call_figures){ arc->calls, self, child });
}

/* gprof's line for direct recursion, above and below the entry: calls without times. */
static void recursion_print(struct listing *l, uint32_t routine)
{
	uint64_t recursive = l->graph->routines[routine].recursive;

	if (!recursive)
		return;
	callgraph_calls_print(l, recursive, routine);
	sites_print(l, routine, routine, &(struct call_figures){ recursive, 0, 0 });
}

static void spontaneous_print(struct listing *l)
{
	const struct columns *c = &l->columns;

	fprintf(l->out, "%12s %*s %*s %*s %*s     <spontaneous>\n", "", c->self, "", c->children, "", c->called, "",
		c->total, "");
}

static void callgraph_parents_print(struct listing *l, const struct graph_routine *r, uint32_t *arcs)
{
	const struct graph *g = l->graph;
	uint32_t n = entry_callers(g, r, arcs);

	if (n == 0 || (n == 1 && g->arcs[arcs[0]].from == GRAPH_NONE)) {
		spontaneous_print(l);
		return;
	}
	for (uint32_t i = 0; i < n; i++) {
		const struct graph_arc *arc = &g->arcs[arcs[i]];

		callgraph_arc_print(l, arc, arc->from, arc->self2, arc->child2);
	}
}

static void callgraph_children_print(struct listing *l, const struct graph_routine *r, uint32_t *arcs)
{
	const struct graph *g = l->graph;
	uint32_t n = entry_callees(g, r, arcs);

	for (uint32_t i = 0; i < n; i++) {
		const struct graph_arc *arc = &g->arcs[arcs[i]];

		callgraph_arc_print(l, arc, arc->to, arc->self1, arc->child1);
	}
}

/* The parts of the entry's self time that program counters tell. */
static void callgraph_parts_print(struct listing *l, uint32_t routine)
{
	const struct columns *c = &l->columns;

	for (size_t i = l->leaves.first[routine]; i < l->leaves.first[routine + 1]; i++) {
		print_begin(l->out, &l->options->style, 'd');
		fprintf(l->out, "%12s ", "");
		figure_print(l->out, l->graph, l->leaves.leaf[i].time, c->decimals, c->self);
		fprintf(l->out, " %*s %*s %*s     ", c->children, "", c->called, "", c->total, "");
		leaves_print(l->out, &l->leaves.leaf[i], l->options, callgraph_columns_before(c));
		print_end(l->out, &l->options->style);
		putc('\n', l->out);
	}
}

/* What shares are of: the run; in gprof's own listing what routines have of it. */
static uint64_t callgraph_whole(const struct listing *l)
{
	return l->options->gprof.traditional ? l->graph->time : figure_run(l->graph);
}

/* The entry's own line. */
static void callgraph_primary_print(struct listing *l, uint32_t routine)
{
	const struct columns *c = &l->columns;
	const struct graph_routine *r = &l->graph->routines[routine];
	char number[24];

	print_begin(l->out, &l->options->style, 'm');
	snprintf(number, sizeof number, "[%" PRIu32 "]", l->order.number[routine]);
	fprintf(l->out, "%-6s %5.1f ", number, print_percent(r->total, callgraph_whole(l)));
	figure_print(l->out, l->graph, r->self, c->decimals, c->self);
	putc(' ', l->out);
	figure_print(l->out, l->graph, r->total - r->self, c->decimals, c->children);
	putc(' ', l->out);
	print_calls(l->out, c->called, r->calls, graph_counts(l->graph, routine));
	if (r->recursive)
		fprintf(l->out, "+%-*" PRIu64 " ", c->total, r->recursive);
	else
		fprintf(l->out, " %*s ", c->total, "");
	routine_name_print(l, routine, GRAPH_NONE);
	print_end(l->out, &l->options->style);
}

/* The line of a cycle as a whole. */
static void lump_line_print(struct listing *l, uint32_t lump)
{
	const struct columns *c = &l->columns;
	const struct graph_lump *whole = &l->graph->lumps[lump];
	uint32_t place = l->order.number[l->graph->nroutines + lump];
	char number[24];

	print_begin(l->out, &l->options->style, 'm');
	snprintf(number, sizeof number, "[%" PRIu32 "]", place);
	fprintf(l->out, "%-6s %5.1f ", number, print_percent(whole->total, callgraph_whole(l)));
	figure_print(l->out, l->graph, whole->self, c->decimals, c->self);
	putc(' ', l->out);
	figure_print(l->out, l->graph, whole->total - whole->self, c->decimals, c->children);
	fprintf(l->out, " %*" PRIu64 "+%-*" PRIu64 " <cycle %" PRIu32 " as a whole> [%" PRIu32 "]", c->called, whole->calls,
		c->total, whole->inner, lump + 1, place);
	print_end(l->out, &l->options->style);
	putc('\n', l->out);
}

static int callgraph_by_total(const void *left, const void *right, void *arg)
{
	const struct listing *l = arg;
	uint32_t i = l->order.number[*(const uint32_t *)left], j = l->order.number[*(const uint32_t *)right];

	return (i > j) - (i < j);
}

static void callgraph_members_print(struct listing *l, const struct graph_lump *lump, uint32_t *members)
{
	const struct columns *c = &l->columns;

	memcpy(members, l->graph->lump_members + lump->first, lump->size * sizeof *members);
	qsort_r(members, lump->size, sizeof *members, callgraph_by_total, l);
	for (uint32_t i = 0; i < lump->size; i++) {
		const struct graph_routine *r = &l->graph->routines[members[i]];

		fprintf(l->out, "%12s ", "");
		figure_print(l->out, l->graph, r->self, c->decimals, c->self);
		putc(' ', l->out);
		figure_print(l->out, l->graph, r->total - r->self, c->decimals, c->children);
		fprintf(l->out, " %*" PRIu64, c->called, r->calls);
		if (r->recursive)
			fprintf(l->out, "+%-*" PRIu64 "     ", c->total, r->recursive);
		else
			fprintf(l->out, " %*s     ", c->total, "");
		routine_name_print(l, members[i], GRAPH_NONE);
	}
}

/* The entry of a cycle as a whole. */
static bool callgraph_lump_print(struct listing *l, uint32_t lump, struct error *err)
{
	const struct graph *g = l->graph;
	struct graph_arc *arcs = calloc((size_t)g->narcs + 1, sizeof *arcs);
	uint32_t *members = calloc(g->lumps[lump].size, sizeof *members), n;
	bool ok = arcs && members;

	if (ok) {
		n = entry_lump_callers(g, &g->lumps[lump], arcs);
		for (uint32_t i = 0; i < n; i++)
			callgraph_arc_print(l, &arcs[i], arcs[i].from, arcs[i].self2, arcs[i].child2);
		lump_line_print(l, lump);
		callgraph_members_print(l, &g->lumps[lump], members);
	}
	free(arcs);
	free(members);
	return ok || error_no_memory(err, NULL);
}

/* The entry of a routine; ARCS has room for all arcs. */
static void callgraph_routine_print(struct listing *l, uint32_t routine, uint32_t *arcs)
{
	const struct graph_routine *r = &l->graph->routines[routine];

	recursion_print(l, routine);
	callgraph_parents_print(l, r, arcs);
	callgraph_primary_print(l, routine);
	callgraph_parts_print(l, routine);
	callgraph_children_print(l, r, arcs);
	recursion_print(l, routine);
}

static bool entries_print(struct listing *l, struct error *err)
{
	uint32_t *arcs = calloc((size_t)l->graph->narcs + 1, sizeof *arcs);

	bool ok = true;

	if (!arcs)
		return error_no_memory(err, NULL);
	for (uint32_t i = 0; ok && i < l->order.n; i++) {
		uint32_t entry = l->order.routines[i];

		if (!entry_is_listed(l->graph, entry))
			continue;
		if (entry < l->graph->nroutines)
			callgraph_routine_print(l, entry, arcs);
		else
			ok = callgraph_lump_print(l, entry - l->graph->nroutines, err);
		fputs("-----------------------------------------------\n", l->out);
	}
	free(arcs);
	return ok;
}

/* How the times were attributed, unless in the usual way. */
static void model_print(FILE *out, const struct graph *g)
{
	if (models[g->options.model].name)
		fprintf(out, "model: %s\n\n", models[g->options.model].name);
}

static void callgraph_heading_print(struct listing *l)
{
	const struct columns *c = &l->columns;

	print_begin(l->out, &l->options->style, 'h');
	if (c->decimals == PRINT_UNITS)
		fprintf(l->out, "index %s %*s %*s%*s     called%*s     name\n", figure_share_heading(l->graph), c->self, "self", c->children, "children", c->called - 7, "",
			c->total - 7, "");
	else
		fprintf(l->out, "index %s %*sself %*schildren%*s    called%*s     name\n", figure_share_heading(l->graph), c->self - 4, "",
			c->children - 6, "", c->called - 7, "", c->total - 7, "");
	print_end(l->out, &l->options->style);
}

static void callgraph_granularity_print(FILE *out, const struct graph *g)
{
	double tick = figure_sample(g);
	char each[PRINT_TIME_SIZE], whole[PRINT_TIME_SIZE];

	if (tick > 0 && !profile_is_time(g->profile))
		fprintf(out, "granularity: each sample hit is %s, %.2f%% of %s\n\n", print_amount_text(each, tick, figure_unit(g)),
			100.0 * tick / (double)figure_run(g), print_amount_text(whole, (double)figure_run(g), figure_unit(g)));
	else if (tick > 0)
		fprintf(out, "granularity: each sample hit is %.6g seconds, %.2f%% of %.2f seconds\n\n", tick / 1e9,
			100.0 * tick / (double)figure_run(g), (double)figure_run(g) / 1e9);
}

static bool callgraph_has_errors(const struct listing *l)
{
	return l->graph->sampled && l->graph->options.model != GRAPH_GPROF && !l->options->gprof.traditional;
}

static void callgraph_legend_print(struct listing *l)
{
	bool counted = l->graph->counted;

	if (l->options->style.brief)
		return;
	putc('\n', l->out);
	print_worded(l->out, &l->options->style, figure_unit(l->graph), legend, entry_self_legend(l->graph), counted ? legend_called : "",
		l->graph->arcs_alone ? given_behalf : models[l->graph->options.model].behalf, counted ? legend_shares : "",
		l->graph->arcs_alone ? given_more : models[l->graph->options.model].more,
		callgraph_has_errors(l) ? legend_errors : "");
	print_worded(l->out, &l->options->style, figure_unit(l->graph), "%s", l->through ? tail_calls_legend : "");
	fputs(entry_marks_legend(l->graph), l->out);
}

/* Why no call site is known. */
static void sites_lacking_print(FILE *out, const struct profile *p)
{
	if (!profile_counts_calls(p)) {
		fputs("call sites: none was kept with these call stacks\n\n", out);
		return;
	}
	fputs("call sites: none is known; ", out);
	if (profile_used_way(p, AMON_WAY_INLINE))
		fputs("for inline hooks build with aprof-cc --aprof-sites\n\n", out);
	else
		fputs("run the program with APROF_SITES=1, or by aprof run --sites\n\n", out);
}

/* The call sites, if they are asked for. */
static bool sites_make(struct listing *l, struct error *err)
{
	return !l->options->sites || graph_sites_make(&l->sites, l->graph, err);
}

bool callgraph_text(const struct report_input *in, const struct report_options *options, FILE *out, struct error *err)
{
	struct listing l = { .in = in, .graph = in->graph, .options = options, .out = out,
		.columns = callgraph_columns_make(in->graph, options->gprof.traditional) };
	bool ok = false;

	if (!order_entries(&l.order, in->graph, options, err))
		return false;
	if (sites_make(&l, err) && tail_calls_make(&l.tails, in, err) && leaves_make(&l.leaves, in, options, err)) {
		fputs("\t\t     Call graph\n\n\n", out);
		callgraph_granularity_print(out, in->graph);
		model_print(out, in->graph);
		if (options->sites && l.sites.n == 0)
			sites_lacking_print(out, in->graph->profile);
		callgraph_heading_print(&l);
		ok = entries_print(&l, err);
		callgraph_legend_print(&l);
		leaves_free(&l.leaves);
	}
	tail_calls_free(&l.tails);
	graph_sites_free(&l.sites);
	order_free(&l.order);
	return ok;
}

/* In JSON as NAME: where the calls of ARC from FROM to TO come from, if that is asked for. */
static void sites_json(const struct listing *l, json_t *json, const char *name, uint32_t from, uint32_t to, const struct call_figures *arc)
{
	struct call_places places;

	if (!l->options->sites || !call_places_make(&places, l->in, &l->sites, from, to, arc))
		return;
	json_object_set_new(json, name, call_places_json(&places, arc));
	call_places_free(&places);
}

static json_t *callgraph_arc_json(struct listing *l, const struct graph_arc *arc, uint32_t other, uint64_t self,
			uint64_t child)
{
	json_t *name = other == GRAPH_NONE ? json_null() : emit_name(l->graph->routines[other].name.name);
	json_t *number = other == GRAPH_NONE || !l->order.number[other] ? json_null() : emit_count(l->order.number[other]);

	bool callers = other == arc->from;
	uint32_t entry = callers ? arc->to : arc->from;

	uint32_t through = callgraph_through(l, arc);
	json_t *json = json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:b}", "index", number, "name", name, "calls", emit_calls(graph_counts(l->graph, arc->to), arc->calls),
			 "self_ns", l->graph->arcs_alone ? json_null() : emit_count(self), "children_ns", emit_count(child), "error_ns",
			 share_json(graph_arc_error(l->graph, arc, callers), l->graph->routines[entry].total), "folded", (int)arc->folded);
	if (through != GRAPH_NONE)
		json_object_set_new(json, "tail_called_by", emit_name(l->graph->routines[through].name.name));
	sites_json(l, json, "sites", arc->from, arc->to, &(struct call_figures){ arc->calls, self, child });
	return json;
}

static json_t *callgraph_entry_json(struct listing *l, uint32_t routine, uint32_t *arcs)
{
	const struct graph *g = l->graph;
	const struct graph_routine *r = &g->routines[routine];
	json_t *parents = json_array(), *children = json_array();
	uint32_t n = entry_callers(g, r, arcs);

	for (uint32_t i = 0; i < n; i++) {
		const struct graph_arc *arc = &g->arcs[arcs[i]];

		json_array_append_new(parents, callgraph_arc_json(l, arc, arc->from, arc->self2, arc->child2));
	}
	n = entry_callees(g, r, arcs);
	for (uint32_t i = 0; i < n; i++) {
		const struct graph_arc *arc = &g->arcs[arcs[i]];

		json_array_append_new(children, callgraph_arc_json(l, arc, arc->to, arc->self1, arc->child1));
	}
	json_t *entry = json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "index", emit_count(l->order.number[routine]),
			 "name", emit_name(r->name.name), "self_ns", emit_count(r->self), "children_ns",
			 emit_count(r->total - r->self), "calls", emit_calls(g->counted && !r->plain, r->calls), "recursive",
			 emit_calls(g->counted && !r->plain, r->recursive), "parents", parents, "children", children);
	if (r->recursive)
		sites_json(l, entry, "recursive_sites", routine, routine, &(struct call_figures){ r->recursive, 0, 0 });
	if (r->cycle)
		json_object_set_new(entry, "cycle", emit_count(r->cycle));
	return entry;
}

/* A cycle as a whole; its members have entries of their own. */
static json_t *callgraph_lump_json(struct listing *l, uint32_t lump)
{
	const struct graph *g = l->graph;
	const struct graph_lump *whole = &g->lumps[lump];
	struct graph_arc *arcs = calloc((size_t)g->narcs + 1, sizeof *arcs);
	uint32_t n = arcs ? entry_lump_callers(g, whole, arcs) : 0;
	json_t *parents = json_array(), *members = json_array();

	for (uint32_t i = 0; i < n; i++)
		json_array_append_new(parents, callgraph_arc_json(l, &arcs[i], arcs[i].from, arcs[i].self2, arcs[i].child2));
	for (uint32_t i = 0; i < whole->size; i++)
		json_array_append_new(members, emit_count(l->order.number[g->lump_members[whole->first + i]]));
	json_t *entry = json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "index", emit_count(l->order.number[g->nroutines + lump]),
		"cycle", emit_count((uint64_t)lump + 1), "members", members, "self_ns", emit_count(whole->self), "children_ns",
		emit_count(whole->total - whole->self), "calls", emit_count(whole->calls), "inner_calls",
		emit_count(whole->inner), "parents", parents);
	if (!arcs) {
		json_decref(entry);
		return NULL;
	}
	free(arcs);
	return entry;
}

bool callgraph_json(const struct report_input *in, const struct report_options *options, struct emit *e,
		    struct error *err)
{
	struct listing l = { .in = in, .graph = in->graph, .options = options };
	uint32_t *arcs = calloc((size_t)in->graph->narcs + 1, sizeof *arcs);

	if (!arcs || !order_entries(&l.order, in->graph, options, err)) {
		free(arcs);
		return error_no_memory(err, NULL);
	}
	if (!sites_make(&l, err) || !tail_calls_make(&l.tails, in, err)) {
		free(arcs);
		graph_sites_free(&l.sites);
		order_free(&l.order);
		return false;
	}
	emit_array(e, "callgraph");
	for (uint32_t i = 0; i < l.order.n; i++) {
		if (!entry_is_listed(in->graph, l.order.routines[i]))
			continue;
		emit_item(e, l.order.routines[i] < in->graph->nroutines ? callgraph_entry_json(&l, l.order.routines[i], arcs)
			: callgraph_lump_json(&l, l.order.routines[i] - in->graph->nroutines));
	}
	emit_array_end(e);
	free(arcs);
	tail_calls_free(&l.tails);
	graph_sites_free(&l.sites);
	order_free(&l.order);
	return true;
}
