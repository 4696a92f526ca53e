/* order.c - sorting routines for the listings. */
#include "understand/findings/order.h"

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

/* What an entry is sorted by: the same of routines and lumps. */
struct value {
	uint64_t leading;	/* time or calls, as SORT says */
	uint64_t calls;		/* from outside */
	const char *name;	/* "" of a lump */
};

static uint64_t order_leading(uint64_t self, uint64_t total, uint64_t calls, enum report_sort sort)
{
	return sort == REPORT_BY_TOTAL ? total : sort == REPORT_BY_CALLS ? calls : self;
}

static struct value order_value_of(const struct key *key, uint32_t entry)
{
	const struct graph *g = key->graph;

	if (entry < g->nroutines) {
		const struct graph_routine *r = &g->routines[entry];

		return (struct value){ order_leading(r->self, r->total, r->calls + r->recursive, key->sort), r->calls, r->name.name };
	}
	const struct graph_lump *l = &g->lumps[entry - g->nroutines];

	return (struct value){ order_leading(l->self, l->total, l->calls + l->inner, key->sort), l->calls, "" };
}

static int order_compare(const void *left, const void *right, void *arg)
{
	const struct key *key = arg;
	uint32_t i = *(const uint32_t *)left, j = *(const uint32_t *)right;
	struct value a = order_value_of(key, i), b = order_value_of(key, j);
	bool lump = i >= key->graph->nroutines, other = j >= key->graph->nroutines;
	int c = descending(a.leading, b.leading);

	if (c == 0)
		c = other - lump;
	if (c == 0)
		c = descending(a.calls, b.calls);
	if (c == 0)
		c = strcmp(a.name, b.name);
	return c ? c : (i > j) - (i < j);
}

static bool order_is_shown(const struct graph_routine *r, bool zeros)
{
	return r->calls || r->recursive || r->self || r->total || (zeros && !r->pseudo);
}

bool order_make(struct order *o, const struct graph *g, enum report_sort sort, bool lumps, bool zeros, struct error *err)
{
	size_t n = (size_t)g->nroutines + g->nlumps + 1;
	struct key key = { g, sort };

	o->n = 0;
	o->routines = calloc(n, sizeof *o->routines);
	o->number = calloc(n, sizeof *o->number);
	if (!o->routines || !o->number) {
		order_free(o);
		return error_no_memory(err, NULL);
	}
	for (uint32_t i = 0; i < g->nroutines; i++)
		if (order_is_shown(&g->routines[i], zeros))
			o->routines[o->n++] = i;
	for (uint32_t i = 0; lumps && i < g->nlumps; i++)
		if (g->lumps[i].calls || g->lumps[i].inner || g->lumps[i].total || zeros)
			o->routines[o->n++] = g->nroutines + i;
	qsort_r(o->routines, o->n, sizeof *o->routines, order_compare, &key);
	for (uint32_t i = 0; i < o->n; i++)
		o->number[o->routines[i]] = i + 1;
	return true;
}

bool order_entries(struct order *o, const struct graph *g, const struct report_options *options, struct error *err)
{
	bool in_code = g->options.nstatic_arcs > 0 || g->options.nunused > 0;

	return order_make(o, g, options->sort == REPORT_BY_DEFAULT ? REPORT_BY_TOTAL : options->sort, true, in_code && options->gprof.zeros, err);
}

void order_free(struct order *o)
{
	free(o->routines);
	free(o->number);
	*o = (struct order){ 0 };
}
