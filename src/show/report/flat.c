/* flat.c - gprof's first listing: routines by the time that they spend themselves.
 *
 * The self times add up to the time of all contexts; the cumulative column shows it.  Where times are samples each share has its error beside it. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/print.h"
#include "show/report/code_places.h"
#include "show/report/figure_text.h"
#include "show/report/report.h"
#include "show/report/share.h"

static const char legend_times[] =
	" @% time      share of the run that was spent in this routine itself.\n"
	" cumulative  sum of the self @times down to this line.\n"
	" self        ";

/* Where calls were counted. */
static const char legend_calls[] =
	" calls       times it was called; direct recursive calls are not counted here.\n"
	" self/call   average @time of a call in the routine itself.\n"
	" total/call  average @time of a call with everything that it called.\n";

/* A unit of time per call, and gprof's name for it. */
struct unit {
	const char *name;	/* as in "ms/call" */
	double per_second;	/* units in a second */
};

/* Widths of the columns, in characters; gprof's or more. */
struct columns {
	uint64_t total;		/* time that is 100 %, ns */
	struct overhead_evidence evidence; /* what samples say of it */
	bool errors;		/* shares have theirs beside them: times are samples, and the listing is not gprof's of 1982 */
	int decimals;		/* of the seconds; PRINT_UNITS: each time has a unit of its own */
	int cumulative, self, calls, self_call, total_call;
	struct unit unit;	/* of the two last ones; PRINT_UNITS: what stands over them */
};

/* Whether anybody is known to have called R: if not, as for main, its one long call would set the unit for all. */
static bool flat_has_caller(const struct graph *g, const struct graph_routine *r)
{
	for (uint32_t i = 0; i < r->nin; i++)
		if (g->arcs[g->in_arcs[r->first_in + i]].from != GRAPH_NONE)
			return true;
	return false;
}

/* gprof's rule: the largest unit in which the dearest call is at least one. */
static struct unit flat_unit_choose(const struct graph *g)
{
	static const struct unit units[] = { { "s/call", 1 }, { "ms/call", 1e3 }, { "us/call", 1e6 }, { "ns/call", 1e9 } };
	double dearest = 0;
	int i = 0;

	for (uint32_t r = 0; r < g->nroutines; r++) {
		const struct graph_routine *routine = &g->routines[r];
		double per_call = routine->calls ? figure_mean(routine->total, routine->calls) / 1e9 : 0;

		if (per_call > dearest && flat_has_caller(g, routine))
			dearest = per_call;
	}
	while (dearest > 0 && i < 3 && dearest * units[i].per_second < 1)
		i++;
	return dearest > 0 ? units[i] : units[1];
}

/* NS per call in gprof's one unit, with more decimals the smaller it is. */
static int per_call_format(char *buffer, size_t size, const struct columns *c, double ns)
{
	double value = ns / 1e9 * c->unit.per_second;
	int decimals = 2;

	for (double small = 0.1; value > 0 && value < small && decimals < 6; small /= 10)
		decimals++;
	return snprintf(buffer, size, "%.*f", decimals, value);
}

/* The mean of TIME over CALLS. */
static void per_call_print(FILE *out, const struct graph *g, const struct columns *c, uint64_t time, uint64_t calls, int width)
{
	char text[64];

	if (c->decimals == PRINT_UNITS) {
		figure_mean_print(out, g, time, calls, width);
		return;
	}
	per_call_format(text, sizeof text, c, figure_mean(time, calls));
	fprintf(out, "%*s", width, text);
}

static void flat_widen(int *width, int needed)
{
	if (*width < needed)
		*width = needed;
}

/* The time of all that is listed, which is the run unless routines are left out; in gprof's own listing there are routines alone. */
static void total_add(struct columns *c, const struct graph *g)
{
	c->total = c->decimals == PRINT_UNITS ? figure_run(g) : g->time;
	if (c->decimals == PRINT_UNITS)
		overhead_evidence_add(&c->evidence, &g->contexts[0].evidence);
	for (uint32_t i = 0; i < g->nroutines; i++)
		if (g->routines[i].off_flat)
			c->total -= g->routines[i].self;
		else
			overhead_evidence_add(&c->evidence, &g->routines[i].self_evidence);
}

/* Each time with its unit: the columns of times are as wide in all runs. */
static struct columns columns_with_units(const struct graph *g)
{
	struct columns c = { .errors = g->sampled && g->time > 0, .decimals = PRINT_UNITS, .cumulative = 9, .self = 8, .calls = 8, .self_call = 8, .total_call = 8,
		.unit = { "/call", 0 } };

	total_add(&c, g);
	for (uint32_t i = 0; i < g->nroutines; i++)
		c.calls = print_count_width(g->routines[i].calls, c.calls);
	return c;
}

/* As gprof: seconds, and one unit for all times per call. */
static struct columns columns_as_gprof(const struct graph *g)
{
	struct columns c = { .decimals = print_decimals(g->time), .cumulative = 9, .self = 8, .calls = 8, .self_call = 8,
		.total_call = 8, .unit = flat_unit_choose(g) };
	char text[64];

	total_add(&c, g);
	flat_widen(&c.cumulative, print_seconds_width(g->time, c.decimals, 0));
	for (uint32_t i = 0; i < g->nroutines; i++) {
		const struct graph_routine *r = &g->routines[i];

		flat_widen(&c.self, print_seconds_width(r->self, c.decimals, 0));
		flat_widen(&c.calls, print_count_width(r->calls, 0));
		if (r->calls) {
			flat_widen(&c.self_call, per_call_format(text, sizeof text, &c, figure_mean(r->self, r->calls)));
			flat_widen(&c.total_call, per_call_format(text, sizeof text, &c, figure_mean(r->total, r->calls)));
		}
	}
	return c;
}

/* What one sample is worth, in gprof's words. */
static void flat_granularity_print(FILE *out, const struct graph *g)
{
	const struct amon_header *h = g->profile->nruns ? &g->profile->runs[0].header : NULL;
	char each[PRINT_TIME_SIZE];

	if (g->time == 0)
		fputs(" no time accumulated\n\n", out);
	else if (h && h->clock == AMON_CLOCK_TSC)
		fputs("Times are elapsed, read from the cycle counter.\n", out);
	else if (figure_sample(g) > 0 && !profile_is_time(g->profile))
		fprintf(out, "Each sample counts as %s.\n", print_amount_text(each, figure_sample(g), figure_unit(g)));
	else if (figure_sample(g) > 0)
		fprintf(out, "Each sample counts as %.6g seconds.\n", figure_sample(g) / 1e9);
}

/* Columns before a name. */
static int flat_columns_before(const struct columns *c)
{
	return share_width(c->errors) + 1 + c->cumulative + 1 + c->self + 1 + c->calls + 1 + c->self_call + 1 + c->total_call + 2;
}

/* Gprof's two lines, a sign of errors beside the share where there are any. */
static void flat_heading_print(FILE *out, const struct graph *g, const struct columns *c, const struct report_options *options)
{
	const char *seconds = c->decimals == PRINT_UNITS ? figure_heading(g) : "seconds";
	int gap = c->decimals != PRINT_UNITS;		/* as gprof has it */
	int beside = share_width(c->errors) - share_width(false);
	const char *sign = share_sign(&options->style);

	print_begin(out, &options->style, 'h');
	fprintf(out, "  %%   %*s%*scumulative   %*sself  %*s%*s   self  %*s   total           \n", beside, "", c->cumulative - 9, "",
		c->self - 8, "", c->calls + 1, "", c->self_call - 8, "", c->total_call - 8, "");
	fprintf(out, " %-4s ", profile_is_time(g->profile) ? "time" : "");
	if (c->errors)
		fprintf(out, "%*s%s", beside - (int)print_width(sign, strlen(sign)), "", sign);
	fprintf(out, "%*s %*s%*s %*s %*s  name    \n", c->cumulative, seconds, c->self + gap, seconds, c->calls + 2 - gap, "calls", c->self_call, c->unit.name,
		c->total_call, c->unit.name);
	print_end(out, &options->style);
}

/* What R's share of the time that is listed may be off by, as graph_error has it. */
static double error_of(const struct graph *g, const struct graph_routine *r, const struct columns *c)
{
	return graph_error(g, r->self, &r->self_evidence, c->total, &c->evidence);
}

static void flat_routine_print(FILE *out, const struct graph *g, const struct graph_routine *r, uint64_t cumulative,
			  const struct columns *c, const struct report_options *options)
{
	char marks[ENTRY_MARKS];

	share_print(out, &options->style, c->errors, print_percent(r->self, c->total) / 100, error_of(g, r, c));
	putc(' ', out);
	print_seconds(out, cumulative, figure_unit(g), c->decimals, c->cumulative);
	putc(' ', out);
	figure_print(out, g, r->self, c->decimals, c->self);
	if (r->calls) {
		fprintf(out, " %*" PRIu64 " ", c->calls, r->calls);
		per_call_print(out, g, c, r->self, r->calls, c->self_call);
		putc(' ', out);
		per_call_print(out, g, c, r->total, r->calls, c->total_call);
		fputs("  ", out);
	} else {
		fprintf(out, " %*s %*s %*s  ", c->calls, "", c->self_call, "", c->total_call, "");
	}
	print_brief_beside(out, r->name.name, r->brief, &options->style, flat_columns_before(c) + entry_marks(marks, r, &options->style));
	fprintf(out, "%s\n", marks);
}

/* What LEAF's share of the time that is listed may be off by: its part of the routine's time is uncertain, and that time.  Less than 0: not known, as of what
 * no program counter tells. */
static double part_error(const struct graph *g, const struct leaves *leaves, const struct leaf *leaf, const struct columns *c)
{
	const struct graph_routine *r = &g->routines[leaf->routine];
	double part = print_percent(leaf->time, r->self) / 100, share = print_percent(r->self, c->total) / 100;
	double of_part = leaf->ticks ? graph_samples_error(g, leaf->ticks, leaves->explained[leaf->routine]) : -1;

	return of_part < 0 ? of_part : hypot(of_part * share, part * error_of(g, r, c));
}

/* The parts of the self time that program counters tell, below their routine. */
static void flat_parts_print(FILE *out, const struct graph *g, const struct leaves *leaves, uint32_t routine,
			const struct columns *c, const struct report_options *options)
{
	for (size_t i = leaves->first[routine]; i < leaves->first[routine + 1]; i++) {
		const struct leaf *leaf = &leaves->leaf[i];

		print_begin(out, &options->style, 'd');
		share_print(out, &options->style, c->errors, print_percent(leaf->time, c->total) / 100, part_error(g, leaves, leaf, c));
		fprintf(out, " %*s ", c->cumulative, "");
		figure_print(out, g, leaf->time, c->decimals, c->self);
		fprintf(out, " %*s %*s %*s      ", c->calls, "", c->self_call, "", c->total_call, "");
		leaves_print(out, leaf, options, flat_columns_before(c) + 4);
		print_end(out, &options->style);
		putc('\n', out);
	}
}

/* What no routine has of the run. */
static void flat_outside_print(FILE *out, const struct graph *g, uint64_t cumulative, const struct columns *c, const struct report_options *options)
{
	share_print(out, &options->style, c->errors, print_percent(g->outside, c->total) / 100, graph_error(g, g->outside, &g->contexts[0].evidence, c->total, &c->evidence));
	putc(' ', out);
	print_seconds(out, cumulative, figure_unit(g), c->decimals, c->cumulative);
	putc(' ', out);
	figure_print(out, g, g->outside, c->decimals, c->self);
	fprintf(out, " %*s %*s %*s  (outside all routines)\n", c->calls, "", c->self_call, "", c->total_call, "");
}

static enum report_sort sort_of(const struct report_options *options)
{
	return options->sort == REPORT_BY_DEFAULT ? REPORT_BY_SELF : options->sort;
}

static void flat_rows_print(FILE *out, const struct graph *g, const struct order *order, const struct leaves *leaves,
		       const struct report_options *options)
{
	struct columns c = options->gprof.traditional && profile_is_time(g->profile) ? columns_as_gprof(g) : columns_with_units(g);
	uint64_t cumulative = 0;

	flat_heading_print(out, g, &c, options);
	for (uint32_t i = 0; i < order->n; i++) {
		const struct graph_routine *r = &g->routines[order->routines[i]];

		if (r->off_flat)
			continue;
		cumulative += r->self;
		flat_routine_print(out, g, r, cumulative, &c, options);
		flat_parts_print(out, g, leaves, order->routines[i], &c, options);
	}
	if (c.decimals == PRINT_UNITS && g->outside > 0)
		flat_outside_print(out, g, cumulative + g->outside, &c, options);
}

static void flat_legend_print(FILE *out, const struct graph *g, const struct text_style *style)
{
	print_worded(out, style, figure_unit(g), "\n%s%s%s", legend_times, entry_self_legend(g), g->counted ? legend_calls : "");
}

bool flat_text(const struct report_input *in, const struct report_options *options, FILE *out, struct error *err)
{
	struct order order;
	struct leaves leaves;

	if (!order_make(&order, in->graph, sort_of(options), false, false, err))
		return false;
	if (!leaves_make(&leaves, in, options, err)) {
		order_free(&order);
		return false;
	}
	fputs("Flat profile:\n\n", out);
	flat_granularity_print(out, in->graph);
	if (order.n)
		flat_rows_print(out, in->graph, &order, &leaves, options);
	else
		fputs("No routine was called.\n", out);
	flat_legend_print(out, in->graph, &options->style);
	share_legend(out, &options->style, in->graph, in->graph->sampled && in->graph->time > 0 && !options->gprof.traditional, 12);
	fputs(options->style.brief ? "" : entry_marks_legend(in->graph), out);
	leaves_free(&leaves);
	order_free(&order);
	return true;
}

static json_t *routine_json(const struct graph *g, const struct graph_routine *r)
{
	uint64_t whole = figure_run(g);
	json_t *folded = entry_folded_json(r), *row = json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:b, s:b}",
			 "name", emit_name(r->name.name), "module", emit_name(r->name.module),
			 "file", emit_name(r->name.file), "line", r->name.line ? emit_count(r->name.line) : json_null(),
			 "calls", emit_calls(g->counted && !r->plain, r->calls), "recursive", emit_calls(g->counted && !r->plain, r->recursive),
			 "self_ns", emit_count(r->self), "self_error_ns", share_json(graph_run_error(g, r->self, &r->self_evidence), whole),
			 "total_ns", emit_count(r->total), "total_error_ns", share_json(graph_total_error(g, r), whole),
			 "self_ticks", emit_count(r->self_ticks), "total_ticks", emit_count(r->total_ticks),
			 "partly", (int)r->partly, "pseudo", (int)r->pseudo);

	if (folded)
		json_object_set_new(row, "folded_with", folded);
	return row;
}

bool flat_json(const struct report_input *in, const struct report_options *options, struct emit *e, struct error *err)
{
	struct order order;
	struct leaves leaves;

	if (!order_make(&order, in->graph, sort_of(options), false, false, err))
		return false;
	if (!leaves_make(&leaves, in, options, err)) {
		order_free(&order);
		return false;
	}
	emit_array(e, "flat");
	for (uint32_t i = 0; i < order.n; i++) {
		json_t *row;

		if (in->graph->routines[order.routines[i]].off_flat)
			continue;
		row = routine_json(in->graph, &in->graph->routines[order.routines[i]]);

		if (options->leaves || options->lines || options->inlines)
			json_object_set_new(row, "parts", leaves_json(&leaves, in->graph, order.routines[i]));
		emit_item(e, row);
	}
	emit_array_end(e);
	leaves_free(&leaves);
	order_free(&order);
	return true;
}
