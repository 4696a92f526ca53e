/* flat_rows.c - the order of gprof's flat profile. */
#include <stdlib.h>
#include <string.h>

#include "understand/gprof/gprof.h"

static int flat_rows_compare(const void *left, const void *right, void *arg)
{
	const struct gprof *g = arg;
	uint32_t i = *(const uint32_t *)left, j = *(const uint32_t *)right;
	const struct gprof_routine *a = &g->routines[i], *b = &g->routines[j];
	int c;

	if (a->self != b->self)
		return a->self > b->self ? -1 : 1;
	if (a->calls != b->calls)
		return a->calls > b->calls ? -1 : 1;
	c = strcmp(a->symbol->name, b->symbol->name);
	return c ? c : (i > j) - (i < j);
}

uint32_t *gprof_flat_rows(const struct gprof *g)
{
	uint32_t *rows = calloc((size_t)g->nroutines + 1, sizeof *rows);

	for (uint32_t i = 0; rows && i < g->nroutines; i++)
		rows[i] = i;
	if (rows)
		qsort_r(rows, g->nroutines, sizeof *rows, flat_rows_compare, (void *)(uintptr_t)g);
	return rows;
}
