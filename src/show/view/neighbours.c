/* neighbours.c - the page of one routine: its callers above, its callees below, as in gprof's listing.
 *
 *     rows: callers, smallest first | the routine | callees, largest first
 *
 * Where call sites were told apart, those of an arc have rows of their own below it. */
#include <inttypes.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/print.h"
#include "show/report/code_places.h"
#include "show/view/page.h"

enum part { ROUTINE, ARC, PLACE };

struct row {
	enum part part;
	uint32_t arc;		/* index in graph.arcs; GRAPH_NONE: of the routine itself, or its direct recursion */
	bool caller;		/* above the routine */
	bool timed;		/* place: times are known */
	bool known;		/* place: false: the rest, from places that are not known */
	struct call_place place; /* its strings are the symbols' */
};

struct neighbours {
	struct graph_sites sites;
	struct row *rows;
	size_t room;		/* of them */
};

static uint64_t incoming(const struct graph_arc *a)
{
	return a->self2 + a->child2;
}

static uint64_t outgoing(const struct graph_arc *a)
{
	return a->self1 + a->child1;
}

static bool neighbours_row_add(struct page *p, struct row row)
{
	struct neighbours *n = p->state;

	if (!array_grow(&n->rows, &n->room, p->n, sizeof *n->rows))
		return false;
	n->rows[p->n++] = row;
	return true;
}

/* The call sites of ARC from FROM to TO, whose own row, but for these, is ROW. */
static bool neighbours_places_add(struct page *p, struct row row, uint32_t from, uint32_t to, const struct call_figures *arc)
{
	struct neighbours *n = p->state;
	struct call_places places;
	bool ok = true;

	if (n->sites.n == 0)
		return true;
	if (!call_places_make(&places, p->view->in, &n->sites, from, to, arc))
		return false;
	row.part = PLACE;
	row.timed = places.timed;
	row.known = true;
	for (size_t i = 0; ok && i < places.n; i++) {
		row.place = places.places[i];
		ok = neighbours_row_add(p, row);
	}
	row.known = false;
	row.place = (struct call_place){ .calls = places.unknown, .self = places.rest_self, .children = places.rest_children };
	if (call_places_have_rest(&places))
		ok = ok && neighbours_row_add(p, row);
	call_places_free(&places);
	return ok;
}

static bool neighbours_arc_add(struct page *p, uint32_t index, bool caller)
{
	const struct graph_arc *a = &p->view->g->arcs[index];
	struct row row = { .part = ARC, .arc = index, .caller = caller };

	return neighbours_row_add(p, row) && neighbours_places_add(p, row, a->from, a->to,
		&(struct call_figures){ a->calls, caller ? a->self2 : a->self1, caller ? a->child2 : a->child1 });
}

static bool neighbours_own_add(struct page *p)
{
	const struct graph_routine *r = &p->view->g->routines[p->about];
	struct row row = { .part = ROUTINE, .arc = GRAPH_NONE };

	p->cursor = p->n;
	return neighbours_row_add(p, row) && (!r->recursive || neighbours_places_add(p, row, p->about, p->about,
		&(struct call_figures){ r->recursive, 0, 0 }));
}

static bool neighbours_open(struct page *p, struct error *err)
{
	const struct graph *g = p->view->g;
	const struct graph_routine *r = g->routines + p->about;
	struct neighbours *n = calloc(1, sizeof *n);
	uint32_t *arcs, ncallers, ncallees;
	bool ok;

	p->state = n;
	p->n = 0;
	if (p->about == GRAPH_NONE)
		return true;
	arcs = calloc((size_t)r->nin + r->nout + 1, sizeof *arcs);
	ok = n && arcs && (g->profile->nsites == 0 || graph_sites_make(&n->sites, g, err));
	ncallers = ok ? entry_callers(g, r, arcs) : 0;
	for (uint32_t i = 0; ok && i < ncallers; i++)
		ok = neighbours_arc_add(p, arcs[i], true);
	ok = ok && neighbours_own_add(p);
	ncallees = ok ? entry_callees(g, r, arcs) : 0;
	for (uint32_t i = 0; ok && i < ncallees; i++)
		ok = neighbours_arc_add(p, arcs[i], false);
	free(arcs);
	if (!ok)
		return error_no_memory(err, NULL);
	p->top = p->cursor > 6 ? p->cursor - 6 : 0;
	return true;
}

static void neighbours_close(struct page *p)
{
	struct neighbours *n = p->state;

	if (n) {
		graph_sites_free(&n->sites);
		free(n->rows);
	}
	free(n);
}

static const struct row *neighbours_row_at(const struct page *p, size_t row)
{
	return &((const struct neighbours *)p->state)->rows[row];
}

static void neighbours_heading(const struct page *p, FILE *out)
{
	const struct explorer_view *v = p->view;

	page_share_heading(v, out, figure_share_heading(v->g));
	page_time_heading(v, out, "self");
	page_time_heading(v, out, "children");
	if (page_has(v, COLUMN_CALLS))
		fprintf(out, "%*s/%-*s ", v->calls, "calls", v->calls, "total");
	page_origin_heading(v, out);
	fputs("name", out);
}

static void neighbours_figures(const struct explorer_view *v, FILE *out, uint64_t self, uint64_t children, const struct overhead_evidence *evidence)
{
	page_share(v, out, self + children, evidence);
	page_time(v, out, self);
	page_time(v, out, children);
}

static enum screen_style own_row(const struct page *p, FILE *out)
{
	const struct graph_routine *r = p->view->g->routines + p->about;
	int n;

	neighbours_figures(p->view, out, r->self, r->total - r->self, &r->total_evidence);
	if (page_has(p->view, COLUMN_CALLS)) {
		n = fprintf(out, "%*" PRIu64, p->view->calls, r->calls);
		if (r->recursive)
			n += fprintf(out, "+%" PRIu64, r->recursive);
		fprintf(out, "%*s", n < 2 * p->view->calls + 2 ? 2 * p->view->calls + 2 - n : 1, "");
	}
	page_origin(p->view, out, p->about);
	page_name(p->view, out, p->about, 0);
	return SCREEN_STRONG;
}

/* Indented once more than its arc, or than the routine; its share is a part of the arc's. */
static enum screen_style place_row(const struct page *p, const struct row *row, FILE *out)
{
	const struct explorer_view *v = p->view;
	const struct call_place *place = &row->place;

	fprintf(out, "%*s ", page_share_width(v), "");
	if (row->timed && row->arc != GRAPH_NONE) {
		page_time(v, out, place->self);
		page_time(v, out, place->children);
	} else {
		page_gap(v, out, 2, 0);
	}
	page_calls(v, out, place->calls);
	page_gap(v, out, 0, 1);
	fputs(row->arc == GRAPH_NONE ? "    " : "        ", out);
	if (row->known)
		call_place_print(out, place, &v->options.style);
	else
		fputs("at places that are not known", out);
	return SCREEN_DIM;
}

/* A caller, or a callee, is indented. */
static enum screen_style neighbours_row(const struct page *p, size_t index, FILE *out)
{
	const struct row *row = neighbours_row_at(p, index);
	const struct explorer_view *v = p->view;
	const struct graph_arc *a;

	if (row->part == PLACE)
		return place_row(p, row, out);
	if (row->part == ROUTINE)
		return own_row(p, out);
	a = &v->g->arcs[row->arc];
	if (row->caller)
		neighbours_figures(v, out, a->self2, a->child2, &a->evidence2);
	else
		neighbours_figures(v, out, a->self1, a->child1, &a->evidence1);
	if (page_has(v, COLUMN_CALLS))
		fprintf(out, "%*" PRIu64 "/%-*" PRIu64 " ", v->calls, a->calls, v->calls, v->g->routines[a->to].calls);
	page_origin(v, out, row->caller ? a->from : a->to);
	fputs("    ", out);
	page_name(v, out, row->caller ? a->from : a->to, 0);
	return page_style(v, row->caller ? incoming(a) : outgoing(a));
}

static uint32_t neighbours_routine(const struct page *p, size_t index)
{
	const struct row *row = neighbours_row_at(p, index);

	if (row->arc == GRAPH_NONE)
		return p->about;
	return row->caller ? p->view->g->arcs[row->arc].from : p->view->g->arcs[row->arc].to;
}

/* The row of the caller or callee that the cursor was on. */
static bool neighbours_carry(struct page *p, const struct page *old, const uint32_t *map, struct error *err)
{
	const struct row *was = old->n > 0 ? neighbours_row_at(old, old->cursor) : NULL;
	uint32_t routine = was ? neighbours_routine(old, old->cursor) : GRAPH_NONE;

	(void)err;
	if (!was || was->arc == GRAPH_NONE)
		return true;
	if (routine != GRAPH_NONE)
		routine = map[routine];
	for (size_t i = 0; i < p->n; i++)
		if (neighbours_row_at(p, i)->part == ARC && neighbours_row_at(p, i)->caller == was->caller && neighbours_routine(p, i) == routine)
			p->cursor = i;
	return true;
}

const struct page_kind neighbours_page = { .name = "Callers", .hint = "Enter follows  a source", .open = neighbours_open, .close = neighbours_close,
	.heading = neighbours_heading, .row = neighbours_row, .routine = neighbours_routine, .carry = neighbours_carry, .by_routine = true,
	.briefest = "Call", .empty = "No routine is selected: choose one on another page, and come back." };
