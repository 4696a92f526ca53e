/* chosen.c - names and paths held against what the user wrote. */
#include "report/chosen.h"

#include <stdlib.h>
#include <string.h>

#include "text/print.h"

static bool name_matches(const char *name, const char *target)
{
	char *simple;
	bool same;

	if (strcmp(name, target) == 0)
		return true;
	simple = malloc(strlen(name) + 1);
	if (!simple)
		return false;
	print_simplify(simple, name);
	same = strcmp(simple, target) == 0;
	free(simple);
	return same;
}

/* Whether TARGET is the end of a qualified name, as `push` is of `stack::push(int)`. */
static bool end_matches(const char *name, const char *target)
{
	char *simple = malloc(strlen(name) + 1);
	size_t n, m = strlen(target);
	bool same;

	if (!simple)
		return false;
	print_simplify(simple, name);
	n = strlen(simple);
	same = m > 0 && n > m + 2 && strcmp(simple + n - m, target) == 0 && strncmp(simple + n - m - 2, "::", 2) == 0;
	free(simple);
	return same;
}

/* Whether TARGET is FILE or the end of its path. */
static bool file_matches(const char *file, const char *target)
{
	size_t n = file ? strlen(file) : 0, m = strlen(target);

	return m > 0 && n >= m && strcmp(file + n - m, target) == 0 && (n == m || file[n - m - 1] == '/' || *target == '/');
}

static int by_place(const void *x, const void *y, void *arg)
{
	const struct graph *g = arg;
	const struct graph_name *a = &g->routines[*(const uint32_t *)x].name, *b = &g->routines[*(const uint32_t *)y].name;
	int c = strcmp(a->file ? a->file : "", b->file ? b->file : "");

	if (c == 0)
		c = (a->line > b->line) - (a->line < b->line);
	return c ? c : strcmp(a->name, b->name);
}

/* A routine whose name holds TARGET, to be offered; NULL: none. */
static const char *name_like(const struct graph *g, const char *target)
{
	for (uint32_t r = 0; r < g->nroutines; r++)
		if (strcasestr(g->routines[r].name.name, target))
			return g->routines[r].name.name;
	return NULL;
}

/* Choose the routines whose names TEXT MATCHES, unless some are chosen. */
static void choose_by(struct chosen *t, const struct graph *g, bool (*matches)(const char *, const char *), const char *text)
{
	for (uint32_t r = 0, before = (uint32_t)t->n; r < g->nroutines && before == 0; r++)
		if (!g->routines[r].pseudo && matches(g->routines[r].name.name, text))
			t->routines[t->n++] = r;
}

bool chosen_find(struct chosen *t, const struct graph *g, const char *text, struct error *err)
{
	const char *like;

	*t = (struct chosen){ .routines = calloc((size_t)g->nroutines + 1, sizeof *t->routines) };
	if (!t->routines)
		return error_set(err, ERROR_MEMORY, ERROR_NO_OFFSET, "out of memory");
	choose_by(t, g, name_matches, text);
	choose_by(t, g, end_matches, text);
	for (uint32_t r = 0, named = (uint32_t)t->n; r < g->nroutines && named == 0; r++)
		if (!g->routines[r].pseudo && file_matches(g->routines[r].name.file, text))
			t->routines[t->n++] = r;
	qsort_r(t->routines, t->n, sizeof *t->routines, by_place, (void *)g);
	if (t->n > 0)
		return true;
	like = name_like(g, text);
	return error_set(err, ERROR_USAGE, ERROR_NO_OFFSET, "%.80s: no routine and no source file of the profile is called so%s%.80s",
		text, like ? "; there is " : "; `aprof report -p` lists the routines", like ? like : "");
}
