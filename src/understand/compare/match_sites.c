/* match_sites.c - call sites of a run, and which of them are the same in several runs. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/print.h"
#include "understand/compare/rows.h"

/* ---- the rows of a run ---- */

static bool match_sites_text_keep(struct arena *a, const char **text)
{
	return !*text || (*text = arena_copy(a, *text, strlen(*text))) != NULL;
}

/* Where P is, from the line on where CALLER begins, if it is in the caller's own file. */
static int64_t line_in(const struct call_place *p, const struct graph_routine *caller)
{
	bool own = caller && !p->within && p->file && caller->name.file && caller->name.line && !strcmp(print_basename(p->file), print_basename(caller->name.file));

	return (int64_t)p->line - (own ? caller->name.line : 0);
}

/* Room for a further row of R; NULL: out of memory. */
static struct row_site *row_new(struct rows *r, size_t *room)
{
	if (!array_grow(&r->sites, room, r->nsites, sizeof *r->sites))
		return NULL;
	r->sites[r->nsites] = (struct row_site){ .from = GRAPH_NONE };
	return &r->sites[r->nsites++];
}

/* Where the rows of a run come together. */
struct collection {
	struct rows *rows;
	size_t room;		/* for sites */
	const struct graph *g;
	double sample;		/* what one of its samples stands for in a variance, ns; 0: its times are no samples */
};

/* The variance of TIME, that SAMPLES divided from its arc's; 0: all of that, or not by samples. */
static double match_sites_variance_of(const struct collection *c, uint64_t time, uint64_t samples)
{
	return c->sample > 0 ? (double)time * fmax(c->sample, samples ? (double)time / (double)samples : 0) : 0;
}

/* Add the N-th of PLACES, or, behind the last, what is at none of them. */
static bool match_sites_place_add(struct collection *c, uint32_t from, uint32_t to, const struct call_places *places, size_t n)
{
	bool known = n < places->n;
	const struct call_place rest = { .calls = places->unknown, .self = places->rest_self, .children = places->rest_children },
		*p = known ? &places->places[n] : &rest;
	uint64_t total = p->self + p->children;
	struct row_site *row;

	if (!known && (places->counted ? !p->calls && !total : !call_places_have_rest(places)))
		return true;
	row = row_new(c->rows, &c->room);
	if (!row)
		return false;
	*row = (struct row_site){ .from = from, .to = to, .known = known, .place = *p, .line = line_in(p, from == GRAPH_NONE ? NULL : &c->g->routines[from]),
		.value = { .calls = p->calls, .time = { p->self, total },
			.variance = { match_sites_variance_of(c, p->self, p->self_samples),
				match_sites_variance_of(c, total, p->self_samples + p->child_samples) } } };
	return match_sites_text_keep(&c->rows->text, &row->place.file) && match_sites_text_keep(&c->rows->text, &row->place.within)
		&& match_sites_text_keep(&c->rows->text, &row->place.module) && match_sites_text_keep(&c->rows->text, &row->place.through);
}

static bool match_sites_arc_add(void *arg, uint32_t from, uint32_t to, const struct call_figures *arc, const struct call_places *places)
{
	bool ok = true;

	(void)arc;
	for (size_t i = 0; ok && i <= places->n; i++)
		ok = match_sites_place_add(arg, from, to, places, i);
	return ok;
}

bool rows_sites(struct rows *r, const struct report_input *in, struct error *err)
{
	const struct overhead_evidence *run = &in->graph->evidence;
	struct collection c = { .rows = r, .g = in->graph, .sample = run->measured > 0 ? run->variance / run->measured : 0 };

	return call_places_each(in, match_sites_arc_add, &c, err);
}

/* ---- what is the same ---- */

/* A row on its way to an item. */
struct found {
	struct row_site *row;
	uint32_t run;
	uint32_t from, to;	/* items of its ends */
	uint32_t item;		/* what it is part of */
};

static int by_number(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

static int match_sites_by_text(const char *a, const char *b)
{
	return strcmp(a ? a : "", b ? b : "");
}

static int match_sites_by_arc(const struct found *a, const struct found *b)
{
	int c = by_number(a->from, b->from);

	return c ? c : by_number(a->to, b->to);
}

static int by_site(const struct found *a, const struct found *b)
{
	const struct call_place *p = &a->row->place, *q = &b->row->place;
	int c = match_sites_by_arc(a, b);

	c = c ? c : b->row->known - a->row->known;
	c = c ? c : strcmp(print_basename(p->file), print_basename(q->file));
	c = c ? c : (a->row->line > b->row->line) - (a->row->line < b->row->line);
	c = c ? c : by_number(p->column, q->column);
	c = c ? c : by_number(p->address, q->address);
	c = c ? c : p->by_pointer - q->by_pointer;
	c = c ? c : match_sites_by_text(p->within, q->within);
	c = c ? c : strcmp(print_basename(p->module), print_basename(q->module));
	return c ? c : match_sites_by_text(p->through, q->through);
}

static int by_site_then_run(const void *left, const void *right)
{
	const struct found *a = left, *b = right;
	int c = by_site(a, b);

	return c ? c : by_number(a->run, b->run);
}

/* Number the N rows F of one arc from FIRST on, those of one place alike.  Returns how many places there are. */
static uint32_t places_number(struct found *f, size_t n, uint32_t first)
{
	uint32_t item = first;

	for (size_t i = 0; i < n; i++)
		f[i].item = i > 0 && by_site(&f[i - 1], &f[i]) != 0 ? ++item : item;
	return item - first + 1;
}

/* Which sides have each of the ITEMS places of the N rows F, numbered from FIRST on: 1 the base, 2 the new one, in SIDES. */
static void sides_mark(unsigned char *sides, const struct comparison *c, const struct found *f, size_t n, uint32_t first, uint32_t items)
{
	memset(sides, 0, items);
	for (size_t i = 0; i < n; i++)
		sides[f[i].item - first] |= !f[i].row->known ? 3 : f[i].run < c->nbase ? 1 : 2;
}

static uint32_t count_of(const unsigned char *sides, uint32_t items, unsigned char side)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < items; i++)
		n += sides[i] == side;
	return n;
}

/* The place of SIDE alone that is the RANK-th of such. */
static uint32_t ranked(const unsigned char *sides, unsigned char side, uint32_t rank)
{
	for (uint32_t i = 0;; i++)
		if (sides[i] == side && rank-- == 0)
			return i;
}

/* Of an arc in two builds the places that only one side has are the same in their order, if each side has as many. */
static void moved_join(struct found *f, size_t n, uint32_t first, const unsigned char *sides, uint32_t items)
{
	if (count_of(sides, items, 1) != count_of(sides, items, 2))
		return;
	for (size_t i = 0; i < n; i++) {
		uint32_t item = f[i].item - first;

		if (sides[item] == 2)
			f[i].item = first + ranked(sides, 1, count_of(sides, item, 2));
	}
}

/* Whether some base run is of another build of the program than some new one. */
static bool are_rebuilt(const struct comparison *c)
{
	for (uint32_t i = 0; i < c->nbase; i++)
		for (uint32_t k = c->nbase; k < c->nruns; k++)
			if (memcmp(c->runs[i].build, c->runs[k].build, sizeof c->runs[i].build) != 0)
				return true;
	return false;
}

static struct found *all_rows(struct rows *rows, uint32_t nruns, size_t *n)
{
	struct found *f;

	*n = 0;
	for (uint32_t i = 0; i < nruns; i++)
		*n += rows[i].nsites;
	f = calloc(*n + 1, sizeof *f);
	*n = 0;
	for (uint32_t i = 0; f && i < nruns; i++)
		for (uint32_t k = 0; k < rows[i].nsites; k++) {
			struct row_site *row = &rows[i].sites[k];

			f[(*n)++] = (struct found){ .row = row, .run = i, .from = row->from == GRAPH_NONE ? GRAPH_NONE : rows[i].routines[row->from].item,
				.to = rows[i].routines[row->to].item };
		}
	if (f)
		qsort(f, *n, sizeof *f, by_site_then_run);
	return f;
}

/* Fill the items, without gaps between them, from what the rows F were numbered as. */
static void items_fill(struct comparison_items *items, struct found *f, size_t n, uint32_t numbers, uint32_t *compact)
{
	memset(compact, 0, ((size_t)numbers + 1) * sizeof *compact);
	for (size_t i = 0; i < n; i++) {
		uint32_t *number = &compact[f[i].item];
		struct comparison_item *item;

		if (!*number)
			*number = ++items->n;
		item = &items->items[*number - 1];
		item->from = f[i].from;
		item->to = f[i].to;
		if (f[i].row->known && (!item->place || f[i].run >= item->placed_by)) {
			item->place = &f[i].row->place;
			item->placed_by = f[i].run;
		}
		value_add(&item->values[f[i].run], &f[i].row->value);
	}
}

bool match_sites(struct comparison *c, struct rows *rows, uint32_t nruns)
{
	bool rebuilt = are_rebuilt(c);
	uint32_t numbers = 0, *compact;
	unsigned char *sides;
	size_t n;
	struct found *f = all_rows(rows, nruns, &n);
	bool ok;

	sides = calloc(n + 1, sizeof *sides);
	compact = calloc(n + 1, sizeof *compact);
	ok = f && sides && compact && items_make(&c->kinds[COMPARISON_SITES], n, nruns);
	for (size_t i = 0, m; ok && i < n; i += m) {
		uint32_t items;

		for (m = 1; i + m < n && match_sites_by_arc(&f[i], &f[i + m]) == 0;)
			m++;
		items = places_number(f + i, m, numbers);
		sides_mark(sides, c, f + i, m, numbers, items);
		if (rebuilt)
			moved_join(f + i, m, numbers, sides, items);
		numbers += items;
	}
	if (ok)
		items_fill(&c->kinds[COMPARISON_SITES], f, n, numbers, compact);
	free(f);
	free(sides);
	free(compact);
	return ok;
}
