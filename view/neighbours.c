/* neighbours.c - the page of one routine: its callers above, its callees below, as in gprof's listing.
 *
 *     rows: callers, smallest first | the routine | callees, largest first */
#include <inttypes.h>
#include <stdlib.h>

#include "report/entry.h"
#include "text/print.h"
#include "view/page.h"

struct neighbours {
	uint32_t *arcs;		/* indices in graph.arcs: of the callers, then of the callees */
	uint32_t ncallers;	/* how many of the first kind */
};

static uint64_t incoming(const struct graph_arc *a)
{
	return a->self2 + a->child2;
}

static uint64_t outgoing(const struct graph_arc *a)
{
	return a->self1 + a->child1;
}

static bool neighbours_open(struct page *p, struct error *err)
{
	const struct graph *g = p->view->g;
	const struct graph_routine *r = g->routines + p->about;
	struct neighbours *n = calloc(1, sizeof *n);

	p->state = n;
	p->n = 0;
	if (p->about == GRAPH_NONE)
		return true;
	if (n)
		n->arcs = calloc((size_t)r->nin + r->nout + 1, sizeof *n->arcs);
	if (!n || !n->arcs)
		return page_no_memory(err);
	n->ncallers = entry_callers(g, r, n->arcs);
	entry_callees(g, r, n->arcs + n->ncallers);
	p->n = (size_t)r->nin + 1 + r->nout;
	p->cursor = r->nin;
	p->top = p->cursor > 6 ? p->cursor - 6 : 0;
	return true;
}

static void neighbours_close(struct page *p)
{
	struct neighbours *n = p->state;

	if (n)
		free(n->arcs);
	free(n);
}

/* The arc of a row; NULL: the routine itself. */
static const struct graph_arc *arc_of(const struct page *p, size_t row)
{
	const struct neighbours *n = p->state;

	return row == n->ncallers ? NULL : p->view->g->arcs + n->arcs[row < n->ncallers ? row : row - 1];
}

static void neighbours_heading(const struct page *p, FILE *out)
{
	const struct explorer_view *v = p->view;

	page_share_heading(v, out, "% time");
	if (page_is_narrow(v))
		fputs("name", out);
	else
		fprintf(out, "%*s %*s %*s/%-*s name", PRINT_TIME, "self", PRINT_TIME, "children", v->calls, "calls", v->calls, "total");
}

static void figures(const struct explorer_view *v, FILE *out, uint64_t self, uint64_t children, const struct overhead_evidence *evidence)
{
	page_share(v, out, self + children, evidence);
	if (page_is_narrow(v))
		return;
	page_time(out, self);
	page_time(out, children);
}

static enum screen_style own_row(const struct page *p, FILE *out)
{
	const struct graph_routine *r = p->view->g->routines + p->about;
	int n = 0;

	figures(p->view, out, r->self, r->total - r->self, &r->total_evidence);
	if (!page_is_narrow(p->view)) {
		n = p->view->g->counted ? fprintf(out, "%*" PRIu64, p->view->calls, r->calls) : 0;
		if (r->recursive)
			n += fprintf(out, "+%" PRIu64, r->recursive);
		fprintf(out, "%*s", n < 2 * p->view->calls + 2 ? 2 * p->view->calls + 2 - n : 1, "");
	}
	page_name(p->view, out, p->about);
	return SCREEN_STRONG;
}

/* A caller, or a callee, is indented. */
static enum screen_style neighbours_row(const struct page *p, size_t row, FILE *out)
{
	const struct graph_arc *a = arc_of(p, row);
	const struct explorer_view *v = p->view;
	bool caller = row < ((const struct neighbours *)p->state)->ncallers;

	if (!a)
		return own_row(p, out);
	if (caller)
		figures(v, out, a->self2, a->child2, &a->evidence2);
	else
		figures(v, out, a->self1, a->child1, &a->evidence1);
	if (!page_is_narrow(v) && v->g->counted)
		fprintf(out, "%*" PRIu64 "/%-*" PRIu64 " ", v->calls, a->calls, v->calls, v->g->routines[a->to].calls);
	else if (!page_is_narrow(v))
		fprintf(out, "%*s", 2 * v->calls + 2, "");
	fputs("    ", out);
	page_name(v, out, caller ? a->from : a->to);
	return page_style(v, caller ? incoming(a) : outgoing(a));
}

static uint32_t neighbours_routine(const struct page *p, size_t row)
{
	const struct graph_arc *a = arc_of(p, row);

	return !a ? p->about : row < ((const struct neighbours *)p->state)->ncallers ? a->from : a->to;
}

/* The row of the caller or callee that the cursor was on. */
static bool neighbours_carry(struct page *p, const struct page *old, const uint32_t *map, struct error *err)
{
	uint32_t routine = old->n > 0 ? neighbours_routine(old, old->cursor) : GRAPH_NONE;
	bool caller = old->n > 0 && old->cursor < ((const struct neighbours *)old->state)->ncallers;

	(void)err;
	if (old->n == 0 || !arc_of(old, old->cursor))
		return true;
	if (routine != GRAPH_NONE)
		routine = map[routine];
	for (size_t i = 0; i < p->n; i++)
		if (arc_of(p, i) && (i < ((const struct neighbours *)p->state)->ncallers) == caller && neighbours_routine(p, i) == routine)
			p->cursor = i;
	return true;
}

const struct page_kind neighbours_page = { .name = "Callers", .open = neighbours_open, .close = neighbours_close,
	.heading = neighbours_heading, .row = neighbours_row, .routine = neighbours_routine, .carry = neighbours_carry, .by_routine = true };
