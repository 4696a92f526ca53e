/* imbalance.c - contexts by how much the ranks of an MPI job differ in them: where the others wait for one.
 *
 * What counts is how far the rank with the most is beyond the mean of all: so much the job would gain at most if the work of the context were spread evenly.
 * Times are raw, the hooks' cost included, as ranks have them.  Where there are no times, calls are compared. */
#include <inttypes.h>
#include <stdlib.h>

#include "base/escape.h"
#include "base/print.h"
#include "show/report/report.h"

enum { MOST_ROWS = 40 };	/* of the text */

static const char legend[] =
	"beyond      by how much the rank with the most, named next to it, is beyond the mean:\n"
	"            so much the job would gain at most, were the context's own work even\n"
	"least, most of one rank; 0 where a rank has nothing of the context\n"
	"context     routines from the first call on; without hooks the time in MPI, the\n"
	"            wait for other ranks too, is that of the routine that called it\n";

struct row {
	uint32_t context;	/* of the profile */
	struct profile_spread spread;
	uint64_t calls, time;	/* sums over the ranks; ns */
	double beyond;		/* of the most over the mean: ns, or calls */
};

struct rows {
	struct row *rows;
	size_t n;
	bool timed;		/* by times; else by calls */
	uint32_t ranks;
	history_entry *history;	/* room for one */
};

static int by_beyond(const void *left, const void *right)
{
	const struct row *a = left, *b = right;

	if (a->beyond != b->beyond)
		return a->beyond < b->beyond ? 1 : -1;
	return a->context < b->context ? -1 : a->context > b->context;
}

static struct row imbalance_row_make(const struct graph *g, uint32_t context)
{
	const struct profile_context *c = &g->profile->contexts[context];
	struct row row = { .context = context, .spread = profile_spread_of(g->profile, context), .calls = c->entries, .time = c->time,
			   .beyond = graph_beyond(g, context) };

	row.calls += c->recursive < UINT64_MAX - row.calls ? c->recursive : UINT64_MAX - row.calls;
	return row;
}

/* The rank that has the most of what SPREAD is of. */
static uint32_t imbalance_rank_of(const struct rows *r, const struct profile_spread *spread)
{
	return r->timed ? spread->time_rank : spread->calls_rank;
}

/* What the options leave out is not shown, nor what no rank has. */
static bool imbalance_is_shown(const struct rows *r, const struct graph *g, uint32_t context, const struct report_options *options)
{
	return context > 0 && g->profile->spreads[context].ranks > 0 && g->contexts[g->context_of[context]].kept &&
	       (!options->of_rank || imbalance_rank_of(r, &g->profile->spreads[context]) == options->rank);
}

static bool imbalance_rows_make(struct rows *r, const struct graph *g, const struct report_options *options, struct error *err)
{
	const struct profile *p = g->profile;

	*r = (struct rows){ .ranks = profile_ranks(p), .timed = p->time > 0 };
	if (r->ranks == 0)
		return error_set(err, ERROR_USAGE, ERROR_NO_OFFSET, "--%s: this is no profile of an MPI job, added up when its ranks called MPI_Finalize "
				 "(mpirun -n N aprof run PROGRAM), or of one and other files", options->of_rank ? "rank" : "imbalance");
	if (options->of_rank && options->rank >= r->ranks)
		return error_set(err, ERROR_USAGE, ERROR_NO_OFFSET, "--rank=%" PRIu32 ": the ranks of this job are 0 to %" PRIu32, options->rank, r->ranks - 1);
	r->rows = calloc((size_t)p->nspreads + 1, sizeof *r->rows);
	r->history = calloc((size_t)g->longest + 1, sizeof *r->history);
	if (!r->rows || !r->history)
		return error_no_memory(err, NULL);
	for (uint32_t i = 0; i < p->nspreads && i < p->ncontexts; i++)
		if (imbalance_is_shown(r, g, i, options))
			r->rows[r->n++] = imbalance_row_make(g, i);
	qsort(r->rows, r->n, sizeof *r->rows, by_beyond);
	return true;
}

static void imbalance_rows_free(struct rows *r)
{
	free(r->rows);
	free(r->history);
}

/* The history of ROW, the running routine last; an apostrophe marks what stands there once more, as `aprof contexts` has it. */
static void imbalance_history_print(struct rows *r, const struct graph *g, const struct row *row, unsigned flags, FILE *out)
{
	size_t n = graph_history(g, g->context_of[row->context], r->history);

	for (size_t i = 0; i < n; i++) {
		if (i > 0)
			fputs(" > ", out);
		escape_print(out, g->routines[history_routine(r->history[i])].name.name, flags);
		if (!history_is_marked(r->history[i]))
			putc('\'', out);
	}
}

static void imbalance_times_print(const struct rows *r, const struct graph *g, const struct row *row, FILE *out)
{
	const double times[] = { row->beyond, (double)row->spread.time_least, (double)row->time / r->ranks, (double)row->spread.time_most };

	for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
		print_under(out, times[i], figure_unit(g), 9);
		putc(' ', out);
	}
	fprintf(out, "%6" PRIu32 "  ", row->spread.time_rank);
}

static void imbalance_row_print(struct rows *r, const struct graph *g, const struct row *row, const struct report_options *options, FILE *out)
{
	const struct profile_spread *s = &row->spread;

	if (r->timed)
		imbalance_times_print(r, g, row, out);
	else
		fprintf(out, "%9.0f %9" PRIu64 " %9.0f %9" PRIu64 " %6" PRIu32 "  ", row->beyond, s->calls_least, (double)row->calls / r->ranks,
			s->calls_most, s->calls_rank);
	imbalance_history_print(r, g, row, options->style.utf8 ? 0 : ESCAPE_ASCII, out);
	putc('\n', out);
}

static void imbalance_title_print(const struct rows *r, const struct graph *g, const struct report_options *options, FILE *out)
{
	fprintf(out, "Imbalance over %" PRIu32 " ranks, %s of a rank, by context", r->ranks, !r->timed ? "calls" : profile_is_time(g->profile) ? "seconds" : profile_value_of(g->profile)->name);
	if (options->of_rank)
		fprintf(out, ", where rank %" PRIu32 " has the most", options->rank);
	fputs("\n\n", out);
}

static void imbalance_rows_print(struct rows *r, const struct graph *g, const struct report_options *options, FILE *out)
{
	if (r->n == 0) {
		fputs("there is none\n", out);
		return;
	}
	fputs("   beyond     least      mean      most   rank  context\n", out);
	for (size_t i = 0; i < r->n && i < MOST_ROWS; i++)
		imbalance_row_print(r, g, &r->rows[i], options, out);
	if (r->n > MOST_ROWS)
		fprintf(out, "and %zu more: --json has them\n", r->n - MOST_ROWS);
	print_legend(out, &options->style, legend);
}

bool imbalance_text(const struct report_input *in, const struct report_options *options, FILE *out, struct error *err)
{
	struct rows r;
	bool ok = imbalance_rows_make(&r, in->graph, options, err);

	if (ok) {
		imbalance_title_print(&r, in->graph, options, out);
		imbalance_rows_print(&r, in->graph, options, out);
	}
	imbalance_rows_free(&r);
	return ok;
}

static json_t *imbalance_history_json(struct rows *r, const struct graph *g, const struct row *row)
{
	size_t n = graph_history(g, g->context_of[row->context], r->history);
	json_t *names = json_array();

	for (size_t i = 0; i < n; i++)
		json_array_append_new(names, emit_name(g->routines[history_routine(r->history[i])].name.name));
	return names;
}

bool imbalance_json(const struct report_input *in, const struct report_options *options, struct emit *e, struct error *err)
{
	struct rows r;
	bool ok = imbalance_rows_make(&r, in->graph, options, err);

	if (ok) {
		emit_member(e, "ranks", json_integer(r.ranks));
		emit_array(e, "imbalance");
		for (size_t i = 0; i < r.n; i++) {
			const struct row *row = &r.rows[i];
			const struct profile_spread *s = &row->spread;

			emit_item(e, json_pack("{s:o, s:i, s:o, s:o, s:o, s:i, s:o, s:o, s:o, s:i}", "history", imbalance_history_json(&r, in->graph, row), "ranks", (int)s->ranks,
					       "time_ns", emit_count(row->time), "time_least_ns", emit_count(s->time_least), "time_most_ns", emit_count(s->time_most),
					       "time_rank", (int)s->time_rank, "calls", emit_count(row->calls), "calls_least", emit_count(s->calls_least),
					       "calls_most", emit_count(s->calls_most), "calls_rank", (int)s->calls_rank));
		}
		emit_array_end(e);
	}
	imbalance_rows_free(&r);
	return ok;
}
