/* sites.c - calls by call site, summed over contexts. */
#include "understand/graph/sites.h"

#include <stdlib.h>

#include "understand/graph/build.h"

/* Is S kept by focus and thread, and no jump to a piece of a routine, which calls itself at most, nor a call of one that is left out? */
static bool sites_is_kept(const struct graph *g, const struct profile_site *s)
{
	const struct graph_context *to = &g->contexts[g->context_of[s->to]];
	uint32_t routine = g->profile->contexts[s->to].routine, caller = g->profile->contexts[s->from].routine;

	return to->kept && !(routine != PROFILE_NONE && ((g->names[routine].part && routine != caller) || g->routines[g->routine_of[routine]].left_out)) &&
	       (g->options.thread == GRAPH_NONE || g->options.thread == s->thread);
}

static int by_arc_then_place(const void *x, const void *y)
{
	const struct graph_site *a = x, *b = y;

	if (a->from != b->from)
		return a->from < b->from ? -1 : 1;
	if (a->to != b->to)
		return a->to < b->to ? -1 : 1;
	if (a->module != b->module)
		return a->module < b->module ? -1 : 1;
	return a->address < b->address ? -1 : a->address > b->address;
}

static void site_add(struct graph_site *to, const struct graph_site *more)
{
	to->calls += more->calls;
	to->self += more->self;
	to->children += more->children;
}

static void sites_join(struct graph_sites *s)
{
	size_t kept = 0;

	if (s->n > 1)
		qsort(s->sites, s->n, sizeof *s->sites, by_arc_then_place);
	for (size_t i = 0; i < s->n; i++)
		if (kept > 0 && by_arc_then_place(&s->sites[kept - 1], &s->sites[i]) == 0)
			site_add(&s->sites[kept - 1], &s->sites[i]);
		else
			s->sites[kept++] = s->sites[i];
	s->n = kept;
}

static bool is_some_known(const struct graph_sites *s)
{
	for (size_t i = 0; i < s->n; i++)
		if (s->sites[i].address || s->sites[i].module != PROFILE_NONE)
			return true;
	return false;
}

bool graph_sites_make(struct graph_sites *s, const struct graph *g, struct error *err)
{
	const struct profile *p = g->profile;

	*s = (struct graph_sites){ .sites = calloc(p->nsites + 1, sizeof *s->sites) };
	if (!s->sites)
		return build_no_memory(err);
	for (size_t i = 0; i < p->nsites; i++) {
		const struct profile_site *site = &p->sites[i];
		uint32_t from = g->contexts[g->context_of[site->from]].routine, to = g->contexts[g->context_of[site->to]].routine;

		if (sites_is_kept(g, site) && (g->options.nspecs == 0 || narrow_keeps(g, from, to)))
			s->sites[s->n++] = (struct graph_site){ from, to, site->module, site->address, site->calls, site->self, site->children };
	}
	sites_join(s);
	if (!is_some_known(s))
		s->n = 0;		/* samples at places that are not known tell nothing */
	return true;
}

void graph_sites_free(struct graph_sites *s)
{
	free(s->sites);
	*s = (struct graph_sites){ 0 };
}

const struct graph_site *graph_sites_of(const struct graph_sites *s, uint32_t from, uint32_t to, size_t *n, uint64_t *calls)
{
	size_t low = 0, high = s->n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const struct graph_site *site = &s->sites[middle];

		if (site->from != from ? site->from < from : site->to < to)
			low = middle + 1;
		else
			high = middle;
	}
	*n = 0;
	*calls = 0;
	for (; low + *n < s->n && s->sites[low + *n].from == from && s->sites[low + *n].to == to; ++*n)
		*calls += s->sites[low + *n].calls;
	return s->sites + low;
}

uint64_t *graph_recursion(const struct graph *g)
{
	const struct profile *p = g->profile;
	uint64_t *samples = calloc((size_t)g->nroutines + 1, sizeof *samples);

	for (size_t i = 0; samples && !g->counted && i < p->nsites; i++) {
		const struct profile_site *site = &p->sites[i];
		uint32_t from = g->contexts[g->context_of[site->from]].routine;

		if (from != GRAPH_NONE && from == g->contexts[g->context_of[site->to]].routine && sites_is_kept(g, site))
			samples[from] += site->self + site->children;
	}
	return samples;
}
