/* index.c - gprof's index by function name, in columns, read downwards. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "show/report/report.h"
#include "base/print.h"

enum { LEAST_NAME = 19, GAP = 2, NUMBER = 7 };	/* characters: gprof's name column, between columns, "[12345]" */

enum { UNBOUNDED = 82 };	/* columns to fill where there is no terminal: three, as gprof does */

static int index_by_name(const void *left, const void *right, void *arg)
{
	const struct graph *g = arg;
	uint32_t i = *(const uint32_t *)left, j = *(const uint32_t *)right;
	int c = 0;

	if (i < g->nroutines && j < g->nroutines)	/* cycles stand behind all names */
		c = strcmp(g->routines[i].name.name, g->routines[j].name.name);
	return c ? c : (i > j) - (i < j);
}

/* Longest name as printed, in bytes: enough for a width, since few names are not ASCII. */
static size_t index_longest(const struct graph *g, const struct order *order, const struct text_style *style)
{
	size_t most = LEAST_NAME;

	for (uint32_t i = 0; i < order->n; i++) {
		uint32_t entry = order->routines[i];
		size_t n = entry < g->nroutines ? escape_string(NULL, 0, print_choose(g->routines[entry].name.name, g->routines[entry].brief, style), 0) : 0;

		if (n > most)
			most = n;
	}
	return most;
}

static void index_cell_print(FILE *out, const struct graph *g, uint32_t routine, uint32_t number, size_t pad,
		       const struct report_options *options)
{
	char text[24];
	size_t n;

	snprintf(text, sizeof text, "[%" PRIu32 "]", number);
	fprintf(out, "%6s ", text);
	n = routine < g->nroutines ? print_brief_beside(out, g->routines[routine].name.name, g->routines[routine].brief, &options->style, NUMBER)
		: (size_t)fprintf(out, "<cycle %" PRIu32 ">", routine - g->nroutines + 1);
	if (pad > n)
		fprintf(out, "%*s", (int)(pad - n), "");
}

static void index_table_print(FILE *out, const struct graph *g, const uint32_t *sorted, const struct order *order,
			const struct report_options *options)
{
	size_t name = index_longest(g, order, &options->style), cell = NUMBER + name + GAP;
	size_t width = options->gprof.width ? options->gprof.width : options->style.width > 0 ? (size_t)options->style.width : UNBOUNDED;
	size_t columns = (width + GAP) / cell;
	size_t rows;

	if (columns == 0)
		columns = 1;
	rows = (order->n + columns - 1) / columns;
	for (size_t row = 0; row < rows; row++) {
		for (size_t i = row; i < order->n; i += rows)
			index_cell_print(out, g, sorted[i], order->number[sorted[i]], i + rows < order->n ? name + GAP : 0, options);
		putc('\n', out);
	}
}

bool index_text(const struct report_input *in, const struct report_options *options, FILE *out, struct error *err)
{
	struct order order;
	uint32_t *sorted;

	if (!order_entries(&order, in->graph, options, err))
		return false;
	sorted = calloc((size_t)order.n + 1, sizeof *sorted);
	if (!sorted) {
		order_free(&order);
		return error_no_memory(err, NULL);
	}
	memcpy(sorted, order.routines, order.n * sizeof *sorted);
	qsort_r(sorted, order.n, sizeof *sorted, index_by_name, (void *)(uintptr_t)in->graph);
	fputs("Index by function name\n\n", out);
	index_table_print(out, in->graph, sorted, &order, options);
	free(sorted);
	order_free(&order);
	return true;
}

/* The call graph's entries carry their numbers, so that JSON needs no index. */
bool index_json(const struct report_input *in, const struct report_options *options, struct emit *e, struct error *err)
{
	(void)in;
	(void)options;
	(void)e;
	(void)err;
	return true;
}
