/* gmon_out.c - gmon.out for GNU gprof: the calls between the main program's routines, exact, and their own times as samples.
 *
 * Contexts are folded to arcs.  An arc goes from the place of the caller's entry hook, not from its call, to that of the callee's; as
 * gprof itself does, calls that come from outside the program are left out.  Samples stand where the routine's entry hook
 * stands, a thousand a second: gprof's lines and basic blocks are not to be had from them, its routines are. */
#include <stdlib.h>

#include "show/export/export.h"

enum { RATE = 1000, FINEST = 2, MOST_BINS = 1 << 24 };

/* Index of the main program among the modules of P; PROFILE_NONE: it had no hooks. */
static uint32_t main_module(const struct profile *p)
{
	for (uint32_t i = 0; i < p->nmodules; i++)
		if (p->modules[i].main_program)
			return i;
	return PROFILE_NONE;
}

/* The main program's routine that runs in context I; NULL: it is of none. */
static const struct profile_routine *gmon_out_routine_of(const struct profile *p, uint32_t i)
{
	uint32_t r = p->contexts[i].routine;

	if (r == PROFILE_NONE || p->routines[r].module == PROFILE_NONE || p->routines[r].module != main_module(p))
		return NULL;
	return &p->routines[r];
}

static void gmon_out_arc_put(struct gmon *g, const struct profile_routine *from, const struct profile_routine *self, uint64_t calls)
{
	if (from && self && calls)
		g->arcs[g->narcs++] = (struct gmon_arc){ from->address, self->address, calls };
}

static bool arcs_fill(struct gmon *g, const struct profile *p)
{
	g->arcs = calloc(2 * (size_t)p->ncontexts + 1, sizeof *g->arcs);
	for (uint32_t i = 1; g->arcs && i < p->ncontexts; i++) {
		const struct profile_routine *self = gmon_out_routine_of(p, i), *from = gmon_out_routine_of(p, p->contexts[i].parent);

		gmon_out_arc_put(g, from, self, p->contexts[i].entries);
		gmon_out_arc_put(g, self, self, p->contexts[i].recursive);
	}
	return g->arcs != NULL;
}

/* The range of the main program's routines to H, and bins enough for it: each begins within a routine if it is FINEST. */
static bool bins_make(struct gmon_histogram *h, const struct profile *p)
{
	uint64_t size = FINEST;

	h->low = UINT64_MAX;
	for (uint32_t i = 0; i < p->nroutines; i++) {
		const struct profile_routine *r = &p->routines[i];

		if (r->module == PROFILE_NONE || r->module != main_module(p))
			continue;
		h->low = r->address < h->low ? r->address : h->low;
		h->high = r->address > h->high ? r->address : h->high;
	}
	if (h->low > h->high)
		h->low = h->high = 0;
	while ((h->high - h->low) / size >= MOST_BINS)
		size *= 2;
	h->low &= -size;
	h->nbins = (uint32_t)((h->high + 1 - h->low) / size + 1);
	h->high = h->low + h->nbins * size;
	h->bins = calloc(h->nbins, sizeof *h->bins);
	return h->bins != NULL;
}

/* Where the samples of R stand: not before its first byte. */
static uint64_t gmon_out_place_of(const struct profile_routine *r)
{
	return r->flags & AMON_ROUTINE_INSIDE ? r->address : r->address + r->address % FINEST;
}

/* Own times, ns, summed by routine before they are cut into samples. */
static bool samples_fill(struct gmon_histogram *h, const struct graph *graph)
{
	const struct profile *p = graph->profile;
	uint64_t *times = calloc((size_t)p->nroutines + 1, sizeof *times);

	for (uint32_t i = 1; times && i < p->ncontexts; i++)
		if (gmon_out_routine_of(p, i))
			times[p->contexts[i].routine] += graph_time(graph, i);
	for (uint32_t r = 0; times && r < p->nroutines; r++)
		if (times[r]) {
			uint64_t count = (times[r] + 500000000 / RATE) / (1000000000 / RATE);
			uint32_t *bin = &h->bins[(gmon_out_place_of(&p->routines[r]) - h->low) / ((h->high - h->low) / h->nbins)];

			*bin = count > UINT32_MAX - *bin ? UINT32_MAX : *bin + (uint32_t)count;
		}
	free(times);
	return times != NULL;
}

static bool gmon_out_fill(struct gmon *g, const struct graph *graph)
{
	g->rate = RATE;
	g->histograms = calloc(1, sizeof *g->histograms);
	if (!g->histograms)
		return false;
	g->nhistograms = 1;
	return bins_make(g->histograms, graph->profile) && samples_fill(g->histograms, graph) && arcs_fill(g, graph->profile);
}

bool gmon_out_write(const struct report_input *in, const struct export_options *options, FILE *out, struct error *err)
{
	struct gmon g;
	void *data = NULL;
	size_t len;

	(void)options;
	if (!profile_is_time(in->graph->profile))
		return error_set(err, ERROR_USAGE, ERROR_NO_OFFSET, "a gmon.out has times, and this is of another value: %s", profile_value_of(in->graph->profile)->name);
	gmon_init(&g, (struct gmon_layout){ .word = 8 });
	if (!gmon_out_fill(&g, in->graph))
		error_no_memory(err, NULL);
	else if ((data = gmon_write(&g, &len, err)))
		fwrite(data, 1, len, out);
	free(data);
	gmon_free(&g);
	return data != NULL;
}
