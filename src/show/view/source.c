/* source.c - the page of a routine's source, with the time of its lines and the calls that start there.
 *
 *     rows: the lines of the source, each followed by its callees | callees of no known line */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <string.h>

#include "base/escape.h"
#include "show/view/page.h"
#include "show/report/report.h"
#include "show/report/share.h"
#include "base/print.h"

enum { SHARE = 10 };			/* columns of a line's share with its error */

struct source_row {
	const char *text;	/* the line, not ended; NULL: a callee */
	size_t length;		/* bytes of it */
	uint32_t line;		/* its number */
	const struct line_cost *cost; /* NULL: none */
	const struct line_callee *callee; /* of a callee's row */
	const struct line_call *call; /* of the same: its call */
};

struct source_page {
	struct lines lines;	/* where the time is */
	struct source_row *rows; /* page.n of them */
	size_t room;		/* how many fit */
	char why[240];		/* why there is no source; empty: there is one */
};

/* Append ROW.  False: out of memory. */
static bool source_add(struct page *p, const struct source_row *row)
{
	struct source_page *s = p->state;

	if (p->n == s->room) {
		struct source_row *more = reallocarray(s->rows, 2 * s->room + 64, sizeof *more);

		if (!more)
			return false;
		s->rows = more;
		s->room = 2 * s->room + 64;
	}
	s->rows[p->n++] = *row;
	return true;
}

/* The rows of the callees on LINE, from call *AT on. */
static bool add_callees(struct page *p, uint32_t line, size_t *at)
{
	struct source_page *s = p->state;
	const struct lines *l = &s->lines;

	while (*at < l->ncalls && l->calls[*at].line < line)
		++*at;
	for (; *at < l->ncalls && l->calls[*at].line == line; ++*at)
		if (!source_add(p, &(struct source_row){ .callee = &l->callees[l->calls[*at].callee], .call = &l->calls[*at] }))
			return false;
	return true;
}

static const struct line_cost *source_cost_of(const struct lines *l, uint32_t line)
{
	for (size_t i = 0; i < l->ncosts; i++)
		if (l->costs[i].line == line)
			return &l->costs[i];
	return NULL;
}

static bool source_rows_make(struct page *p, const char *text, size_t len)
{
	struct source_page *s = p->state;
	const char *end = text + len;
	size_t call = 0, unplaced = 0;

	for (uint32_t line = 1; text < end && line <= s->lines.last; line++) {
		const char *next = memchr(text, '\n', (size_t)(end - text));
		struct source_row row = { .text = text, .length = (size_t)((next ? next : end) - text), .line = line };

		text = next ? next + 1 : end;
		if (line < s->lines.first)
			continue;
		row.cost = source_cost_of(&s->lines, line);
		if (!source_add(p, &row) || !add_callees(p, line, &call))
			return false;
	}
	return add_callees(p, 0, &unplaced);
}

/* Read the source; what hinders is noted in the page. */
static bool source_read(struct page *p, struct error *err)
{
	struct source_page *s = p->state;
	const struct report_input *in = p->view->in;
	struct error why = { .code = ERROR_NONE };
	const char *text = NULL;
	size_t len;

	if (s->lines.file && in->source)
		text = in->source(in->source_reader, s->lines.file, &len, &why);
	if (!text) {
		snprintf(s->why, sizeof s->why, "%.239s", why.code == ERROR_NONE
			? "No debug information says where the source is; compile with -g." : why.text);
		return true;
	}
	return lines_find_calls(&s->lines, in, text, len, err) && (source_rows_make(p, text, len) || error_no_memory(err, NULL));
}

static bool leaves_ready(struct explorer_view *v, struct error *err)
{
	struct report_options split = { .leaves = true };

	if (!v->has_leaves)
		v->has_leaves = leaves_make(&v->leaves, v->in, &split, err);
	return v->has_leaves;
}

/* The cursor begins at the line with the most time. */
static void cursor_set(struct page *p)
{
	const struct source_page *s = p->state;
	uint64_t most = 0;

	p->cursor = p->top = 0;
	for (size_t i = 0; i < p->n; i++)
		if (s->rows[i].cost && s->rows[i].cost->time > most) {
			most = s->rows[i].cost->time;
			p->cursor = i;
		}
}

static bool view_source_open(struct page *p, struct error *err)
{
	struct source_page *s = calloc(1, sizeof *s);

	p->state = s;
	p->n = 0;
	if (!s)
		return error_no_memory(err, NULL);
	if (p->about == GRAPH_NONE || p->view->g->routines[p->about].pseudo)
		snprintf(s->why, sizeof s->why, "No routine with a source is selected.");
	else if (!leaves_ready(p->view, err) || !lines_make(&s->lines, p->view->in, &p->view->leaves, p->about, err)
		 || !source_read(p, err))
		return false;
	cursor_set(p);
	p->top = p->cursor > 6 ? p->cursor - 6 : 0;
	if (s->why[0])
		p->n = 1;
	return true;
}

static void source_close(struct page *p)
{
	struct source_page *s = p->state;

	if (!s)
		return;
	lines_free(&s->lines);
	free(s->rows);
	free(s);
}

/* Columns of a line's share and seconds, which a narrow screen has no room for. */
static int self_width(const struct explorer_view *v)
{
	return page_is_narrow(v) ? 0 : SHARE + 1 + PRINT_TIME;
}

/* The part of the routine's own time that COST is, with its error, and its seconds. */
static void source_self_print(const struct page *p, const struct line_cost *cost, FILE *out)
{
	const struct source_page *s = p->state;
	const struct explorer_view *v = p->view;
	double share = print_percent(cost->time, v->g->routines[p->about].self) / 100;
	char text[SHARE_SIZE];

	share_text(text, &v->options.style, share, lines_error(&s->lines, v->g, cost->ticks));
	fprintf(out, "%*s%s ", SHARE - (int)print_width(text, strlen(text)), "", text);
	print_amount(out, (double)cost->time, figure_unit(v->g), PRINT_TIME);
	putc(' ', out);
}

static void source_heading(const struct page *p, FILE *out)
{
	const struct source_page *s = p->state;
	const struct explorer_view *v = p->view;

	fprintf(out, "%5s ", v->g->sampled ? "ticks" : "");		/* else counts stand for costs */
	if (page_is_narrow(v))
		putc(' ', out);
	else
		fprintf(out, "%*s %*s ", SHARE, "of it", PRINT_TIME, "self");
	fprintf(out, "%5s ", "line");
	if (s->lines.file)
		print_name(out, print_basename(s->lines.file), &v->options.style);
}

/* A line of source, tabs as blanks. */
static void source_text_print(const struct page *p, const struct source_row *row, FILE *out)
{
	char *line = calloc(8 * row->length + 1, 1);
	size_t n = 0;

	for (size_t i = 0; line && i < row->length; i++) {
		char c = row->text[i];

		if (c == '\r' && i + 1 == row->length)
			break;
		do
			line[n++] = c == '\t' || c == '\0' ? ' ' : c;
		while (c == '\t' && n % 8 != 0);
	}
	if (line)
		escape_print(out, line, (p->view->options.style.utf8 ? 0 : ESCAPE_ASCII) | ESCAPE_SOURCE);
	free(line);
}

/* `-> name  12 calls, 340 ms, 35±4 %`, below the line: of the routine's total, in code without hooks of its own time. */
static enum screen_style source_callee_row(const struct page *p, const struct line_callee *c, const struct line_call *call, FILE *out)
{
	const struct explorer_view *v = p->view;
	const struct graph_routine *r = &v->g->routines[p->about];
	char share[SHARE_SIZE], time[PRINT_TIME_SIZE];
	uint64_t calls = call->told ? call->calls : c->calls, took = call->timed ? call->time : c->time;

	fprintf(out, "%5s %*s %5s   -> ", "", self_width(v), "", "");
	print_brief(out, c->name, c->brief, &v->options.style);
	if (!c->place && v->g->counted) {
		fprintf(out, "  %" PRIu64 " call%s", calls, print_plural(calls));
		if (call->told && call->column)
			fprintf(out, " at column %" PRIu32, call->column);
		fputs(", ", out);
	} else if (call->told && call->column) {
		fprintf(out, "  at column %" PRIu32 ", ", call->column);
	} else {
		fputs(c->place ? "  [" : "  ", out);
	}
	fprintf(out, "%s, %s", print_amount_text(time, (double)took, figure_unit(v->g)),
		share_text(share, &v->options.style, print_percent(took, c->place ? r->self : r->total) / 100, call->timed ? call->error : c->error));
	if (c->place) {
		fputs(" in ", out);
		print_name(out, c->place, &v->options.style);
		putc(']', out);
	}
	if (c->nlines > 1 && !call->timed)
		fputs(" ~", out);
	return c->place ? SCREEN_PLAIN : page_style(v, took);
}

static enum screen_style source_row(const struct page *p, size_t index, FILE *out)
{
	const struct source_page *s = p->state;
	const struct explorer_view *v = p->view;
	const struct source_row *row = s->rows + index;

	if (s->why[0]) {
		print_name(out, s->why, &v->options.style);
		return SCREEN_PLAIN;
	}
	if (!row->text)
		return source_callee_row(p, row->callee, row->call, out);
	if (row->cost) {
		if (v->g->sampled)
			fprintf(out, "%5" PRIu64 " ", row->cost->ticks);
		else
			fprintf(out, "%5s ", "");
		if (page_is_narrow(v))
			putc(' ', out);
		else
			source_self_print(p, row->cost, out);
	} else {
		fprintf(out, "%5s %*s ", "", self_width(v), "");
	}
	fprintf(out, "%5" PRIu32 " ", row->line);
	source_text_print(p, row, out);
	return row->cost && 10 * row->cost->time >= v->g->routines[p->about].self ? SCREEN_HOT : SCREEN_PLAIN;
}

static uint32_t source_routine(const struct page *p, size_t row)
{
	const struct source_page *s = p->state;

	if (s->why[0] || s->rows[row].text || s->rows[row].callee->routine == GRAPH_NONE)
		return p->about;
	return s->rows[row].callee->routine;
}

/* The line that the cursor was on, or below. */
static bool source_carry(struct page *p, const struct page *old, const uint32_t *map, struct error *err)
{
	const struct source_page *s = p->state, *before = old->state;
	size_t at = old->cursor;

	(void)map;
	(void)err;
	if (s->why[0] || before->why[0])
		return true;
	while (at > 0 && !before->rows[at].text)
		at--;
	for (size_t i = 0; at < old->n && i < p->n; i++)
		if (s->rows[i].text && s->rows[i].line == before->rows[at].line)
			p->cursor = i + (old->cursor - at);
	return true;
}

const struct page_kind source_page = { .name = "Source", .hint = "Enter follows a call", .open = view_source_open, .close = source_close, .heading = source_heading,
	.row = source_row, .routine = source_routine, .carry = source_carry, .by_routine = true, .briefest = "Src",
	.empty = "The source has no line of this routine." };
