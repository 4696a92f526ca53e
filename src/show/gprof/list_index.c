/* list_index.c - routines by name with their numbers in the call graph of a gmon.out, in three columns as gprof prints them. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "show/gprof/listing.h"

enum { WIDTH = 80, COLUMNS = 3, NUMBER = 5 };	/* characters of a line without -w; how many; characters of a number */

static int list_index_by_name(const void *left, const void *right, void *arg)
{
	const struct gprof *g = arg;
	uint32_t i = *(const uint32_t *)left, j = *(const uint32_t *)right;
	int c = strcmp(g->routines[i].symbol->name, g->routines[j].symbol->name);

	return c ? c : (i > j) - (i < j);
}

/* Routines by name into ROWS, then the cycles; returns how many. */
static uint32_t list_index_rows_make(const struct gprof *g, const struct report_options *options, uint32_t *rows)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < g->nroutines; i++)
		if (options->gprof.zeros || g->routines[i].calls || g->routines[i].self != 0)
			rows[n++] = i;
	qsort_r(rows, n, sizeof *rows, list_index_by_name, (void *)(uintptr_t)g);
	for (uint32_t i = 0; i < g->ncycles; i++)
		rows[n++] = g->nroutines + i;
	return n;
}

/* The name of a routine, and of a static one its file; returns the characters printed. */
static size_t list_index_name_print(FILE *out, const struct report_input *in, const struct report_options *options, uint32_t r)
{
	const struct gmon_symbol *s = in->gmon->routines[r].symbol;
	size_t n = gprof_name_print(out, in, options, r);

	if (options->gprof.lines || !s->local || !s->file)
		return n;
	fputs(" (", out);
	n += escape_print(out, gprof_file(s->file, options), options->style.utf8 ? 0 : ESCAPE_ASCII);
	putc(')', out);
	return n + 3;
}

/* One cell; *COLUMN is where the line stands, and START where the cell should begin. */
static void list_index_cell_print(FILE *out, const struct report_input *in, const struct report_options *options, uint32_t row,
		       size_t *column, size_t start)
{
	const struct gprof_routine *r = &in->gmon->routines[row];
	char number[24], name[32];

	snprintf(number, sizeof number, r->printed ? "[%" PRIu32 "]" : "(%" PRIu32 ")", r->place);
	snprintf(name, sizeof name, "<cycle %" PRIu32 ">", r->cycle);
	if (options->gprof.traditional) {
		fprintf(out, "%6.6s %-19.19s", number, r->symbol ? r->symbol->name : name);
		return;
	}
	for (*column += strlen(number); *column < start + NUMBER; ++*column)
		putc(' ', out);
	fprintf(out, " %s ", number);
	*column += r->symbol ? list_index_name_print(out, in, options, row) : (size_t)fprintf(out, "%s", name);
}

bool gprof_index_text(const struct report_input *in, const struct report_options *options, FILE *out, struct error *err)
{
	const struct gprof *g = in->gmon;
	uint32_t *rows = calloc((size_t)g->nroutines + g->ncycles + 1, sizeof *rows);
	uint32_t n = rows ? list_index_rows_make(g, options, rows) : 0, lines = (n + COLUMNS - 1) / COLUMNS;
	size_t width = ((options->gprof.width ? options->gprof.width : WIDTH) - 1) / COLUMNS;

	if (!rows)
		return error_no_memory(err, NULL);
	fputs("Index by function name\n\n", out);
	for (uint32_t line = 0; line < lines; line++) {
		size_t column = 0, start = 0;

		for (uint32_t i = line; i < n; i += lines, start += width)
			list_index_cell_print(out, in, options, rows[i], &column, start);
		putc('\n', out);
	}
	free(rows);
	return true;
}

/* The call graph's entries carry their numbers, so that JSON needs no index. */
bool gprof_index_json(const struct report_input *in, const struct report_options *options, struct emit *e, struct error *err)
{
	(void)in;
	(void)options;
	(void)e;
	(void)err;
	return true;
}
