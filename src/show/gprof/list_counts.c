/* list_counts.c - how often each routine, or with -l each basic block, ran: gprof -C. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "show/gprof/listing.h"

/* By file and line where both are known, else by address. That is no order of all rows: what comes of it depends on the way of sorting. */
static bool is_before(const struct gprof *g, uint32_t i, uint32_t j)
{
	const struct gmon_symbol *a = g->routines[i].symbol, *b = g->routines[j].symbol;
	int c = a->file && b->file ? strcmp(a->file, b->file) : 0;

	if (c == 0 && a->file && b->file && a->line != b->line)
		return a->line < b->line;
	return c ? c < 0 : i <= j;
}

/* Sort ROWS[0..n) by merging halves, as gprof's C library does; SPARE has room for N. */
static void list_counts_sort(const struct gprof *g, uint32_t *rows, uint32_t n, uint32_t *spare)
{
	uint32_t half = n / 2, i = 0, j = half, k = 0;

	if (n < 2)
		return;
	list_counts_sort(g, rows, half, spare);
	list_counts_sort(g, rows + half, n - half, spare);
	while (i < half && j < n)
		spare[k++] = is_before(g, rows[i], rows[j]) ? rows[i++] : rows[j++];
	while (i < half)
		spare[k++] = rows[i++];
	memcpy(rows, spare, k * sizeof *rows);
}

/* Routines that options name, sorted; malloc'ed, *N of them.  Those that never ran are among them, since gprof sorts them, too.
 * NULL: out of memory. */
static uint32_t *list_counts_rows_make(const struct gprof *g, uint32_t *n)
{
	uint32_t *rows = calloc(2 * (size_t)g->nroutines + 1, sizeof *rows);

	*n = 0;
	for (uint32_t i = 0; rows && i < g->nroutines; i++)
		if (gprof_wanted(g, i, GPROF_INCLUDE_COUNTS))
			rows[(*n)++] = i;
	if (rows)
		list_counts_sort(g, rows, *n, rows + g->nroutines);
	return rows;
}

/* What runs at ADDRESS of routine S ran CALLS times. */
static void list_counts_row_print(FILE *out, const struct gmon_symbol *s, uint64_t address, uint64_t calls, const struct report_options *options)
{
	unsigned flags = options->style.utf8 ? 0 : ESCAPE_ASCII;

	if (calls < options->gprof.min_count && !options->gprof.zeros)
		return;
	escape_print(out, s->file ? s->file : "<unknown>", flags);
	fprintf(out, ":%" PRIu32 ": (", s->line);
	escape_print(out, s->name, flags);
	fprintf(out, ":0x%" PRIx64 ") %" PRIu64 " executions\n", address, calls);
}

bool gprof_counts_text(const struct report_input *in, const struct report_options *options, FILE *out, struct error *err)
{
	const struct gprof *g = in->gmon;
	uint32_t n, *rows = list_counts_rows_make(g, &n);

	if (!rows)
		return error_no_memory(err, NULL);
	for (uint32_t i = 0; i < n; i++) {
		const struct gmon_symbol *s = g->routines[rows[i]].symbol;

		list_counts_row_print(out, s, s->start, g->routines[rows[i]].calls, options);
		for (uint32_t k = 0; k < g->routines[rows[i]].nblocks; k++) {
			const struct gmon_block *block = &g->blocks[g->routines[rows[i]].first_block + k];

			list_counts_row_print(out, s, block->address, block->count, options);
		}
	}
	free(rows);
	return true;
}

bool gprof_counts_json(const struct report_input *in, const struct report_options *options, struct emit *e, struct error *err)
{
	const struct gprof *g = in->gmon;
	uint32_t n, *rows = list_counts_rows_make(g, &n);

	if (!rows)
		return error_no_memory(err, NULL);
	emit_array(e, "counts");
	for (uint32_t i = 0; i < n; i++) {
		const struct gmon_symbol *s = g->routines[rows[i]].symbol;

		if (g->routines[rows[i]].calls < options->gprof.min_count && !options->gprof.zeros)
			continue;
		emit_item(e, json_pack("{s:o, s:o, s:o, s:o, s:o}", "name", emit_name(s->name), "file", emit_name(s->file),
			"line", s->line ? emit_count(s->line) : json_null(), "address", emit_count(s->start),
			"calls", emit_count(g->routines[rows[i]].calls)));
	}
	emit_array_end(e);
	free(rows);
	return true;
}
