/* routine_selection.c - the routines that the user's word means, in the order of their places. */
#include "understand/findings/routine_selection.h"

#include <stdlib.h>
#include <string.h>

static int routine_selection_by_place(const void *x, const void *y, void *arg)
{
	const struct graph *g = arg;
	const struct graph_name *a = &g->routines[*(const uint32_t *)x].name, *b = &g->routines[*(const uint32_t *)y].name;
	int c = strcmp(a->file ? a->file : "", b->file ? b->file : "");

	if (c == 0)
		c = (a->line > b->line) - (a->line < b->line);
	return c ? c : strcmp(a->name, b->name);
}

bool routine_selection_find(struct routine_selection *t, const struct graph *g, const char *text, struct error *err)
{
	bool *named = calloc((size_t)g->nroutines + 1, sizeof *named), ok;

	*t = (struct routine_selection){ .routines = calloc((size_t)g->nroutines + 1, sizeof *t->routines) };
	ok = named && t->routines ? graph_match(g, NULL, text, false, named, err)
		: error_no_memory(err, NULL);
	for (uint32_t r = 0; ok && r < g->nroutines; r++)
		if (named[r])
			t->routines[t->n++] = r;
	if (ok)
		qsort_r(t->routines, t->n, sizeof *t->routines, routine_selection_by_place, (void *)g);
	free(named);
	return ok;
}
