/* sequences.c - the pages of cycles and of recurring sequences: a row for each, and below it its routines while it is unfolded. */
#include <inttypes.h>
#include <stdlib.h>

#include "show/view/page.h"
#include "base/print.h"

enum { MOST_PATHS = 1000, CONTEXTS = 8 };		/* sequences; columns */

/* A cycle or a sequence. */
struct sequence {
	uint64_t time;		/* ns */
	struct overhead_evidence evidence; /* what samples say of it */
	uint64_t calls;		/* that close the cycle, or make the last call */
	uint32_t contexts;	/* a sequence's; 0: a cycle */
	uint32_t first;		/* its routines are entries[first .. first + length) */
	uint32_t length;	/* how many */
	bool unfolded;		/* they follow */
};

/* A row: a sequence, or one of its routines. */
struct sequence_row {
	uint32_t sequence;	/* index */
	uint32_t member;	/* 0: the sequence itself; else its routine number `member`, from 1 */
};

struct sequence_page {
	struct sequence *sequences;
	size_t n;			/* how many */
	cycle_entry *entries;		/* of all: routine, and whether the link to the next is known */
	struct sequence_row *rows;	/* page.n of them; there is room for all */
	bool cycles;			/* they close */
};

/* Lay out the rows anew. */
static void sequences_rows_make(struct page *p)
{
	struct sequence_page *s = p->state;

	p->n = 0;
	for (uint32_t i = 0; i < s->n; i++) {
		s->rows[p->n++] = (struct sequence_row){ .sequence = i };
		for (uint32_t k = 1; s->sequences[i].unfolded && k <= s->sequences[i].length; k++)
			s->rows[p->n++] = (struct sequence_row){ .sequence = i, .member = k };
	}
	if (p->cursor >= p->n)
		p->cursor = p->n ? p->n - 1 : 0;
}

static struct sequence_page *sequences_new(struct page *p, size_t n, size_t entries, bool cycles)
{
	struct sequence_page *s = calloc(1, sizeof *s);

	p->state = s;
	if (!s)
		return NULL;
	s->cycles = cycles;
	s->sequences = calloc(n + 1, sizeof *s->sequences);
	s->entries = calloc(entries + 1, sizeof *s->entries);
	s->rows = calloc(n + entries + 1, sizeof *s->rows);
	return s->sequences && s->entries && s->rows ? s : NULL;
}

static bool cycles_open(struct page *p, struct error *err)
{
	const struct graph *g = p->view->g;
	struct sequence_page *s;
	size_t entries = 0;

	for (uint32_t i = 0; i < g->ncycles; i++)
		entries += g->cycles[i].length;
	s = sequences_new(p, g->ncycles, entries, true);
	if (!s)
		return error_no_memory(err, NULL);
	for (size_t i = 0, at = 0; i < g->ncycles; i++) {
		const struct graph_cycle *c = g->cycles + i;

		s->sequences[s->n++] = (struct sequence){ .time = c->time, .evidence = c->evidence, .calls = c->calls, .first = at, .length = c->length };
		for (uint32_t k = 0; k < c->length; k++)
			s->entries[at++] = g->cycle_entries[c->first + k];
	}
	sequences_rows_make(p);
	return true;
}

static bool paths_fill(struct page *p, const struct paths *found)
{
	struct sequence_page *s;
	size_t entries = 0;

	for (size_t i = 0; i < found->n; i++)
		entries += found->paths[i].length;
	s = sequences_new(p, found->n, entries, false);
	if (!s)
		return false;
	for (size_t i = 0, at = 0; i < found->n; i++) {
		const struct graph_path *path = found->paths + i;

		s->sequences[s->n++] = (struct sequence){ .time = path->time, .evidence = path->evidence, .calls = path->calls,
			.contexts = path->contexts, .first = at, .length = path->length };
		for (uint32_t k = 0; k < path->length; k++)
			s->entries[at++] = cycle_entry_of(found->routines[path->first + k], true);
	}
	sequences_rows_make(p);
	return true;
}

static bool paths_open(struct page *p, struct error *err)
{
	struct paths *found = paths_find(p->view->g, &(struct paths_options){ .most = MOST_PATHS, .min_time = p->view->whole / 10000 }, err);
	bool ok = found && (paths_fill(p, found) || error_no_memory(err, NULL));

	paths_free(found);
	return ok;
}

static void sequences_close(struct page *p)
{
	struct sequence_page *s = p->state;

	if (!s)
		return;
	free(s->sequences);
	free(s->entries);
	free(s->rows);
	free(s);
}

/* From a routine of a sequence, - goes up to the sequence. */
static bool sequences_fold(struct page *p, size_t row, enum page_fold what, struct error *err)
{
	struct sequence_page *s = p->state;
	struct sequence *sequence = s->sequences + s->rows[row].sequence;

	(void)err;
	switch (what) {
	case PAGE_UNFOLD:
		sequence->unfolded = true;
		break;
	case PAGE_FOLD:
		p->cursor -= s->rows[row].member;
		sequence->unfolded = false;
		break;
	case PAGE_TOGGLE:
		p->cursor -= s->rows[row].member;
		sequence->unfolded = !sequence->unfolded;
		break;
	case PAGE_UNFOLD_ALL:
	case PAGE_FOLD_ALL:
		p->cursor = p->top = 0;
		for (size_t i = 0; i < s->n; i++)
			s->sequences[i].unfolded = what == PAGE_UNFOLD_ALL;
	}
	sequences_rows_make(p);
	return true;
}

/* Whether A of S and B of T, an earlier reading, lead through the same routines. */
static bool sequences_is_same(const struct sequence_page *s, const struct sequence *a, const struct sequence_page *t, const struct sequence *b, const uint32_t *map)
{
	if (a->length != b->length)
		return false;
	for (uint32_t k = 0; k < a->length; k++) {
		cycle_entry x = s->entries[a->first + k], y = t->entries[b->first + k];

		if (cycle_routine(x) != map[cycle_routine(y)] || cycle_link_known(x) != cycle_link_known(y))
			return false;
	}
	return true;
}

/* The number of what was OLD of T in an earlier reading; s->n: it is not there. */
static uint32_t sequence_find(const struct sequence_page *s, const struct sequence_page *t, const struct sequence *old, const uint32_t *map)
{
	uint32_t i = 0;

	while (i < s->n && !sequences_is_same(s, &s->sequences[i], t, old, map))
		i++;
	return i;
}

static bool sequences_carry(struct page *p, const struct page *old, const uint32_t *map, struct error *err)
{
	struct sequence_page *s = p->state;
	const struct sequence_page *before = old->state;
	struct sequence_row at = old->n > 0 ? before->rows[old->cursor] : (struct sequence_row){ 0 };
	uint32_t selected = old->n > 0 ? sequence_find(s, before, &before->sequences[at.sequence], map) : 0;

	(void)err;
	for (size_t i = 0; i < before->n; i++) {
		uint32_t now = before->sequences[i].unfolded ? sequence_find(s, before, &before->sequences[i], map) : (uint32_t)s->n;

		if (now < s->n)
			s->sequences[now].unfolded = true;
	}
	sequences_rows_make(p);
	for (size_t i = 0; i < p->n; i++)
		if (s->rows[i].sequence == selected && s->rows[i].member == at.member)
			p->cursor = i;
	return true;
}

static void cycles_heading(const struct page *p, FILE *out)
{
	page_share_heading(p->view, out, figure_share_heading(p->view->g));
	page_time_heading(p->view, out, "time");
	page_calls_heading(p->view, out, "calls");
	fputs("  cycle", out);
}

static void paths_heading(const struct page *p, FILE *out)
{
	page_share_heading(p->view, out, figure_share_heading(p->view->g));
	page_time_heading(p->view, out, "time");
	page_calls_heading(p->view, out, "calls");
	if (!page_is_narrow(p->view))
		fprintf(out, "%*s ", CONTEXTS, "contexts");
	fputs("  sequence", out);
}

static enum screen_style member_row(const struct page *p, const struct sequence *q, uint32_t member, FILE *out)
{
	const struct sequence_page *s = p->state;
	cycle_entry e = s->entries[q->first + member - 1];

	fprintf(out, "%*s", page_share_width(p->view) + 5 + (s->cycles || page_is_narrow(p->view) ? 0 : CONTEXTS + 1), "");
	page_gap(p->view, out, 1, 1);
	fputs(member == 1 ? "   " : cycle_link_known(s->entries[q->first + member - 2]) ? "-> " : ".. ", out);
	page_name(p->view, out, cycle_routine(e), 0);
	return SCREEN_PLAIN;
}

static enum screen_style sequences_row(const struct page *p, size_t row, FILE *out)
{
	const struct sequence_page *s = p->state;
	const struct sequence *q = s->sequences + s->rows[row].sequence;
	const cycle_entry *e = s->entries + q->first;
	bool utf8 = p->view->options.style.utf8;

	if (s->rows[row].member)
		return member_row(p, q, s->rows[row].member, out);
	page_share(p->view, out, q->time, &q->evidence);
	page_time(p->view, out, q->time);
	page_calls(p->view, out, q->calls);
	if (!s->cycles && !page_is_narrow(p->view))
		fprintf(out, "%*" PRIu32 " ", CONTEXTS, q->contexts);
	fputs(q->unfolded ? utf8 ? "▾ " : "- " : utf8 ? "▸ " : "+ ", out);
	for (uint32_t k = 0; k < q->length; k++) {
		fputs(k == 0 ? "" : cycle_link_known(e[k - 1]) ? " -> " : " .. ", out);
		page_brief(p->view, out, cycle_routine(e[k]));
	}
	if (s->cycles) {
		fputs(cycle_link_known(e[q->length - 1]) ? " -> " : " .. ", out);
		page_brief(p->view, out, cycle_routine(e[0]));
	}
	return page_style(p->view, q->time);
}

/* A sequence stands for its last routine, a cycle for its first. */
static uint32_t sequences_routine(const struct page *p, size_t row)
{
	const struct sequence_page *s = p->state;
	const struct sequence *q = s->sequences + s->rows[row].sequence;
	uint32_t member = s->rows[row].member;

	return cycle_routine(s->entries[q->first + (member ? member - 1 : s->cycles ? 0 : q->length - 1)]);
}

const struct page_kind cycles_page = { .name = "Cycles", .hint = "Enter unfolds  c callers", .open = cycles_open, .close = sequences_close, .heading = cycles_heading,
	.row = sequences_row, .routine = sequences_routine, .carry = sequences_carry, .fold = sequences_fold, .briefest = "Cycl",
	.empty = "No cycle was traversed: no routine was entered again through another while it was active. Direct recursion is not listed: a routine's own page has it." };
const struct page_kind paths_page = { .name = "Paths", .hint = "Enter unfolds  c callers", .open = paths_open, .close = sequences_close, .heading = paths_heading,
	.row = sequences_row, .routine = sequences_routine, .carry = sequences_carry, .fold = sequences_fold, .briefest = "Path",
	.empty = "No sequence of calls recurs: none of three routines or more has 0.01 % of the run, and stands in several places of the tree." };
