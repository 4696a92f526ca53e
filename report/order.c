/* order.c - sorting routines for the listings. */
#include "order.h"

#include <stdlib.h>
#include <string.h>

struct key {
	const struct graph *graph;
	enum report_sort sort;
};

static int descending(uint64_t a, uint64_t b)
{
	return (a < b) - (a > b);
}

static uint64_t leading(const struct graph_routine *r, enum report_sort sort)
{
	switch (sort) {
	case REPORT_BY_TOTAL:
		return r->total;
	case REPORT_BY_CALLS:
		return r->calls + r->recursive;
	default:
		return r->self;
	}
}

static int compare(const void *left, const void *right, void *arg)
{
	const struct key *key = arg;
	uint32_t i = *(const uint32_t *)left, j = *(const uint32_t *)right;
	const struct graph_routine *a = &key->graph->routines[i], *b = &key->graph->routines[j];
	int c = descending(leading(a, key->sort), leading(b, key->sort));

	if (c == 0)
		c = descending(a->calls, b->calls);
	if (c == 0)
		c = strcmp(a->name.name, b->name.name);
	return c ? c : (i > j) - (i < j);
}

static bool is_shown(const struct graph_routine *r)
{
	return r->calls || r->recursive || r->self || r->total;
}

bool order_make(struct order *o, const struct graph *g, enum report_sort sort, struct error *err)
{
	struct key key = { g, sort };

	o->n = 0;
	o->routines = calloc((size_t)g->nroutines + 1, sizeof *o->routines);
	o->number = calloc((size_t)g->nroutines + 1, sizeof *o->number);
	if (!o->routines || !o->number) {
		order_free(o);
		return error_set(err, ERROR_MEMORY, ERROR_NO_OFFSET, "out of memory");
	}
	for (uint32_t i = 0; i < g->nroutines; i++)
		if (is_shown(&g->routines[i]))
			o->routines[o->n++] = i;
	qsort_r(o->routines, o->n, sizeof *o->routines, compare, &key);
	for (uint32_t i = 0; i < o->n; i++)
		o->number[o->routines[i]] = i + 1;
	return true;
}

void order_free(struct order *o)
{
	free(o->routines);
	free(o->number);
	*o = (struct order){ 0 };
}
