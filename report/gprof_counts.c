/* gprof_counts.c - how often each routine, or with -l each basic block, ran: gprof -C. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "escape.h"
#include "gprof_print.h"

static int by_place(const void *left, const void *right, void *arg)
{
	const struct gprof *g = arg;
	uint32_t i = *(const uint32_t *)left, j = *(const uint32_t *)right;
	const struct gmon_symbol *a = g->routines[i].symbol, *b = g->routines[j].symbol;
	int c = a->file && b->file ? strcmp(a->file, b->file) : 0;

	if (c == 0 && a->file && b->file)
		c = (a->line > b->line) - (a->line < b->line);
	return c ? c : (i > j) - (i < j);
}

/* Routines to print into ROWS; returns how many. */
static uint32_t rows_make(const struct gprof *g, const struct report_options *options, uint32_t *rows)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < g->nroutines; i++)
		if (g->routines[i].calls >= options->gprof.min_count && gprof_wanted(g, i, GPROF_INCLUDE_COUNTS))
			rows[n++] = i;
	return n;
}

bool gprof_counts_text(const struct report_input *in, const struct report_options *options, FILE *out, struct error *err)
{
	const struct gprof *g = in->gprof;
	uint32_t *rows = calloc((size_t)g->nroutines + 1, sizeof *rows), n;
	unsigned flags = options->utf8 ? 0 : ESCAPE_ASCII;

	if (!rows)
		return error_set(err, ERROR_MEMORY, ERROR_NO_OFFSET, "out of memory");
	n = rows_make(g, options, rows);
	qsort_r(rows, n, sizeof *rows, by_place, (void *)(uintptr_t)g);
	for (uint32_t i = 0; i < n; i++) {
		const struct gmon_symbol *s = g->routines[rows[i]].symbol;

		escape_print(out, s->file ? s->file : "<unknown>", flags);
		fprintf(out, ":%" PRIu32 ": (", s->line);
		escape_print(out, s->name, flags);
		fprintf(out, ":0x%" PRIx64 ") %" PRIu64 " executions\n", s->start, g->routines[rows[i]].calls);
	}
	free(rows);
	return true;
}

bool gprof_counts_json(const struct report_input *in, const struct report_options *options, struct emit *e, struct error *err)
{
	const struct gprof *g = in->gprof;
	uint32_t *rows = calloc((size_t)g->nroutines + 1, sizeof *rows), n;

	if (!rows)
		return error_set(err, ERROR_MEMORY, ERROR_NO_OFFSET, "out of memory");
	n = rows_make(g, options, rows);
	emit_array(e, "counts");
	for (uint32_t i = 0; i < n; i++) {
		const struct gmon_symbol *s = g->routines[rows[i]].symbol;

		emit_item(e, json_pack("{s:o, s:o, s:o, s:o, s:o}", "name", emit_name(s->name), "file", emit_name(s->file),
			"line", s->line ? emit_count(s->line) : json_null(), "address", emit_count(s->start),
			"calls", emit_count(g->routines[rows[i]].calls)));
	}
	emit_array_end(e);
	free(rows);
	return true;
}
