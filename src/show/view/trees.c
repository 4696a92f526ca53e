/* trees.c - the pages of the two trees, unfolded where the user looks.
 *
 *     rows: the nodes to be seen, each followed by its children while it is unfolded */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "show/view/page.h"
#include "base/print.h"

enum { MOST_AT_ONCE = 1000, DEEPEST_INDENT = 24 };

struct tree_row {
	uint32_t node;		/* in the tree */
	uint32_t level;		/* 0: below the root */
	bool unfolded;		/* its children follow */
};

struct tree_page {
	struct tree_growth *growth;	/* the tree so far */
	struct tree_row *rows;		/* page.n of them */
	size_t room;			/* how many fit */
};

static const struct tree_node *node_of(const struct page *p, size_t row)
{
	const struct tree_page *t = p->state;

	return tree_growth_tree(t->growth)->nodes + t->rows[row].node;
}

/* Make room for N rows behind row AT - 1. */
static bool rows_insert(struct page *p, size_t at, size_t n)
{
	struct tree_page *t = p->state;

	if (p->n + n > t->room) {
		size_t room = 2 * t->room > p->n + n ? 2 * t->room : p->n + n;
		struct tree_row *more = reallocarray(t->rows, room, sizeof *more);

		if (!more)
			return false;
		t->rows = more;
		t->room = room;
	}
	memmove(t->rows + at + n, t->rows + at, (p->n - at) * sizeof *t->rows);
	p->n += n;
	return true;
}

/* Whether a node has a call, time, or something below it; what was zeroed by a reset has not. */
static bool is_worth(const struct tree_page *t, uint32_t node)
{
	const struct tree_node *n = tree_growth_tree(t->growth)->nodes + node;

	return n->total > 0 || n->calls > 0 || tree_growth_has_more(t->growth, node);
}

/* Put the children of NODE at row AT, at LEVEL. */
static bool children_insert(struct page *p, size_t at, uint32_t node, uint32_t level, struct error *err)
{
	struct tree_page *t = p->state;
	const struct tree_node *parent;
	size_t kept = 0;

	if (!tree_growth_open(t->growth, node, err))
		return false;
	parent = tree_growth_tree(t->growth)->nodes + node;
	if (!rows_insert(p, at, parent->nchildren))
		return error_no_memory(err, NULL);
	for (uint32_t i = 0; i < parent->nchildren; i++)
		if (is_worth(t, parent->first + i))
			t->rows[at + kept++] = (struct tree_row){ .node = parent->first + i, .level = level };
	memmove(t->rows + at + kept, t->rows + at + parent->nchildren, (p->n - at - parent->nchildren) * sizeof *t->rows);
	p->n -= parent->nchildren - kept;
	return true;
}

static bool tree_open(struct page *p, bool bottom_up, struct error *err)
{
	struct tree_page *t = calloc(1, sizeof *t);

	p->state = t;
	if (!t)
		return error_no_memory(err, NULL);
	t->growth = tree_growth_start(p->view->g, bottom_up, err);
	return t->growth && children_insert(p, 0, 0, 0, err);
}

static bool top_down_open_page(struct page *p, struct error *err)
{
	return tree_open(p, false, err);
}

static bool bottom_up_open_page(struct page *p, struct error *err)
{
	return tree_open(p, true, err);
}

static void tree_close(struct page *p)
{
	struct tree_page *t = p->state;

	if (!t)
		return;
	tree_growth_free(t->growth);
	free(t->rows);
	free(t);
}

/* Fold row ROW: the rows below it that are deeper go. */
static void trees_fold(struct page *p, size_t row)
{
	struct tree_page *t = p->state;
	size_t end = row + 1;

	while (end < p->n && t->rows[end].level > t->rows[row].level)
		end++;
	memmove(t->rows + row + 1, t->rows + end, (p->n - end) * sizeof *t->rows);
	p->n -= end - row - 1;
	t->rows[row].unfolded = false;
	if (p->cursor >= p->n)
		p->cursor = row;
}

/* What has nothing below it stays as it is. */
static bool unfold(struct page *p, size_t row, struct error *err)
{
	struct tree_page *t = p->state;
	size_t before = p->n;

	if (t->rows[row].unfolded)
		return true;
	if (!children_insert(p, row + 1, t->rows[row].node, t->rows[row].level + 1, err))
		return false;
	t->rows[row].unfolded = p->n > before;
	return true;
}

/* Unfold ROW and what is below it and has a thousandth of the run, while not too many rows come of it. */
static bool unfold_all(struct page *p, size_t row, struct error *err)
{
	struct tree_page *t = p->state;
	uint32_t level = t->rows[row].level;
	size_t before = p->n;

	for (size_t i = row; i < p->n && (i == row || t->rows[i].level > level); i++) {
		if (p->n - before > MOST_AT_ONCE) {
			snprintf(p->view->message, sizeof p->view->message, "the first %d lines were unfolded", MOST_AT_ONCE);
			break;
		}
		if (node_of(p, i)->total * 1000 >= p->view->whole && !unfold(p, i, err))
			return false;
	}
	return true;
}

static void fold_all(struct page *p)
{
	struct tree_page *t = p->state;
	size_t kept = 0;

	for (size_t i = 0; i < p->n; i++) {
		if (i == p->cursor)
			p->cursor = kept > 0 && t->rows[i].level > 0 ? kept - 1 : kept;
		if (t->rows[i].level == 0) {
			t->rows[kept] = t->rows[i];
			t->rows[kept++].unfolded = false;
		}
	}
	p->n = kept;
	p->top = 0;
}

/* - on a row that is folded goes to the row above it in the tree, as in perf. */
static void fold_or_leave(struct page *p, size_t row)
{
	struct tree_page *t = p->state;

	if (t->rows[row].unfolded) {
		trees_fold(p, row);
		return;
	}
	for (size_t i = row; i-- > 0;)
		if (t->rows[i].level < t->rows[row].level) {
			p->cursor = i;
			return;
		}
}

static bool tree_fold(struct page *p, size_t row, enum page_fold what, struct error *err)
{
	struct tree_page *t = p->state;

	switch (what) {
	case PAGE_UNFOLD:
		return unfold(p, row, err);
	case PAGE_FOLD:
		fold_or_leave(p, row);
		return true;
	case PAGE_TOGGLE:
		if (!t->rows[row].unfolded)
			return unfold(p, row, err);
		trees_fold(p, row);
		return true;
	case PAGE_UNFOLD_ALL:
		return unfold_all(p, row, err);
	case PAGE_FOLD_ALL:
		fold_all(p);
		return true;
	}
	return true;
}

/* The child of PARENT, which is open, that is called as OLD was in an earlier reading; GRAPH_NONE: there is none. */
static uint32_t child_find(const struct tree *tree, uint32_t parent, const struct tree_node *old, const uint32_t *map)
{
	const struct tree_node *p = tree->nodes + parent;
	uint32_t routine = old->routine == GRAPH_NONE ? GRAPH_NONE : map[old->routine];

	for (uint32_t i = p->first; i < p->first + p->nchildren; i++)
		if (tree->nodes[i].routine == routine && tree->nodes[i].gap == old->gap)
			return i;
	return GRAPH_NONE;
}

/* The row of NODE; p->n: it has none. */
static size_t row_find(const struct page *p, uint32_t node)
{
	const struct tree_page *t = p->state;
	size_t i = 0;

	while (i < p->n && t->rows[i].node != node)
		i++;
	return i;
}

/* Unfold what was unfolded. NODES has room for one a level of OLD: the nodes now of the row under way and those above it. */
static bool unfold_again(struct page *p, const struct page *old, const uint32_t *map, uint32_t *nodes, struct error *err)
{
	struct tree_page *t = p->state;
	const struct tree_page *before = old->state;
	uint32_t selected = GRAPH_NONE;		/* found by its node at last: rows that are inserted before it move it */

	for (size_t i = 0; i < old->n; i++) {
		const struct tree_row *r = &before->rows[i];
		uint32_t above = r->level ? nodes[r->level - 1] : 0, now;
		size_t row;

		now = above == GRAPH_NONE ? GRAPH_NONE : child_find(tree_growth_tree(t->growth), above, node_of(old, i), map);
		row = now == GRAPH_NONE ? p->n : row_find(p, now);
		nodes[r->level] = row < p->n && r->unfolded ? now : GRAPH_NONE;
		if (row < p->n && r->unfolded && !unfold(p, row, err))
			return false;
		if (i == old->cursor)
			selected = now;
	}
	p->cursor = row_find(p, selected);
	return true;
}

static bool tree_carry(struct page *p, const struct page *old, const uint32_t *map, struct error *err)
{
	const struct tree_page *before = old->state;
	uint32_t deepest = 0, *nodes;
	bool ok;

	for (size_t i = 0; i < old->n; i++)
		deepest = before->rows[i].level > deepest ? before->rows[i].level : deepest;
	nodes = calloc((size_t)deepest + 1, sizeof *nodes);
	ok = nodes && unfold_again(p, old, map, nodes, err);
	free(nodes);
	return ok || error_no_memory(err, NULL);
}

static void top_down_heading(const struct page *p, FILE *out)
{
	const struct explorer_view *v = p->view;

	page_share_heading(v, out, figure_share_heading(v->g));
	page_time_heading(v, out, "total");
	page_time_heading(v, out, "self");
	page_calls_heading(v, out, "calls");
	page_origin_heading(v, out);
	fputs("  name", out);
}

static void bottom_up_heading(const struct page *p, FILE *out)
{
	const struct explorer_view *v = p->view;

	page_share_heading(v, out, figure_share_heading(v->g));
	page_time_heading(v, out, "time");
	page_calls_heading(v, out, "calls");
	page_origin_heading(v, out);
	fprintf(out, "  routine, and %sits callers", page_is_narrow(v) ? "" : "below it ");
}

static void trees_name_print(const struct page *p, size_t row, FILE *out)
{
	const struct tree_page *t = p->state;
	const struct tree_row *r = t->rows + row;
	const struct tree_node *node = node_of(p, row);
	bool utf8 = p->view->options.style.utf8;
	uint32_t indent = r->level < DEEPEST_INDENT ? r->level : DEEPEST_INDENT;

	fprintf(out, "%*s", (int)(2 * indent), "");
	if (r->level > indent)
		fprintf(out, "(%" PRIu32 ") ", r->level + 1);
	fputs(r->unfolded ? utf8 ? "▾ " : "- " : tree_growth_has_more(t->growth, r->node) ? utf8 ? "▸ " : "+ " : "  ", out);
	fputs(node->gap ? ".. " : "", out);
	page_name(p->view, out, node->routine, node->folded);
	fputs(node->folded ? "'" : "", out);
}

static enum screen_style top_down_row(const struct page *p, size_t row, FILE *out)
{
	const struct tree_node *node = node_of(p, row);

	page_share(p->view, out, node->total, &node->evidence);
	page_time(p->view, out, node->total);
	page_time(p->view, out, node->self);
	page_calls(p->view, out, node->calls + node->above);
	page_origin(p->view, out, node->routine);
	trees_name_print(p, row, out);
	return page_style(p->view, node->total);
}

static enum screen_style bottom_up_row(const struct page *p, size_t row, FILE *out)
{
	const struct tree_node *node = node_of(p, row);

	page_share(p->view, out, node->total, &node->evidence);
	page_time(p->view, out, node->total);
	page_calls(p->view, out, node->calls + node->above);
	page_origin(p->view, out, node->routine);
	trees_name_print(p, row, out);
	return page_style(p->view, node->total);
}

static uint32_t tree_routine(const struct page *p, size_t row)
{
	return node_of(p, row)->routine;
}

const struct page_kind top_down_page = { .name = "Top-down", .brief = "Down", .hint = "Enter unfolds  c callers", .open = top_down_open_page, .close = tree_close,
	.heading = top_down_heading, .row = top_down_row, .routine = tree_routine, .carry = tree_carry, .fold = tree_fold,
	.empty = "No routine that is looked at took any time or was called." };
const struct page_kind bottom_up_page = { .name = "Bottom-up", .brief = "Up", .hint = "Enter unfolds  c callers", .open = bottom_up_open_page, .close = tree_close,
	.heading = bottom_up_heading, .row = bottom_up_row, .routine = tree_routine, .carry = tree_carry, .fold = tree_fold,
	.empty = "No routine that is looked at took any time or was called." };
