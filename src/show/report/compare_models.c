/* compare_models.c - gprof's model beside what was measured: arc by arc, cycle by cycle, and in one number.
 *
 * Needs the graph by gprof's model beside the usual one. */

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/print.h"
#include "show/report/report.h"

/* The tables list arcs that the model charges to their callers; those within cycles stand with their cycle. */
static const char legend[] =
	" error    what the two differ by; the largest first.\n"
	" gprof    @time that gprof's model charges to the caller for this callee and what that called: calls from there / all\n"
	"          calls of the callee's @time; of a callee in a cycle, of the @time of the whole cycle.\n"
	" true     @time that passed in the callee, and in what it called, while this caller waited for it.\n"
	" ratio    gprof / true.\n"
	" % calls  share of the callee's calls that this caller made.    @% time  share of the callee's @time that passed for it.\n"
	" All inclusive @time is the sum of the true @times of all arcs; what is charged wrongly is the sum of what arcs have\n"
	" more by measurement than by gprof's model.\n";

static const char lump_legend[] =
	" gprof    @time that gprof's model gives to the member: its own and those of its callees outside the cycle.\n"
	" true     @time that passed while it was active, members that it called included: each costs that much.\n"
	" Calls within a cycle are charged to nobody: all their @time is missing.\n";

/* Widths of the columns, characters. */
struct columns {
	int time;		/* error, gprof, true */
	int called, total;	/* calls, before and after the / */
};

/* One comparison under way. */
struct listing {
	const struct graph *truth;	/* what was measured */
	const struct graph *gprof;	/* the same by gprof's model */
	struct compare *compare;	/* their arcs */
	const struct report_options *options;
	struct columns columns;
	uint64_t least;			/* errors and members below that are left out, ns */
	bool *wanted;			/* by routine: what has to do with it is listed */
	FILE *out;
};

static struct columns compare_models_columns_make(const struct compare *c)
{
	struct columns columns = { PRINT_TIME, 6, 6 };

	for (uint32_t i = 0; i < c->narcs; i++)
		columns.called = print_count_width(c->arcs[i].callee_calls, columns.called);
	columns.total = columns.called;
	return columns;
}

static void compare_models_head_print(struct listing *l)
{
	const struct compare *c = l->compare;
	char time[PRINT_TIME_SIZE], whole[PRINT_TIME_SIZE];

	fprintf(l->out, "Models compared: %s, %" PRIu32 " arcs\n\n", print_amount_text(time, (double)l->truth->time, figure_unit(l->truth)), c->narcs);
	print_begin(l->out, &l->options->style, 'm');
	fprintf(l->out, "%.1f %% of all inclusive time is charged to the wrong caller%s by gprof's model",
		print_percent(c->wrong, c->inclusive), c->within ? ", or to none," : "");
	print_end(l->out, &l->options->style);
	fprintf(l->out, ": %s of %s", print_amount_text(time, (double)c->wrong, figure_unit(l->truth)), print_amount_text(whole, (double)c->inclusive, figure_unit(l->truth)));
	if (c->within)
		fprintf(l->out, ",\n%s of it to none: that of calls within cycles", print_amount_text(time, (double)c->within, figure_unit(l->truth)));
	fputs(".\n\n", l->out);
}

static void compare_models_heading_print(struct listing *l)
{
	const struct columns *c = &l->columns;

	print_begin(l->out, &l->options->style, 'h');
	fprintf(l->out, "%*s %*s %*s  ratio %% calls %s %*s%*s  caller -> callee\n", c->time, "error", c->time, "gprof",
		c->time, "true", figure_share_heading(l->truth), c->called, "called", c->total + 1, "");
	print_end(l->out, &l->options->style);
}

/* gprof / true in six columns. */
static void ratio_print(struct listing *l, const struct compare_arc *a)
{
	double ratio = a->truth ? (double)a->gprof / (double)a->truth : 0;

	if (!a->truth && !a->gprof)
		fprintf(l->out, " %6s", "-");
	else if (!a->truth)
		fprintf(l->out, " %6s", "inf");
	else
		fprintf(l->out, " %6.*f", ratio < 1000 ? 2 : 0, ratio);
}

static void compare_models_routine_print(struct listing *l, uint32_t routine, bool cycles)
{
	print_brief(l->out, l->truth->routines[routine].name.name, l->truth->routines[routine].brief, &l->options->style);
	if (cycles && l->gprof->routines[routine].cycle)
		fprintf(l->out, " <cycle %" PRIu32 ">", l->gprof->routines[routine].cycle);
}

/* The end of the line of an arc; with CYCLES the names have theirs. */
static void ends_print(struct listing *l, const struct compare_arc *a, bool cycles)
{
	const struct columns *c = &l->columns;

	fprintf(l->out, " %7.2f %6.2f %*" PRIu64 "/%-*" PRIu64 "  ", print_percent(a->calls, a->callee_calls),
		print_percent(a->truth, l->truth->routines[a->to].total), c->called, a->calls, c->total, a->callee_calls);
	compare_models_routine_print(l, a->from, cycles);
	fputs(" -> ", l->out);
	compare_models_routine_print(l, a->to, cycles);
	putc('\n', l->out);
}

static void compare_models_arc_print(struct listing *l, const struct compare_arc *a)
{
	const struct columns *c = &l->columns;

	print_amount(l->out, (double)compare_error(a), figure_unit(l->truth), c->time);
	putc(' ', l->out);
	print_amount(l->out, (double)a->gprof, figure_unit(l->truth), c->time);
	putc(' ', l->out);
	print_amount(l->out, (double)a->truth, figure_unit(l->truth), c->time);
	ratio_print(l, a);
	ends_print(l, a, true);
}

static bool compare_models_is_wanted(const struct listing *l, const struct compare_arc *a)
{
	return l->wanted[a->from] || l->wanted[a->to];
}

/* Whether A, of which SHOWN have been printed, is to be printed. */
static bool compare_models_is_shown(const struct listing *l, const struct compare_arc *a, uint32_t shown)
{
	return (l->options->top == 0 || shown < l->options->top) && compare_error(a) >= l->least;
}

static void compare_models_rest_print(struct listing *l, uint32_t rest)
{
	if (rest > 0)
		fprintf(l->out, "(and %" PRIu32 " more, by less; see --top and --min-percent)\n", rest);
}

static void compare_models_arcs_print(struct listing *l)
{
	uint32_t shown = 0, differ = 0;

	for (uint32_t i = 0; i < l->compare->narcs; i++) {
		const struct compare_arc *a = &l->compare->arcs[i];

		if (a->within || compare_error(a) == 0 || !compare_models_is_wanted(l, a))
			continue;
		differ++;
		if (shown + 1 < differ || !compare_models_is_shown(l, a, shown))
			continue;
		if (shown++ == 0)
			compare_models_heading_print(l);
		compare_models_arc_print(l, a);
	}
	compare_models_rest_print(l, differ - shown);
	if (differ == 0)
		fputs("No call has another time by gprof's model than was measured, outside of cycles.\n", l->out);
	else
		print_worded(l->out, &l->options->style, figure_unit(l->truth), "\n%s", legend);
}

/* Largest true total first. */
static int compare_models_by_total(const void *left, const void *right, void *arg)
{
	const struct graph *g = arg;
	uint32_t i = *(const uint32_t *)left, j = *(const uint32_t *)right;

	if (g->routines[i].total != g->routines[j].total)
		return g->routines[i].total > g->routines[j].total ? -1 : 1;
	return (i > j) - (i < j);
}

/* The members of LUMP in the order of their true cost; malloc'ed. */
static uint32_t *members_sorted(const struct listing *l, const struct graph_lump *lump, struct error *err)
{
	uint32_t *members = calloc(lump->size, sizeof *members);

	if (!members) {
		error_no_memory(err, NULL);
		return NULL;
	}
	memcpy(members, l->gprof->lump_members + lump->first, lump->size * sizeof *members);
	qsort_r(members, lump->size, sizeof *members, compare_models_by_total, (void *)(uintptr_t)l->truth);
	return members;
}

static void member_print(struct listing *l, uint32_t member)
{
	const struct columns *c = &l->columns;
	const struct graph_routine *r = &l->truth->routines[member];

	print_amount(l->out, (double)r->self, figure_unit(l->truth), c->time);
	putc(' ', l->out);
	print_amount(l->out, (double)l->gprof->routines[member].total, figure_unit(l->truth), c->time);
	putc(' ', l->out);
	print_amount(l->out, (double)r->total, figure_unit(l->truth), c->time);
	fprintf(l->out, " %6.1f %*" PRIu64 "  ", print_percent(r->total, l->truth->time), c->called, r->calls);
	print_brief(l->out, r->name.name, r->brief, &l->options->style);
	putc('\n', l->out);
}

/* The calls within a cycle. */
static void within_print(struct listing *l, uint32_t cycle)
{
	const struct columns *c = &l->columns;
	uint32_t shown = 0, differ = 0;

	for (uint32_t i = 0; i < l->compare->narcs; i++) {
		const struct compare_arc *a = &l->compare->arcs[i];

		if (!a->within || l->gprof->routines[a->to].cycle != cycle || a->truth == 0 || !compare_models_is_wanted(l, a))
			continue;
		differ++;
		if (shown + 1 < differ || !compare_models_is_shown(l, a, shown))
			continue;
		if (shown++ == 0) {
			print_begin(l->out, &l->options->style, 'h');
			fprintf(l->out, "\n%*s %% calls %s %*s%*s  caller -> callee\n", c->time, "true", figure_share_heading(l->truth), c->called, "called",
				c->total + 1, "");
			print_end(l->out, &l->options->style);
		}
		print_amount(l->out, (double)a->truth, figure_unit(l->truth), c->time);
		ends_print(l, a, false);
	}
	compare_models_rest_print(l, differ - shown);
}

static bool compare_models_lump_print(struct listing *l, uint32_t number, struct error *err)
{
	const struct graph_lump *lump = &l->gprof->lumps[number];
	uint32_t *members = members_sorted(l, lump, err), shown = 0;
	const struct columns *c = &l->columns;
	char time[PRINT_TIME_SIZE];

	if (!members)
		return false;
	fprintf(l->out, "\nCycle %" PRIu32 ": gprof's model takes %" PRIu32 " routines as a whole, %s with what they called\n\n",
		number + 1, lump->size, print_amount_text(time, (double)lump->total, figure_unit(l->truth)));
	print_begin(l->out, &l->options->style, 'h');
	fprintf(l->out, "%*s %*s %*s %s %*s  name\n", c->time, "self", c->time, "gprof", c->time, "true", figure_share_heading(l->truth), c->called, "called");
	print_end(l->out, &l->options->style);
	while (shown < lump->size && (l->options->top == 0 || shown < l->options->top)
	       && (shown == 0 || l->truth->routines[members[shown]].total >= l->least))
		member_print(l, members[shown++]);
	if (shown < lump->size)
		fprintf(l->out, "(and %" PRIu32 " more, which cost less)\n", lump->size - shown);
	free(members);
	within_print(l, number + 1);
	return true;
}

/* Whether the cycle is to be listed. */
static bool lump_is_shown(const struct listing *l, const struct graph_lump *lump)
{
	bool wanted = false;

	for (uint32_t i = 0; i < lump->size; i++)
		wanted |= l->wanted[l->gprof->lump_members[lump->first + i]];
	return wanted && lump->total >= l->least;
}

static bool lumps_print(struct listing *l, struct error *err)
{
	bool some = false;

	for (uint32_t i = 0; i < l->gprof->nlumps; i++) {
		if (!l->gprof->lumps[i].total || !lump_is_shown(l, &l->gprof->lumps[i]))
			continue;
		some = true;
		if (!compare_models_lump_print(l, i, err))
			return false;
	}
	if (some)
		print_worded(l->out, &l->options->style, figure_unit(l->truth), "\n%s", lump_legend);
	return true;
}

/* Compare IN's graphs, and see what of it OPTIONS want.  False with *ERR set: out of memory, or a
 * word that means no routine. */
static bool listing_make(struct listing *l, const struct report_input *in, const struct report_options *options, struct error *err)
{
	const struct graph *g = in->graph;
	bool ok = true;

	*l = (struct listing){ .truth = g, .gprof = in->gprof, .options = options, .compare = compare_models(g, in->gprof, err),
		.least = (uint64_t)((double)g->time * options->min_percent / 100),
		.wanted = calloc((size_t)g->nroutines + 1, sizeof *l->wanted) };
	if (!l->compare)
		return false;
	if (!l->wanted)
		return error_no_memory(err, NULL);
	for (size_t i = 0; ok && i < options->nonly; i++)
		ok = graph_match(g, "only", options->only[i], true, l->wanted, err);
	for (uint32_t i = 0; options->nonly == 0 && i < g->nroutines; i++)
		l->wanted[i] = true;
	return ok;
}

static void listing_free(struct listing *l)
{
	compare_free(l->compare);
	free(l->wanted);
}

bool compare_text(const struct report_input *in, const struct report_options *options, FILE *out, struct error *err)
{
	struct listing l;
	bool ok = listing_make(&l, in, options, err);

	if (ok && in->graph->time == 0) {
		fputs("No time was measured: there is nothing to compare.\n", out);
	} else if (ok) {
		l.out = out;
		l.columns = compare_models_columns_make(l.compare);
		compare_models_head_print(&l);
		compare_models_arcs_print(&l);
		ok = lumps_print(&l, err);
	}
	listing_free(&l);
	return ok;
}

static json_t *compare_models_arc_json(const struct listing *l, const struct compare_arc *a)
{
	bool known = !a->within && a->truth;

	return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:b}", "caller",
			 emit_name(l->truth->routines[a->from].name.name), "callee", emit_name(l->truth->routines[a->to].name.name),
			 "calls", emit_count(a->calls), "callee_calls", emit_count(a->callee_calls), "error_ns", emit_count(compare_error(a)),
			 "gprof_ns", emit_count(a->gprof), "true_ns", emit_count(a->truth),
			 "ratio", known ? json_real((double)a->gprof / (double)a->truth) : json_null(), "within_cycle", (int)a->within);
}

static json_t *compare_models_lump_json(const struct listing *l, uint32_t number, struct error *err)
{
	const struct graph_lump *lump = &l->gprof->lumps[number];
	uint32_t *members = members_sorted(l, lump, err);
	json_t *list = json_array();

	for (uint32_t i = 0; members && i < lump->size; i++) {
		const struct graph_routine *r = &l->truth->routines[members[i]];

		json_array_append_new(list, json_pack("{s:o, s:o, s:o, s:o, s:o}", "name", emit_name(r->name.name), "calls",
			emit_count(r->calls), "self_ns", emit_count(r->self), "gprof_ns", emit_count(l->gprof->routines[members[i]].total),
			"true_ns", emit_count(r->total)));
	}
	free(members);
	return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o}", "cycle", emit_count((uint64_t)number + 1), "self_ns", emit_count(lump->self),
			 "total_ns", emit_count(lump->total), "calls", emit_count(lump->calls), "inner_calls", emit_count(lump->inner),
			 "members", list);
}

static void comparison_json(const struct listing *l, struct emit *e, struct error *err)
{
	const struct compare *c = l->compare;

	emit_member(e, "time_ns", emit_count(l->truth->time));
	emit_member(e, "inclusive_ns", emit_count(c->inclusive));
	emit_member(e, "wrong_ns", emit_count(c->wrong));
	emit_member(e, "wrong_within_ns", emit_count(c->within));
	emit_member(e, "wrong_share", c->inclusive ? json_real((double)c->wrong / (double)c->inclusive) : json_null());
	emit_array(e, "compared");
	for (uint32_t i = 0, shown = 0; i < c->narcs; i++)
		if (compare_models_is_wanted(l, &c->arcs[i]) && compare_models_is_shown(l, &c->arcs[i], shown)) {
			emit_item(e, compare_models_arc_json(l, &c->arcs[i]));
			shown++;
		}
	emit_array_end(e);
	emit_array(e, "gprof_cycles");
	for (uint32_t i = 0; i < l->gprof->nlumps; i++)
		if (lump_is_shown(l, &l->gprof->lumps[i]))
			emit_item(e, compare_models_lump_json(l, i, err));
	emit_array_end(e);
}

bool compare_json(const struct report_input *in, const struct report_options *options, struct emit *e, struct error *err)
{
	struct listing l;
	bool ok = listing_make(&l, in, options, err);

	if (ok)
		comparison_json(&l, e, err);
	listing_free(&l);
	return ok;
}
