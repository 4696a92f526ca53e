/* list_flat.c - the flat profile of a gmon.out, as gprof prints it. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/print.h"
#include "show/gprof/listing.h"
#include "show/report/report.h"

static const char legend[] =
	" %         share of the run's samples that fell into this routine itself.\n time\n\n"
	" cumulative  sum of the self seconds down to this line.\n seconds\n\n"
	" self      seconds in the routine itself: samples by the program counter.\n seconds\n\n"
	" calls     times it was called; direct recursive calls are not counted here.\n\n"
	" self      average time of a call in the routine itself.\n /call\n\n"
	" total     average time of a call with everything that it called, as if each call of a callee took the average.\n /call\n";

/* A unit of time per call. */
struct unit {
	char prefix;		/* 'm' of "ms/call" */
	double scale;		/* units in a second */
};

static const struct unit units[] = {
	{ 'T', 1e-12 }, { 'G', 1e-9 }, { 'M', 1e-6 }, { 'K', 1e-3 }, { ' ', 1 }, { 'm', 1e3 }, { 'u', 1e6 }, { 'n', 1e9 },
	{ 'p', 1e12 }, { 'f', 1e15 }, { 'a', 1e18 },
};

enum { UNITS = sizeof units / sizeof *units, MILLI = 5 };

/* One listing under way. */
struct listing {
	const struct report_input *in;
	const struct report_options *options;
	uint32_t *rows;		/* routines, first to last */
	struct unit unit;	/* of times per call */
	double total;		/* samples that are 100 % */
	double sum;		/* samples so far */
	FILE *out;
};

/* The unit in which the dearest call is 1 or more and less than 1000; terms of the largest where nothing took time. */
static struct unit list_flat_unit_choose(const struct gprof *g)
{
	double dearest = 0;
	int i = 0;

	for (uint32_t r = 0; r < g->nroutines; r++) {
		const struct gprof_routine *routine = &g->routines[r];
		double per_call = routine->calls ? (routine->self + routine->child) / (double)routine->calls : 0;

		if (per_call > dearest)
			dearest = per_call;
	}
	dearest = gprof_seconds(g, dearest);
	while (dearest > 0 && i < UNITS - 1 && !(units[i].scale * dearest >= 1 && units[i].scale * dearest < 1000))
		i++;
	return units[i];
}

static void list_flat_heading_print(struct listing *l)
{
	const struct gprof *g = l->in->gmon;
	char per_call[16];

	snprintf(per_call, sizeof per_call, "%c%c/call", l->unit.prefix, g->gmon->abbreviation);
	if (l->options->gprof.traditional) {
		fprintf(l->out, "\ngranularity: each sample hit covers %ld byte(s)", 2 * (long)g->gmon->scale);
		if (g->time > 0)
			fprintf(l->out, " for %.2f%% of %.2f %s\n\n", 100.0 / g->time, gprof_seconds(g, g->time), g->gmon->dimension);
	} else {
		fprintf(l->out, "\nEach sample counts as %g %s.\n", gprof_seconds(g, 1), g->gmon->dimension);
	}
	if (g->time <= 0)
		fputs(" no time accumulated\n\n", l->out);
	fputs("  %   cumulative   self              self     total           \n", l->out);
	fprintf(l->out, "%5.5s %9.9s  %8.8s %8.8s %8.8s %8.8s  %-8.8s\n", "time", g->gmon->dimension, g->gmon->dimension, "calls",
		per_call, per_call, "name");
}

static void list_flat_row_print(struct listing *l, uint32_t row)
{
	const struct gprof *g = l->in->gmon;
	const struct gprof_routine *r = &g->routines[row];
	double calls = (double)r->calls;

	if (!l->options->gprof.zeros && r->calls == 0 && r->self == 0)
		return;
	l->sum += r->self;
	fprintf(l->out, l->options->gprof.traditional ? "%5.1f %10.2f %8.2f" : "%6.2f %9.2f %8.2f",
		l->total > 0 ? 100 * r->self / l->total : 0.0, gprof_seconds(g, l->sum), gprof_seconds(g, r->self));
	if (r->calls)
		fprintf(l->out, " %8" PRIu64 " %8.2f %8.2f  ", r->calls, gprof_seconds(g, l->unit.scale * r->self) / calls,
			gprof_seconds(g, l->unit.scale * (r->self + r->child)) / calls);
	else
		fprintf(l->out, " %8.8s %8.8s %8.8s  ", "", "", "");
	if (l->options->gprof.traditional)
		gprof_link_print(l->out, l->in, l->options, row);
	else
		gprof_name_print(l->out, l->in, l->options, row);
	putc('\n', l->out);
}

bool gprof_flat_text(const struct report_input *in, const struct report_options *options, FILE *out, struct error *err)
{
	const struct gprof *g = in->gmon;
	struct listing l = { .in = in, .options = options, .rows = gprof_flat_rows(g), .total = g->time > 0 ? g->time : 1, .out = out };

	if (!l.rows)
		return error_no_memory(err, NULL);
	l.unit = options->gprof.traditional ? units[MILLI] : list_flat_unit_choose(g);
	if (!options->gprof.traditional)
		fputs("Flat profile:\n", out);
	else if (!options->style.brief)
		fputs("\n\n\nflat profile:\n", out);
	list_flat_heading_print(&l);
	for (uint32_t i = 0; i < g->nroutines; i++)
		if (gprof_wanted(g, l.rows[i], GPROF_INCLUDE_FLAT))
			list_flat_row_print(&l, l.rows[i]);
	print_legend(out, &options->style, legend);
	free(l.rows);
	return true;
}

bool gprof_flat_json(const struct report_input *in, const struct report_options *options, struct emit *e, struct error *err)
{
	const struct gprof *g = in->gmon;
	uint32_t *rows = gprof_flat_rows(g);

	if (!rows)
		return error_no_memory(err, NULL);
	emit_array(e, "flat");
	for (uint32_t i = 0; i < g->nroutines; i++) {
		const struct gprof_routine *r = &g->routines[rows[i]];

		if (!gprof_wanted(g, rows[i], GPROF_INCLUDE_FLAT)
		    || (!options->gprof.zeros && r->calls == 0 && r->self_calls == 0 && r->self == 0))
			continue;
		emit_item(e, json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "name", emit_name(r->symbol->display),
			"file", emit_name(r->symbol->file), "line", r->symbol->line ? emit_count(r->symbol->line) : json_null(),
			"calls", emit_count(r->calls), "recursive", emit_count(r->self_calls), "self_ns", gprof_nsec(g, r->self),
			"total_ns", gprof_nsec(g, r->self + r->child)));
	}
	emit_array_end(e);
	free(rows);
	return true;
}
