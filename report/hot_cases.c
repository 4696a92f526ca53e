/* hot_cases.c - looks for the cases of hot_cases.h. */
#include "report/hot_cases.h"

#include <stdlib.h>
#include <string.h>

#include "text/print.h"

enum { PATHS = 20, MANY = 4 };		/* sequences that are looked at; contexts that are many */

static int by_time(const void *x, const void *y)
{
	const struct hot *a = x, *b = y;

	if (a->time != b->time)
		return a->time > b->time ? -1 : 1;
	return strcmp(a->name, b->name);
}

static void hots_sort(struct hot_list *h)
{
	if (h->n > 1)
		qsort(h->hot, h->n, sizeof *h->hot, by_time);
}

/* Keep C among the HOT_CALLERS heaviest of H. */
static void caller_add(struct hot *h, struct hot_caller c)
{
	uint32_t i = h->ncallers < HOT_CALLERS ? h->ncallers++ : HOT_CALLERS;

	for (; i > 0 && h->callers[i - 1].time < c.time; i--)
		if (i < HOT_CALLERS)
			h->callers[i] = h->callers[i - 1];
	if (i < HOT_CALLERS)
		h->callers[i] = c;
}

static bool is_hooks(const struct leaf *l)
{
	return strcmp(l->name, "(hooks)") == 0;
}

/* Fill own[]. */
static bool own_find(struct hot_cases *c)
{
	c->own = calloc((size_t)c->g->nroutines + 1, sizeof *c->own);
	for (uint32_t r = 0; c->own && r < c->g->nroutines; r++) {
		c->own[r] = c->g->routines[r].self;
		for (size_t i = c->leaves.first[r]; i < c->leaves.first[r + 1]; i++)
			c->own[r] -= c->leaves.leaf[i].time < c->own[r] ? c->leaves.leaf[i].time : c->own[r];
	}
	return c->own != NULL;
}

/* Routines with half their total in their own code. */
static bool heavy_find(struct hot_cases *c)
{
	struct hot_list *h = &c->heavy;

	h->hot = calloc((size_t)c->g->nroutines + 1, sizeof *h->hot);
	for (uint32_t i = 0; h->hot && i < c->g->nroutines; i++) {
		const struct graph_routine *r = c->g->routines + i;

		if (!r->pseudo && c->own[i] > 0 && 2 * c->own[i] >= r->total)
			h->hot[h->n++] = (struct hot){ .routine = i, .name = r->name.name, .time = c->own[i],
				.calls = r->calls + r->recursive };
	}
	hots_sort(h);
	return h->hot != NULL;
}

/* Leaves of one function without hooks, the heaviest caller first. */
static int by_function(const void *x, const void *y)
{
	const struct leaf *a = x, *b = y;
	int c = strcmp(a->place, b->place);

	if (c == 0)
		c = strcmp(a->name, b->name);
	return c ? c : (a->time < b->time) - (a->time > b->time);
}

/* Add the functions without hooks of the N leaves at LEAF, which are sorted by function. */
static void plain_add(struct hot_list *h, const struct leaf *leaf, size_t n)
{
	struct hot *hot = NULL;

	for (size_t i = 0; i < n; i++) {
		const struct leaf *l = leaf + i;

		if (is_hooks(l))
			continue;
		if (!hot || strcmp(hot->place, l->place) != 0 || strcmp(hot->name, l->name) != 0) {
			hot = h->hot + h->n++;
			*hot = (struct hot){ .routine = GRAPH_NONE, .name = l->name, .place = l->place };
		}
		hot->time += l->time;
		caller_add(hot, (struct hot_caller){ .routine = l->routine, .time = l->time });
	}
}

/* Path of the module that is the program; NULL: not known. */
static const char *program_of(const struct graph *g)
{
	for (uint32_t i = 0; i < g->profile->nmodules; i++)
		if (g->profile->modules[i].main_program)
			return g->profile->modules[i].path;
	return NULL;
}

static bool same_module(const char *a, const char *b)
{
	return a == b || (a && b && strcmp(a, b) == 0);
}

/* Routine INDEX as a library routine of MODULE: what calls from elsewhere cost. */
static struct hot called_from_outside(const struct graph *g, uint32_t index, bool foreign)
{
	const struct graph_routine *r = g->routines + index;
	struct hot hot = { .routine = index, .name = r->name.name, .place = foreign ? print_basename(r->name.module) : NULL };

	for (uint32_t i = r->first_in; i < r->first_in + r->nin; i++) {
		const struct graph_arc *arc = g->arcs + g->in_arcs[i];

		if (foreign && arc->from != GRAPH_NONE && same_module(g->routines[arc->from].name.module, r->name.module))
			continue;
		hot.time += arc->self2 + arc->child2;
		hot.calls += arc->calls;
		caller_add(&hot, (struct hot_caller){ .routine = arc->from, .time = arc->self2 + arc->child2, .calls = arc->calls });
	}
	return hot;
}

/* Add the routines with hooks: those of other modules, and small ones that many call. */
static void hooked_add(struct hot_cases *c, const char *program)
{
	uint32_t heavy = c->heavy.n > 0 ? c->heavy.hot[0].routine : GRAPH_NONE;

	for (uint32_t i = 0; i < c->g->nroutines; i++) {
		const struct graph_routine *r = c->g->routines + i;
		bool foreign = program && r->name.module && !same_module(r->name.module, program);
		bool small = r->nin >= 3 && 4 * r->self >= 3 * r->total;
		struct hot hot;

		if (r->pseudo || i == heavy || !(foreign || small))
			continue;
		hot = called_from_outside(c->g, i, foreign);
		if (hot.time > 0)
			c->library.hot[c->library.n++] = hot;
	}
}

static bool library_find(struct hot_cases *c)
{
	struct leaf *leaf = calloc(c->leaves.n + 1, sizeof *leaf);

	c->library.hot = calloc(c->leaves.n + c->g->nroutines + 1, sizeof *c->library.hot);
	if (!leaf || !c->library.hot) {
		free(leaf);
		return false;
	}
	memcpy(leaf, c->leaves.leaf, c->leaves.n * sizeof *leaf);
	qsort(leaf, c->leaves.n, sizeof *leaf, by_function);
	plain_add(&c->library, leaf, c->leaves.n);
	free(leaf);
	hooked_add(c, program_of(c->g));
	hots_sort(&c->library);
	return true;
}

bool hot_cases_find(struct hot_cases *c, const struct report_input *in, struct error *err)
{
	struct report_options split = { .leaves = true };

	*c = (struct hot_cases){ .g = in->graph, .whole = in->graph->time + in->graph->outside };
	if (!leaves_make(&c->leaves, in, &split, err))
		return false;
	if (!own_find(c) || !heavy_find(c) || !library_find(c))
		return error_set(err, ERROR_MEMORY, ERROR_NO_OFFSET, "out of memory");
	c->paths = paths_find(c->g, &(struct paths_options){ .most = PATHS, .min_time = c->whole / 1000 }, err);
	return c->paths != NULL;
}

void hot_cases_free(struct hot_cases *c)
{
	leaves_free(&c->leaves);
	free(c->own);
	free(c->heavy.hot);
	free(c->library.hot);
	paths_free(c->paths);
}

const struct graph_path *hot_cases_path(const struct hot_cases *c)
{
	const struct paths *paths = c->paths;

	for (size_t i = 0; i < paths->n; i++)
		if (paths->paths[i].effective >= MANY)
			return paths->paths + i;
	return paths->n > 0 ? paths->paths : NULL;
}
