/* from_gmon.c - gmon.out, made into what it would be had aprof written it: functions of the program with the time of their samples, the addresses of these, and arcs with calls.
 *
 * What passed in the calls of an arc the file does not say: who builds the graph shares out a function's time by its calls, as gprof does. */
#include "read/import/from_gmon.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/pair_table.h"
#include "read/gmon/gmon.h"
#include "read/gmon/text.h"
#include "read/import/places.h"

/* One reading. */
struct gmon_reading {
	struct builder *builder;
	struct gmon gmon;
	struct text *text;
	uint32_t module, thread;
	uint32_t *function;		/* of each symbol, in the builder */
	struct pair_table by_ends;	/* index of arcs + 1, by functions */
	struct call_of { uint32_t from, to; uint64_t calls; } *arcs;
	uint32_t narcs;
	size_t arcs_room;
	struct builder_line *lines;	/* addresses of the symbol at hand */
	size_t nlines, lines_room;
	double outside, outside_ticks;	/* in no symbol: ns, and samples */
};

/* The symbol that ADDRESS is in, or the next one. */
static size_t symbol_from(const struct text *t, uint64_t address)
{
	size_t low = 0, high = t->n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (t->symbols[middle].last < address && t->symbols[middle].start < address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static uint32_t function_at(const struct gmon_reading *g, uint64_t address)
{
	size_t i = symbol_from(g->text, address);

	return i < g->text->n && g->text->symbols[i].start <= address && address <= g->text->symbols[i].last ? g->function[i] : BUILDER_NONE;
}

static bool functions_make(struct gmon_reading *g)
{
	g->function = calloc(g->text->n + 1, sizeof *g->function);
	for (size_t i = 0; g->function && i < g->text->n; i++) {
		g->function[i] = builder_function(g->builder, &(struct builder_function){ .module = g->module, .address = g->text->symbols[i].start });
		if (g->function[i] == BUILDER_NONE)
			return false;
	}
	return g->function != NULL;
}

/* ---- samples ---- */

/* What falls to a symbol. */
struct fallen { double time, ticks; };

/* So many TICKS, each of NSEC, were in the bytes LOW .. HIGH: symbols have them by the parts of the bytes that they have. */
static bool bin_share(struct gmon_reading *g, uint64_t low, uint64_t high, uint32_t ticks, double nsec, struct fallen *fallen)
{
	const struct text *t = g->text;
	double left = ticks, each = (double)ticks / (double)(high - low);

	for (size_t i = symbol_from(t, low); i < t->n && t->symbols[i].start < high; i++) {
		uint64_t from = t->symbols[i].start > low ? t->symbols[i].start : low, to = t->symbols[i].last + 1 < high ? t->symbols[i].last + 1 : high;
		double part = to > from ? each * (double)(to - from) : 0;

		fallen[i].time += part * nsec;
		fallen[i].ticks += part;
		left -= part;
	}
	g->outside += left > 0 ? left * nsec : 0;
	g->outside_ticks += left > 0 ? left : 0;
	return true;
}

static struct fallen *histograms_share(struct gmon_reading *g)
{
	struct fallen *fallen = calloc(g->text->n + 1, sizeof *fallen);

	for (size_t k = 0; fallen && k < g->gmon.nhistograms; k++) {
		const struct gmon_histogram *h = &g->gmon.histograms[k];
		double width = (double)(h->high - h->low) / h->nbins;

		for (uint32_t i = 0; i < h->nbins; i++) {
			uint64_t low = h->low + (uint64_t)(width * i), high = h->low + (uint64_t)(width * (i + 1));

			if (h->bins[i])
				bin_share(g, low, high > low ? high : low + 1, h->bins[i], 1e9 / (g->gmon.rate ? g->gmon.rate : 100), fallen);
		}
	}
	return fallen;
}

/* The addresses of samples in symbol I; false: out of memory. */
static bool addresses_find(struct gmon_reading *g, size_t i)
{
	const struct gmon_symbol *s = &g->text->symbols[i];

	g->nlines = 0;
	for (size_t k = 0; k < g->gmon.nhistograms; k++) {
		const struct gmon_histogram *h = &g->gmon.histograms[k];
		double width = (double)(h->high - h->low) / h->nbins;

		if (h->high <= s->start || h->low > s->last)
			continue;
		for (uint32_t b = s->start > h->low ? (uint32_t)((double)(s->start - h->low) / width) : 0; b < h->nbins; b++) {
			uint64_t at = h->low + (uint64_t)(width * b);

			if (at > s->last)
				break;
			if (!h->bins[b])
				continue;
			if (!array_reserve(&g->lines, &g->lines_room, g->nlines + 1, sizeof *g->lines))
				return false;
			g->lines[g->nlines++] = (struct builder_line){ .place = { g->module, at > s->start ? at : s->start }, .weight = h->bins[b] };
		}
	}
	return true;
}

static bool samples_add(struct gmon_reading *g)
{
	struct fallen *fallen = histograms_share(g);
	bool ok = fallen != NULL;

	for (size_t i = 0; ok && i < g->text->n; i++) {
		if (fallen[i].ticks <= 0)
			continue;
		ok = addresses_find(g, i);
		builder_add(g->builder, &(struct builder_sample){ .thread = g->thread, .functions = &g->function[i], .n = 1, .amounts = &(uint64_t){ (uint64_t)(fallen[i].time + 0.5) },
			.ticks = (uint64_t)(fallen[i].ticks + 0.5), .lines = g->lines, .nlines = g->nlines });
	}
	if (ok && g->outside_ticks > 0)
		builder_add(g->builder, &(struct builder_sample){ .thread = g->thread, .amounts = &(uint64_t){ (uint64_t)(g->outside + 0.5) }, .ticks = (uint64_t)(g->outside_ticks + 0.5) });
	free(fallen);
	return ok;
}

/* ---- all of it ---- */

/* CALLS more of FROM, which may be nobody, to TO.  False: out of memory. */
static bool arc_count(struct gmon_reading *g, uint32_t from, uint32_t to, uint64_t calls)
{
	uint32_t *slot = pair_table_at(&g->by_ends, from, to);

	if (!slot)
		return false;
	if (*slot == 0) {
		if (!array_grow(&g->arcs, &g->arcs_room, g->narcs, sizeof *g->arcs))
			return false;
		g->arcs[g->narcs] = (struct call_of){ from, to, 0 };
		*slot = ++g->narcs;
	}
	add_capped(&g->arcs[*slot - 1].calls, calls);
	return true;
}

/* Calls that the file has from outside of the program's text are nobody's. */
static bool arcs_add(struct gmon_reading *g)
{
	for (size_t i = 0; i < g->gmon.narcs; i++) {
		const struct gmon_arc *a = &g->gmon.arcs[i];
		uint32_t to = function_at(g, a->self);

		if (to != BUILDER_NONE && !arc_count(g, function_at(g, a->from), to, a->count))
			return false;
	}
	for (uint32_t i = 0; i < g->narcs; i++)
		builder_arc(g->builder, g->thread, g->arcs[i].from, g->arcs[i].to, g->arcs[i].calls, &(uint64_t){ 0 });
	return true;
}

/* PROGRAM as a module, by its own path and build-id. */
static uint32_t program_module(struct gmon_reading *g, const char *program)
{
	struct places places;
	struct image *image;
	uint32_t module;
	char path[PATH_MAX];

	places_begin(&places, g->builder);
	image = images_find(&places.images, 0, realpath(program, path) ? path : program, 0, 0);
	module = image ? places_module(&places, image) : BUILDER_NONE;
	builder_main(g->builder, module);
	places_end(&places);
	return module;
}

static bool gmon_put(struct gmon_reading *g, const char *program)
{
	g->module = program_module(g, program);
	g->thread = builder_thread(g->builder, builder_process(g->builder, 0, 0, program, 0), 0, NULL);
	builder_value(g->builder, "cpu", "ns", true);
	return g->module != BUILDER_NONE && g->thread != BUILDER_NONE && functions_make(g) && samples_add(g) && arcs_add(g);
}

bool import_read_gmon(struct import *m, const void *data, size_t len, const char *program, const char *label, struct error *err)
{
	const struct amon_header header = { .way = 1u << AMON_WAY_ARCS, .origin = "gmon.out" };
	const struct text_options options = { 0 };
	struct gmon_reading g = { 0 };
	bool ok;

	*m = (struct import){ 0 };
	g.text = text_read(program, &options, err);
	if (!g.text)
		return false;
	gmon_init(&g.gmon, g.text->layout);
	ok = gmon_read(&g.gmon, data, len, GMON_AUTO, label, err);
	if (ok) {
		g.builder = m->builder = builder_new(&header, len);
		ok = (g.builder && gmon_put(&g, program)) || error_no_memory_for(err, label);
	}
	ok = ok && (m->n = builder_end(m->builder, label, err)) > 0;
	gmon_free(&g.gmon);
	text_free(g.text);
	free(g.function);
	free(g.lines);
	free(g.arcs);
	pair_table_free(&g.by_ends);
	return ok;
}
