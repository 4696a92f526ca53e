/* findings.c - the page of what aprof hot finds: where the time is, and where to look first.
 *
 *     rows: a title | its routines, the heaviest first, each followed by its callers | the next title
 *
 * All shares are of the run, so that rows can be held against each other. */
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/print.h"
#include "show/view/page.h"

enum { CALLERS = 4, TOP_CALLERS = 1 };	/* of a routine that are listed: of a case, and of the heaviest of all */

enum finding_part { TITLE, FINDING, CALLER, SEQUENCE, MEMBER };

struct finding_row {
	enum finding_part part;
	const char *title;		/* TITLE: what follows */
	uint32_t routine;		/* index in graph.routines; GRAPH_NONE: none, or it has no hooks */
	const char *name;		/* of a routine without hooks; NULL: that of `routine` */
	const char *place;		/* its module's file name; NULL: the program's */
	const char *callee;		/* of a routine whose time is one callee's; else NULL */
	uint64_t time;			/* ns */
	struct overhead_evidence evidence; /* what samples say of time */
	uint64_t calls;			/* 0: not known */
};

struct findings {
	struct hot_cases cases;
	struct finding_row *rows;	/* page.n of them */
	size_t room;			/* how many fit */
};

static bool view_findings_add(struct page *p, struct finding_row row)
{
	struct findings *f = p->state;

	if (!array_grow(&f->rows, &f->room, p->n, sizeof *f->rows))
		return false;
	f->rows[p->n++] = row;
	return true;
}

static bool title_add(struct page *p, const char *title)
{
	return view_findings_add(p, (struct finding_row){ .part = TITLE, .title = title, .routine = GRAPH_NONE });
}

static bool hot_add(struct page *p, const struct hot *hot, uint32_t callers)
{
	bool ok = view_findings_add(p, (struct finding_row){ .part = FINDING, .routine = hot->routine, .name = hot->name, .place = hot->place,
		.time = hot->time,
		.evidence = hot->evidence, .calls = hot->calls });

	for (uint32_t i = 0; ok && i < hot->ncallers && i < callers; i++) {
		const struct hot_caller *c = hot->callers + i;

		ok = view_findings_add(p, (struct finding_row){ .part = CALLER, .routine = c->routine, .time = c->time, .evidence = c->evidence, .calls = c->calls });
	}
	return ok;
}

/* The first MOST of LIST, each with so many CALLERS. */
static bool findings_list_add(struct page *p, const char *title, const struct hot_list *list, size_t most, uint32_t callers)
{
	bool ok = list->n == 0 || title_add(p, title);

	for (size_t i = 0; ok && i < list->n && i < most; i++)
		ok = hot_add(p, list->hot + i, callers);
	return ok;
}

static bool case_add(struct page *p, enum hot_case which, const struct hot_list *list)
{
	return findings_list_add(p, hot_title(&((const struct findings *)p->state)->cases, which), list, HOT_LISTED + 1, CALLERS);
}

static bool sequence_add(struct page *p)
{
	const struct findings *f = p->state;
	const struct graph_path *path = hot_cases_path(&f->cases);
	bool ok;

	if (!path)
		return true;
	ok = title_add(p, hot_title(&f->cases, HOT_SEQUENCE)) && view_findings_add(p, (struct finding_row){ .part = SEQUENCE, .routine = f->cases.paths->routines[path->first + path->length - 1], .time = path->time,
		.evidence = path->evidence, .calls = path->calls });
	for (uint32_t i = 0; ok && i < path->length; i++)
		ok = view_findings_add(p, (struct finding_row){ .part = MEMBER, .routine = f->cases.paths->routines[path->first + i] });
	return ok;
}

static bool errand_add(struct page *p)
{
	const struct hot_errand *e = &((const struct findings *)p->state)->cases.errand;
	const struct graph_routine *r = p->view->g->routines + e->routine;

	return !e->callee || (title_add(p, hot_title(&((const struct findings *)p->state)->cases, HOT_ERRAND))
		&& view_findings_add(p, (struct finding_row){ .part = FINDING, .routine = e->routine, .callee = e->callee, .time = r->total, .evidence = r->total_evidence,
			.calls = r->calls }));
}

static bool findings_open(struct page *p, struct error *err)
{
	struct findings *f = calloc(1, sizeof *f);
	bool ok;

	p->state = f;
	if (!f)
		return error_no_memory(err, NULL);
	if (!hot_cases_find(&f->cases, p->view->in, err))
		return false;
	ok = findings_list_add(p, hot_list_title(&f->cases, true), &f->cases.by_own, HOT_TOP, TOP_CALLERS) &&
		findings_list_add(p, hot_list_title(&f->cases, false), &f->cases.by_total, HOT_TOP, TOP_CALLERS) && case_add(p, HOT_HEAVY, &f->cases.heavy) &&
		case_add(p, HOT_LIBRARY, &f->cases.library) && sequence_add(p) && errand_add(p);
	p->cursor = p->n > 1;
	return ok || error_no_memory(err, NULL);
}

static void findings_close(struct page *p)
{
	struct findings *f = p->state;

	if (f) {
		hot_cases_free(&f->cases);
		free(f->rows);
	}
	free(f);
}

static const struct finding_row *findings_row_at(const struct page *p, size_t row)
{
	return &((const struct findings *)p->state)->rows[row];
}

/* The row of the same kind and routine, else as far down. */
static bool findings_carry(struct page *p, const struct page *old, const uint32_t *map, struct error *err)
{
	const struct finding_row *was = old->n > 0 ? findings_row_at(old, old->cursor) : NULL;

	(void)err;
	p->cursor = old->cursor;
	for (size_t i = 0; was && was->routine != GRAPH_NONE && i < p->n; i++)
		if (findings_row_at(p, i)->part == was->part && findings_row_at(p, i)->routine == map[was->routine]) {
			p->cursor = i;
			break;
		}
	return true;
}

static void findings_heading(const struct page *p, FILE *out)
{
	page_share_heading(p->view, out, figure_share_heading(p->view->g));
	page_time_heading(p->view, out, "time");
	page_calls_heading(p->view, out, "calls");
	fputs("where to look first", out);
}

static void findings_figures(const struct explorer_view *v, const struct finding_row *row, FILE *out)
{
	page_share(v, out, row->time, &row->evidence);
	page_time(v, out, row->time);
	if (row->calls)
		page_calls(v, out, row->calls);
	else
		page_gap(v, out, 0, 1);
}

/* A -> B -> C, the short names. */
static void findings_sequence_print(const struct page *p, FILE *out)
{
	const struct findings *f = p->state;
	const struct graph_path *path = hot_cases_path(&f->cases);

	for (uint32_t i = 0; i < path->length; i++) {
		fputs(i ? " -> " : "", out);
		page_brief(p->view, out, f->cases.paths->routines[path->first + i]);
	}
}

static void finding_name(const struct explorer_view *v, const struct finding_row *row, FILE *out)
{
	const struct text_style *style = &v->options.style;
	int behind = row->place ? (int)strlen(row->place) + 5 : 0;

	if (row->callee) {
		page_brief(v, out, row->routine);
		fputs(" -> ", out);
		print_brief(out, row->callee, NULL, style);
	} else if (row->routine != GRAPH_NONE) {
		page_name(v, out, row->routine, behind);
	} else {
		print_name_beside(out, row->name, style, page_column(v, out) + behind);
	}
	if (row->place) {
		fputs(" in ", out);
		print_name(out, row->place, style);
	}
}

static enum screen_style findings_row(const struct page *p, size_t index, FILE *out)
{
	const struct finding_row *row = findings_row_at(p, index);
	const struct explorer_view *v = p->view;

	switch (row->part) {
	case TITLE:
		fputs(row->title, out);
		return SCREEN_STRONG;
	case MEMBER:
		fprintf(out, "%*s ", page_share_width(v), "");
		page_gap(v, out, 1, 1);
		fputs("    ", out);
		page_name(v, out, row->routine, 0);
		return SCREEN_PLAIN;
	default:
		break;
	}
	findings_figures(v, row, out);
	if (row->part == SEQUENCE) {
		findings_sequence_print(p, out);
	} else if (row->part == CALLER) {
		fputs("    for ", out);
		page_name(v, out, row->routine, 0);
	} else {
		finding_name(v, row, out);
	}
	return row->part == CALLER ? SCREEN_PLAIN : page_style(v, row->time);
}

static uint32_t findings_routine(const struct page *p, size_t row)
{
	return findings_row_at(p, row)->routine;
}

const struct page_kind hot_page = { .name = "Hot", .hint = "Enter callers  a source", .open = findings_open, .close = findings_close,
	.heading = findings_heading, .row = findings_row, .routine = findings_routine, .carry = findings_carry };
