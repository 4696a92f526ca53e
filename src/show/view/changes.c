/* changes.c - the page of what changed between two sides, as aprof diff judges it.
 *
 *     rows: lines of the head | for each kind its title, and, while it is unfolded, its items: what is news first */
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/print.h"
#include "show/diff/output.h"
#include "show/view/page.h"

enum { WIDE = 120, CELL = 64, CHANGE = 9, CALLS = 10 };		/* columns of a screen that has room for all; bytes of a cell; columns */

/* A row: a line of the head, the title of a kind, or an item. */
struct change_row {
	enum { HEAD, TITLE, ITEM } part;
	enum comparison_kind kind;	/* of the others */
	uint32_t index;			/* HEAD: where the line begins; ITEM: in the kind's items[] */
};

struct changes {
	enum diff_sort sort;
	uint32_t *order[COMPARISON_KINDS];	/* of items, by `sort`; NULL: the kind is not compared */
	bool unfolded[COMPARISON_KINDS];
	uint32_t *routines;		/* of each of the comparison's: the graph's, or GRAPH_NONE */
	char *head;			/* lines, each ended by a NUL */
	struct change_row *rows;	/* page.n of them */
	size_t room;			/* how many fit */
};

static const struct comparison *compared(const struct page *p)
{
	return p->view->compared->comparison;
}

static bool changes_add(struct page *p, struct change_row row)
{
	struct changes *s = p->state;

	if (!array_grow(&s->rows, &s->room, p->n, sizeof *s->rows))
		return false;
	s->rows[p->n++] = row;
	return true;
}

/* The head, in lines as wide as the screen. */
static bool changes_head_make(struct page *p)
{
	struct changes *s = p->state;
	struct diff_options options = { .report = p->view->options };
	size_t size;
	FILE *out;

	options.report.style.colour = false;
	free(s->head);
	s->head = NULL;
	out = open_memstream(&s->head, &size);
	if (!out)
		return false;
	diff_head(compared(p), &options, out);
	putc('\0', out);
	if (fclose(out) != 0)
		return false;
	for (char *c = s->head; (c = strchr(c, '\n')); c++)
		*c = '\0';
	return true;
}

static bool changes_rows_make(struct page *p)
{
	struct changes *s = p->state;
	const struct comparison *c = compared(p);
	bool ok = true;

	p->n = 0;
	for (const char *line = s->head; ok && *line; line += strlen(line) + 1)
		ok = changes_add(p, (struct change_row){ .part = HEAD, .index = (uint32_t)(line - s->head) });
	for (int k = 0; ok && k < COMPARISON_KINDS; k++) {
		const struct comparison_items *items = &c->kinds[k];

		if (!s->order[k])
			continue;
		ok = changes_add(p, (struct change_row){ .part = TITLE, .kind = (enum comparison_kind)k });
		for (uint32_t i = 0; ok && s->unfolded[k] && i < items->n; i++)
			if (items->items[s->order[k][i]].counted)
				ok = changes_add(p, (struct change_row){ ITEM, (enum comparison_kind)k, s->order[k][i] });
	}
	return ok;
}

static bool order_make_all(struct page *p)
{
	struct changes *s = p->state;
	const struct comparison *c = compared(p);

	for (int k = 0; k < COMPARISON_KINDS; k++) {
		free(s->order[k]);
		s->order[k] = NULL;
		if (c->kinds[k].n == 0 || (k == COMPARISON_SITES && !c->sites))
			continue;
		s->order[k] = output_order(&c->kinds[k], s->sort);
		if (!s->order[k])
			return false;
	}
	return true;
}

/* Find which of the graph's routines are those of the comparison: of several that are one item the first. */
static bool changes_routines_find(struct page *p)
{
	struct changes *s = p->state;
	const struct graph *g = p->view->g;
	const struct comparison_items *items = &compared(p)->kinds[COMPARISON_ROUTINES];
	struct comparison_places places;
	struct error err;
	bool ok = comparison_places_find(&places, compared(p), g, NULL, &err);

	s->routines = calloc((size_t)items->n + 1, sizeof *s->routines);
	ok &= s->routines != NULL;
	for (uint32_t i = 0; ok && i < items->n; i++)
		s->routines[i] = GRAPH_NONE;
	for (uint32_t r = g->nroutines; ok && r-- > 0;)
		if (places.routine[r] != GRAPH_NONE)
			s->routines[places.routine[r]] = r;
	comparison_places_free(&places);
	return ok;
}

static bool changes_open(struct page *p, struct error *err)
{
	struct changes *s = calloc(1, sizeof *s);

	p->state = s;
	p->n = 0;
	if (!s)
		return error_no_memory(err, NULL);
	s->unfolded[COMPARISON_ROUTINES] = true;
	if (!changes_head_make(p) || !order_make_all(p) || !changes_routines_find(p) || !changes_rows_make(p))
		return error_no_memory(err, NULL);
	while (p->cursor + 1 < p->n && s->rows[p->cursor].part != ITEM)
		p->cursor++;
	return true;
}

static void changes_close(struct page *p)
{
	struct changes *s = p->state;

	if (!s)
		return;
	for (int k = 0; k < COMPARISON_KINDS; k++)
		free(s->order[k]);
	free(s->routines);
	free(s->head);
	free(s->rows);
	free(s);
}

static const struct change_row *changes_row_at(const struct page *p, size_t row)
{
	return &((const struct changes *)p->state)->rows[row];
}

/* The row of the same title or item. */
static void cursor_to(struct page *p, const struct change_row *wanted)
{
	for (size_t i = 0; i < p->n; i++) {
		const struct change_row *row = changes_row_at(p, i);

		if (row->part == wanted->part && row->kind == wanted->kind && row->index == wanted->index)
			p->cursor = i;
	}
}

static bool changes_carry(struct page *p, const struct page *old, const uint32_t *map, struct error *err)
{
	struct changes *s = p->state;
	const struct changes *before = old->state;

	(void)map;
	s->sort = before->sort;
	memcpy(s->unfolded, before->unfolded, sizeof s->unfolded);
	if (!order_make_all(p) || !changes_rows_make(p))
		return error_no_memory(err, NULL);
	if (old->n > 0)
		cursor_to(p, changes_row_at(old, old->cursor));
	return true;
}

static bool changes_resize(struct page *p, struct error *err)
{
	struct change_row at = p->n > 0 ? *changes_row_at(p, p->cursor) : (struct change_row){ .part = HEAD };

	if (!changes_head_make(p) || !changes_rows_make(p))
		return error_no_memory(err, NULL);
	cursor_to(p, &at);
	return true;
}

static void changes_sort(struct page *p)
{
	struct changes *s = p->state;

	s->sort = s->sort == DIFF_BY_PER_CALL ? DIFF_BY_SELF : (enum diff_sort)(s->sort + 1);
	if (s->sort >= DIFF_BY_CALLS && !p->view->g->counted)
		s->sort = DIFF_BY_SELF;
	if (order_make_all(p))
		changes_rows_make(p);
}

/* Titles unfold; from an item - goes up to its title.  Other rows stay as they are. */
static bool changes_fold(struct page *p, size_t row, enum page_fold what, struct error *err)
{
	struct changes *s = p->state;
	struct change_row at = *changes_row_at(p, row);

	if (what == PAGE_UNFOLD_ALL || what == PAGE_FOLD_ALL)
		memset(s->unfolded, what == PAGE_UNFOLD_ALL, sizeof s->unfolded);
	else if (at.part == TITLE)
		s->unfolded[at.kind] = what == PAGE_UNFOLD || (what == PAGE_TOGGLE && !s->unfolded[at.kind]);
	if (at.part == ITEM && (what == PAGE_FOLD || what == PAGE_FOLD_ALL))
		at = (struct change_row){ .part = TITLE, .kind = at.kind };
	if (!changes_rows_make(p))
		return error_no_memory(err, NULL);
	cursor_to(p, &at);
	return true;
}

/* An item leads to its routine, as on other pages; a title unfolds. */
static bool changes_enter(struct page *p, size_t row)
{
	struct error err;

	return changes_row_at(p, row)->part != ITEM && changes_fold(p, row, PAGE_TOGGLE, &err);
}

static void changes_heading(const struct page *p, FILE *out)
{
	const struct explorer_view *v = p->view;
	bool calls = compared(p)->runs[0].counted, narrow = page_is_narrow(v), wide = v->options.style.width >= WIDE;

	if (!narrow)
		fprintf(out, "%*s ", PRINT_TIME, "self");
	fprintf(out, "%*s ", CHANGE, "change");
	if (wide)
		fprintf(out, "%*s %*s ", PRINT_TIME, "+-", PRINT_TIME, "total");
	if (!narrow)
		fprintf(out, "%*s ", CHANGE, wide ? "change" : "of total");
	if (wide && calls)
		fprintf(out, "%*s ", CALLS, "calls");
	if (calls)
		fprintf(out, "%*s ", CHANGE, wide ? "change" : "of calls");
	if (wide && calls)
		fprintf(out, "%*s ", CHANGE, "per call");
	fputs(" name", out);
}

/* The cells of ITEM below that heading, the same as diff prints. */
static void cells_print(const struct page *p, const struct comparison_item *item, FILE *out)
{
	const struct explorer_view *v = p->view;
	bool calls = compared(p)->runs[0].counted, narrow = page_is_narrow(v), wide = v->options.style.width >= WIDE;
	const struct change *change = &item->change[COMPARISON_SELF];
	char cell[CELL] = "";

	if (!narrow) {
		print_amount(out, item->sides[COMPARISON_SELF].fresh, comparison_unit(compared(p)), PRINT_TIME);
		putc(' ', out);
	}
	output_time_change(compared(p), cell, sizeof cell, item, COMPARISON_SELF);
	fprintf(out, "%*s ", CHANGE, cell);
	if (wide) {
		fprintf(out, "%*s ", PRINT_TIME, item->news[COMPARISON_SELF] && change->error > 0 ? print_amount_text(cell, change->error, comparison_unit(compared(p))) : "");
		print_amount(out, item->sides[COMPARISON_TOTAL].fresh, comparison_unit(compared(p)), PRINT_TIME);
		putc(' ', out);
	}
	if (!narrow) {
		output_time_change(compared(p), cell, sizeof cell, item, COMPARISON_TOTAL);
		fprintf(out, "%*s ", CHANGE, cell);
	}
	if (!calls)
		return;
	output_calls(cell, sizeof cell, item->calls.fresh, false);
	if (wide)
		fprintf(out, "%*s ", CALLS, cell);
	output_calls_change(cell, sizeof cell, item);
	fprintf(out, "%*s ", CHANGE, cell);
	output_per_call_change(cell, sizeof cell, item);
	if (wide)
		fprintf(out, "%*s ", CHANGE, cell);
}

static void item_print(const struct page *p, enum comparison_kind kind, const struct comparison_item *item, FILE *out)
{
	const struct text_style *style = &p->view->options.style;
	const char *only = p->view->options.style.width >= WIDE ? output_remark(compared(p), item) : output_only(item);

	cells_print(p, item, out);
	putc(' ', out);
	if (kind == COMPARISON_ROUTINES)
		print_brief_beside(out, item->name, item->brief, style, page_column(p->view, out) + (int)strlen(only));
	else if (!output_item(compared(p), kind, item, style, out))
		fputs("(out of memory)", out);
	fputs(only, out);
}

static enum screen_style changes_row(const struct page *p, size_t index, FILE *out)
{
	const struct changes *s = p->state;
	const struct change_row *row = changes_row_at(p, index);
	const struct comparison_item *item;
	bool utf8 = p->view->options.style.utf8;

	if (row->part == HEAD) {
		fputs(s->head + row->index, out);
		return SCREEN_PLAIN;
	}
	if (row->part == TITLE) {
		fputs(s->unfolded[row->kind] ? utf8 ? "▾ " : "- " : utf8 ? "▸ " : "+ ", out);
		output_title(compared(p), row->kind, s->sort, out);
		return SCREEN_STRONG;
	}
	item = &compared(p)->kinds[row->kind].items[row->index];
	item_print(p, row->kind, item, out);
	return comparison_is_news(item) ? SCREEN_PLAIN : SCREEN_DIM;
}

/* The routine itself, or the called one. */
static uint32_t changes_routine(const struct page *p, size_t index)
{
	const struct changes *s = p->state;
	const struct change_row *row = changes_row_at(p, index);
	uint32_t to;

	if (row->part != ITEM)
		return GRAPH_NONE;
	to = row->kind == COMPARISON_ROUTINES ? row->index : compared(p)->kinds[row->kind].items[row->index].to;
	return to == GRAPH_NONE ? GRAPH_NONE : s->routines[to];
}

const struct page_kind changes_page = { .name = "Changes", .brief = "Diff", .hint = "Enter callers  x the other side", .open = changes_open,
	.close = changes_close, .heading = changes_heading, .row = changes_row, .routine = changes_routine, .fold = changes_fold, .enter = changes_enter,
	.resize = changes_resize, .sort = changes_sort, .carry = changes_carry, .empty = "Nothing was compared." };
