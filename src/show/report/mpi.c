/* mpi.c - the calls of MPI: by routine and by who called it, how many, how long and what they moved.
 *
 * They are routines of a language of their own, told by the library in the ranks (inside/mpi/).  A call's time is that of its own context, and of the wait below it where
 * the ranks were made to wait for each other before; what a program's own functions do in a call, a reduction's operation for one, is theirs. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/print.h"
#include "show/report/report.h"

#define LANGUAGE "MPI"
#define WAIT "(wait)"		/* the routine below a call */

static const char legend[] =
	"seconds     in the calls, by the run's clock; what MPI does for a call that goes on\n"
	"            behind it, MPI_Isend for one, is in the call that waits for it\n"
	"waiting     of these, for other ranks to come to the call; a dash: not distinguished\n"
	"bytes       that the rank handed in, or where it handed in nothing, got\n";

struct row {
	uint32_t routine, caller; /* in the graph; GRAPH_NONE: nobody with hooks called */
	uint64_t calls, time, wait, bytes; /* ns */
	bool waits;		/* the wait is told apart */
};

struct rows {
	struct row *rows;
	size_t n;
	history_entry *history;	/* room for one */
};

/* Is routine R of MPI; and the wait? */
static bool is_mpi(const struct graph *g, uint32_t r)
{
	const char *language = r == GRAPH_NONE ? NULL : profile_language(g->routines[r].name.module);

	return language && strcmp(language, LANGUAGE) == 0;
}

static bool is_wait(const struct graph *g, uint32_t r) { return is_mpi(g, r) && strcmp(g->routines[r].name.name, WAIT) == 0; }

static uint32_t mpi_entry(const struct rows *r, size_t n, size_t back)
{
	return n > back ? history_routine(r->history[n - 1 - back]) : GRAPH_NONE;
}

/* What context I has to do with a call of MPI.  False: nothing. */
static bool mpi_row_make(struct rows *r, const struct graph *g, uint32_t i, struct row *row)
{
	const struct graph_context *c = &g->contexts[i];
	size_t n, back;

	if (!c->kept || !is_mpi(g, c->routine))
		return false;
	n = graph_history(g, i, r->history);
	back = is_wait(g, c->routine) ? 1 : 0;
	*row = (struct row){ .routine = mpi_entry(r, n, back), .caller = mpi_entry(r, n, back + 1), .time = c->time };
	if (back) {
		row->wait = c->time;
		row->waits = true;
	} else {
		row->calls = c->entries + c->recursive;
		row->bytes = c->bytes;
	}
	return true;
}

static int mpi_by_arc(const void *left, const void *right)
{
	const struct row *a = left, *b = right;

	if (a->routine != b->routine)
		return a->routine < b->routine ? -1 : 1;
	return a->caller < b->caller ? -1 : a->caller > b->caller;
}

static int mpi_by_weight(const void *left, const void *right)
{
	const struct row *a = left, *b = right;

	if (a->time != b->time)
		return a->time < b->time ? 1 : -1;
	if (a->calls != b->calls)
		return a->calls < b->calls ? 1 : -1;
	return mpi_by_arc(left, right);
}

/* Rows of one arc, which stand together, become one. */
static void rows_merge(struct rows *r)
{
	size_t kept = 0;

	for (size_t i = 0; i < r->n; i++) {
		const struct row *more = &r->rows[i];
		struct row *row = kept ? &r->rows[kept - 1] : NULL;

		if (!row || mpi_by_arc(row, more) != 0) {
			r->rows[kept++] = *more;
			continue;
		}
		row->calls += more->calls;
		row->time += more->time;
		row->wait += more->wait;
		row->bytes += more->bytes;
		row->waits |= more->waits;
	}
	r->n = kept;
}

static bool mpi_rows_make(struct rows *r, const struct graph *g, struct error *err)
{
	*r = (struct rows){ .rows = calloc((size_t)g->ncontexts + 1, sizeof *r->rows), .history = calloc((size_t)g->longest + 1, sizeof *r->history) };
	if (!r->rows || !r->history)
		return error_no_memory(err, NULL);
	for (uint32_t i = 0; i < g->ncontexts; i++)
		r->n += mpi_row_make(r, g, i, &r->rows[r->n]);
	if (r->n == 0)
		return error_set(err, ERROR_USAGE, ERROR_NO_OFFSET, "--mpi: no call of MPI is in this profile, or in what of it was asked for: they are recorded of ranks whose program has "
				 "hooks (mpirun -n N aprof run PROGRAM)");
	qsort(r->rows, r->n, sizeof *r->rows, mpi_by_arc);
	rows_merge(r);
	qsort(r->rows, r->n, sizeof *r->rows, mpi_by_weight);
	return true;
}

static void mpi_rows_free(struct rows *r)
{
	free(r->rows);
	free(r->history);
}

static void mpi_row_print(const struct graph *g, const struct row *row, const struct text_style *style, FILE *out)
{
	print_under(out, (double)row->time, figure_unit(g), 11);
	putc(' ', out);
	if (row->waits)
		print_under(out, (double)row->wait, figure_unit(g), 9);
	else
		fprintf(out, "%9s", "-");
	fprintf(out, " %12" PRIu64 " %18" PRIu64 "  ", row->calls, row->bytes);
	print_name(out, g->routines[row->routine].name.name, style);
	fputs(" < ", out);
	if (row->caller == GRAPH_NONE)
		fputs("<spontaneous>", out);
	else
		print_name(out, g->routines[row->caller].name.name, style);
	putc('\n', out);
}

bool mpi_text(const struct report_input *in, const struct report_options *options, FILE *out, struct error *err)
{
	struct rows r;
	bool ok = mpi_rows_make(&r, in->graph, err);

	if (ok) {
		fputs("Calls of MPI, by routine and caller\n\n", out);
		fprintf(out, "    %7s   waiting        calls              bytes  routine < caller\n", profile_is_time(in->graph->profile) ? "seconds" : figure_heading(in->graph));
		for (size_t i = 0; i < r.n; i++)
			mpi_row_print(in->graph, &r.rows[i], &options->style, out);
		print_legend(out, &options->style, legend);
	}
	mpi_rows_free(&r);
	return ok;
}

bool mpi_json(const struct report_input *in, const struct report_options *options, struct emit *e, struct error *err)
{
	const struct graph *g = in->graph;
	struct rows r;
	bool ok = mpi_rows_make(&r, g, err);

	(void)options;
	if (ok) {
		emit_array(e, "mpi");
		for (size_t i = 0; i < r.n; i++) {
			const struct row *row = &r.rows[i];

			emit_item(e, json_pack("{s:o, s:o, s:o, s:o, s:o, s:o}", "name", emit_name(g->routines[row->routine].name.name),
					       "caller", row->caller == GRAPH_NONE ? json_null() : emit_name(g->routines[row->caller].name.name),
					       "calls", emit_count(row->calls), "time_ns", emit_count(row->time),
					       "wait_ns", row->waits ? emit_count(row->wait) : json_null(), "bytes", emit_count(row->bytes)));
		}
		emit_array_end(e);
	}
	mpi_rows_free(&r);
	return ok;
}
