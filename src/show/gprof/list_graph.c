/* list_graph.c - the call graph of a gmon.out, as gprof prints it.
 *
 * An entry's callers stand above its line, the dearest next to it, its callees below, the dearest first; calls within a cycle
 * and direct recursion have no times and stand farthest from it. */
#include <inttypes.h>
#include <stdlib.h>

#include "base/print.h"
#include "show/gprof/listing.h"
#include "show/report/report.h"

static const char legend[] =
	" An entry is the lines between two rules. The line with the number at the left is the routine itself:\n"
	" %% time    share of the run's time that passed in it and, by the average cost of their calls, in what it called.\n"
	" self      seconds in the routine itself.\n"
	" children  seconds passed to it by what it calls.\n"
	" called    times it was called, + direct recursive calls.\n"
	" Lines above are its callers: what it passes to them, as if each call took the average time of all calls; calls\n"
	" from there / all calls. Lines below are its callees, likewise.\n"
	" Routines that call each other in a circle are members of a cycle, with an entry as a whole; calls among them\n"
	" have no times, and callers share the time of the whole cycle.\n"
	" <spontaneous> stands for callers that are not known.\n";

/* One listing under way. */
struct listing {
	const struct report_input *in;
	const struct report_options *options;
	const struct gprof *g;
	uint32_t *arcs;		/* room for all arcs of a routine */
	double total;		/* samples that are 100 % */
	int child_width;	/* of the column of children: wider with -T */
	FILE *out;
};

static void list_graph_heading_print(struct listing *l)
{
	FILE *out = l->out;

	if (!l->options->gprof.traditional)
		fputs(l->options->style.brief ? "\t\t\tCall graph\n\n" : "\t\t     Call graph (explanation follows)\n\n", out);
	fprintf(out, "\ngranularity: each sample hit covers %ld byte(s)", 2 * (long)l->g->gmon->scale);
	if (l->g->shown_time > 0)
		fprintf(out, " for %.2f%% of %.2f seconds\n\n", 100.0 / l->g->shown_time, gprof_seconds(l->g, l->g->shown_time));
	else
		fputs(" no time propagated\n\n", out);
	if (!l->options->gprof.traditional) {
		fputs("index % time    self  children    called     name\n", out);
		return;
	}
	fprintf(out, "%6.6s %5.5s %7.7s %11.11s %7.7s/%-7.7s     %-8.8s\n", "", "", "", "", "called", "total", "parents");
	fprintf(out, "%-6.6s %5.5s %7.7s %11.11s %7.7s+%-7.7s %-8.8s\t%5.5s\n", "index", "%time", "self", "descendants", "called",
		"self", "name", "index");
	fprintf(out, "%6.6s %5.5s %7.7s %11.11s %7.7s/%-7.7s     %-8.8s\n\n", "", "", "", "", "called", "total", "children");
}

/* What sorts arcs: direct recursion, calls within the cycle, then the others by time and calls, ascending. */
static int arc_compare(const struct gprof *g, const struct gprof_arc *a, const struct gprof_arc *b)
{
	int x = a->from == a->to ? 0 : gprof_is_inner(g, a) ? 1 : 2, y = b->from == b->to ? 0 : gprof_is_inner(g, b) ? 1 : 2;
	double s = a->self + a->child, t = b->self + b->child;

	if (x != y)
		return x - y;
	if (x == 2 && s != t)
		return s < t ? -1 : 1;
	return (a->calls > b->calls) - (a->calls < b->calls);
}

/* Arcs that compare equal stand in the order in which they were met. */
static int parent_compare(const void *left, const void *right, void *arg)
{
	const struct gprof *g = arg;
	uint32_t i = *(const uint32_t *)left, j = *(const uint32_t *)right;
	int c = arc_compare(g, &g->arcs[i], &g->arcs[j]);

	return c ? c : (i > j) - (i < j);
}

static int child_compare(const void *left, const void *right, void *arg)
{
	const struct gprof *g = arg;
	uint32_t i = *(const uint32_t *)left, j = *(const uint32_t *)right;
	int c = arc_compare(g, &g->arcs[j], &g->arcs[i]);

	return c ? c : (i > j) - (i < j);
}

static uint32_t parents_sorted(const struct gprof *g, uint32_t r, uint32_t *arcs)
{
	uint32_t n = 0;

	for (uint32_t a = g->routines[r].first_in; a != GPROF_NONE; a = g->arcs[a].next_in)
		arcs[n++] = a;
	qsort_r(arcs, n, sizeof *arcs, parent_compare, (void *)(uintptr_t)g);
	return n;
}

static uint32_t children_sorted(const struct gprof *g, uint32_t r, uint32_t *arcs)
{
	uint32_t n = 0;

	for (uint32_t a = g->routines[r].first_out; a != GPROF_NONE; a = g->arcs[a].next_out)
		arcs[n++] = a;
	qsort_r(arcs, n, sizeof *arcs, child_compare, (void *)(uintptr_t)g);
	return n;
}

/* The line of an arc with OTHER, the routine at its far end. */
static void list_graph_arc_print(struct listing *l, const struct gprof_arc *arc, uint32_t other)
{
	if (gprof_is_inner(l->g, arc))
		fprintf(l->out, "%6.6s %5.5s %7.7s %*s %7" PRIu64 " %7.7s     ", "", "", "", l->child_width, "", arc->calls, "");
	else
		fprintf(l->out, "%6.6s %5.5s %7.2f %*.2f %7" PRIu64 "/%-7" PRIu64 "     ", "", "", gprof_seconds(l->g, arc->self),
			l->child_width, gprof_seconds(l->g, arc->child), arc->calls, l->g->routines[gprof_whole(l->g, arc->to)].calls);
	gprof_link_print(l->out, l->in, l->options, other);
	putc('\n', l->out);
}

static void list_graph_parents_print(struct listing *l, uint32_t r)
{
	uint32_t n = parents_sorted(l->g, r, l->arcs);

	if (n == 0)
		fprintf(l->out, "%6.6s %5.5s %7.7s %*s %7.7s %7.7s     <spontaneous>\n", "", "", "", l->child_width, "", "", "");
	for (uint32_t i = 0; i < n; i++)
		list_graph_arc_print(l, &l->g->arcs[l->arcs[i]], l->g->arcs[l->arcs[i]].from);
}

static void list_graph_children_print(struct listing *l, uint32_t r)
{
	uint32_t n = children_sorted(l->g, r, l->arcs);

	for (uint32_t i = 0; i < n; i++)
		list_graph_arc_print(l, &l->g->arcs[l->arcs[i]], l->g->arcs[l->arcs[i]].to);
}

/* The number, share and times at the left of an entry's line. */
static void times_print(struct listing *l, const struct gprof_routine *r)
{
	char number[24];

	snprintf(number, sizeof number, "[%" PRIu32 "]", r->place);
	fprintf(l->out, "%-6.6s %5.1f %7.2f %*.2f", number, 100 * (r->shown_self + r->shown_child) / l->total,
		gprof_seconds(l->g, r->shown_self), l->child_width, gprof_seconds(l->g, r->shown_child));
}

static void self_calls_print(struct listing *l, uint64_t calls)
{
	if (calls)
		fprintf(l->out, "+%-7" PRIu64, calls);
	else
		fprintf(l->out, " %7.7s", "");
}

static void list_graph_primary_print(struct listing *l, uint32_t routine)
{
	const struct gprof_routine *r = &l->g->routines[routine];

	times_print(l, r);
	if (r->calls + r->self_calls) {
		fprintf(l->out, " %7" PRIu64, r->calls);
		self_calls_print(l, r->self_calls);
		putc(' ', l->out);
	} else {
		fprintf(l->out, " %7.7s %7.7s ", "", "");
	}
	gprof_link_print(l->out, l->in, l->options, routine);
	putc('\n', l->out);
}

static int member_compare(const void *left, const void *right, void *arg)
{
	const struct gprof *g = arg;
	const struct gprof_routine *a = &g->routines[g->members[*(const uint32_t *)left]];
	const struct gprof_routine *b = &g->routines[g->members[*(const uint32_t *)right]];
	double s = a->shown_self + a->shown_child, t = b->shown_self + b->shown_child;
	uint64_t m = a->calls + a->self_calls, n = b->calls + b->self_calls;

	if (s != t)
		return s > t ? -1 : 1;
	if (m != n)
		return m > n ? -1 : 1;
	return (*(const uint32_t *)left > *(const uint32_t *)right) - (*(const uint32_t *)left < *(const uint32_t *)right);
}

/* Members of CYCLE, as indices in g->members, the dearest first; MEMBERS has room. */
static void members_sort(const struct gprof *g, const struct gprof_cycle *cycle, uint32_t *members)
{
	for (uint32_t i = 0; i < cycle->size; i++)
		members[i] = cycle->first + i;
	qsort_r(members, cycle->size, sizeof *members, member_compare, (void *)(uintptr_t)g);
}

static void list_graph_members_print(struct listing *l, const struct gprof_cycle *cycle, const uint32_t *members)
{
	for (uint32_t i = 0; i < cycle->size; i++) {
		const struct gprof_routine *r = &l->g->routines[l->g->members[members[i]]];

		fprintf(l->out, "%6.6s %5.5s %7.2f %*.2f %7" PRIu64, "", "", gprof_seconds(l->g, r->shown_self), l->child_width,
			gprof_seconds(l->g, r->shown_child), r->calls);
		self_calls_print(l, r->self_calls);
		fputs("     ", l->out);
		gprof_link_print(l->out, l->in, l->options, l->g->members[members[i]]);
		putc('\n', l->out);
	}
}

static bool cycle_print(struct listing *l, uint32_t c)
{
	const struct gprof_routine *r = &l->g->routines[l->g->nroutines + c];
	uint32_t *members = calloc(l->g->cycles[c].size, sizeof *members);

	if (!members)
		return false;
	members_sort(l->g, &l->g->cycles[c], members);
	times_print(l, r);
	fprintf(l->out, " %7" PRIu64, r->calls);
	self_calls_print(l, r->self_calls);
	fprintf(l->out, " <cycle %" PRIu32 " as a whole> [%" PRIu32 "]\n", r->cycle, r->place);
	list_graph_members_print(l, &l->g->cycles[c], members);
	free(members);
	return true;
}

static bool list_graph_is_shown(const struct gprof_routine *r, const struct report_options *options)
{
	if (options->gprof.lines && !(r->symbol && r->symbol->function))
		return false;		/* lines, and cycles too, have no entries in gprof -l */
	if (!options->gprof.zeros && r->calls == 0 && r->self_calls == 0 && r->shown_self == 0 && r->shown_child == 0)
		return false;
	return r->printed;
}

static bool entry_print(struct listing *l, uint32_t entry)
{
	const char *gap = l->options->gprof.traditional ? "\n" : "";

	if (entry >= l->g->nroutines) {
		if (!cycle_print(l, entry - l->g->nroutines))
			return false;
	} else {
		list_graph_parents_print(l, entry);
		list_graph_primary_print(l, entry);
		list_graph_children_print(l, entry);
	}
	fprintf(l->out, "%s-----------------------------------------------\n%s", gap, gap);
	return true;
}

bool gprof_graph_text(const struct report_input *in, const struct report_options *options, FILE *out, struct error *err)
{
	const struct gprof *g = in->gmon;
	struct listing l = { .in = in, .options = options, .g = g, .arcs = calloc((size_t)g->narcs + 1, sizeof *l.arcs),
		.total = g->shown_time > 0 ? g->shown_time : 1, .child_width = options->gprof.traditional ? 11 : 7, .out = out };
	bool ok = l.arcs != NULL;

	if (ok)
		list_graph_heading_print(&l);
	for (uint32_t i = 0; ok && i < g->nroutines + g->ncycles; i++)
		if (list_graph_is_shown(&g->routines[g->listed[i]], options))
			ok = entry_print(&l, g->listed[i]);
	free(l.arcs);
	if (!ok)
		return error_no_memory(err, NULL);
	print_legend(out, &options->style, legend);
	return true;
}

static json_t *list_graph_arc_json(const struct gprof *g, const struct gprof_arc *arc, uint32_t other)
{
	return json_pack("{s:o, s:o, s:o, s:o, s:o, s:b}", "index", emit_count(g->routines[other].place),
		"name", emit_name(g->routines[other].symbol->display), "calls", emit_count(arc->calls), "self_ns",
		gprof_nsec(g, gprof_is_inner(g, arc) ? 0 : arc->self), "children_ns",
		gprof_nsec(g, gprof_is_inner(g, arc) ? 0 : arc->child), "folded", 0);
}

static json_t *list_graph_entry_json(const struct gprof *g, uint32_t entry, uint32_t *arcs)
{
	const struct gprof_routine *r = &g->routines[entry];
	json_t *parents = json_array(), *children = json_array(), *json;
	uint32_t n = parents_sorted(g, entry, arcs);

	for (uint32_t i = 0; i < n; i++)
		json_array_append_new(parents, list_graph_arc_json(g, &g->arcs[arcs[i]], g->arcs[arcs[i]].from));
	n = children_sorted(g, entry, arcs);
	for (uint32_t i = 0; i < n; i++)
		json_array_append_new(children, list_graph_arc_json(g, &g->arcs[arcs[i]], g->arcs[arcs[i]].to));
	json = json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "index", emit_count(r->place),
		"name", emit_name(r->symbol->display), "self_ns", gprof_nsec(g, r->shown_self), "children_ns",
		gprof_nsec(g, r->shown_child), "calls", emit_count(r->calls), "recursive", emit_count(r->self_calls),
		"parents", parents, "children", children);
	if (r->cycle)
		json_object_set_new(json, "cycle", emit_count(r->cycle));
	return json;
}

static json_t *cycle_json(const struct gprof *g, uint32_t c)
{
	const struct gprof_routine *r = &g->routines[g->nroutines + c];
	json_t *members = json_array();

	for (uint32_t i = 0; i < g->cycles[c].size; i++)
		json_array_append_new(members, emit_count(g->routines[g->members[g->cycles[c].first + i]].place));
	return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "index", emit_count(r->place), "cycle", emit_count(r->cycle),
		"members", members, "self_ns", gprof_nsec(g, r->shown_self), "children_ns", gprof_nsec(g, r->shown_child),
		"calls", emit_count(r->calls), "inner_calls", emit_count(r->self_calls));
}

bool gprof_graph_json(const struct report_input *in, const struct report_options *options, struct emit *e, struct error *err)
{
	const struct gprof *g = in->gmon;
	uint32_t *arcs = calloc((size_t)g->narcs + 1, sizeof *arcs);

	if (!arcs)
		return error_no_memory(err, NULL);
	emit_array(e, "callgraph");
	for (uint32_t i = 0; i < g->nroutines + g->ncycles; i++)
		if (list_graph_is_shown(&g->routines[g->listed[i]], options))
			emit_item(e, g->listed[i] < g->nroutines ? list_graph_entry_json(g, g->listed[i], arcs)
				: cycle_json(g, g->listed[i] - g->nroutines));
	emit_array_end(e);
	free(arcs);
	return true;
}
