/* routines.c - the page of all routines, by self time, total time or calls. */
#include <inttypes.h>
#include <regex.h>
#include <stdlib.h>
#include <string.h>

#include "show/view/page.h"
#include "show/report/figure_text.h"
#include "show/report/report.h"
#include "base/print.h"

struct routines {
	enum report_sort sort;
	struct order order;	/* of all */
	uint32_t *shown;	/* those that the filter keeps, in that order */
	char *filter;		/* its pattern; NULL: none */
	int calls;		/* columns of calls */
};

enum { CALLS_SIZE = 48, SAMPLES = 8 };	/* bytes of the text of calls; columns */

/* Calls of R as the call graph has them, `2+1039949` with direct recursive ones, into BUFFER of CALLS_SIZE bytes; returns its length. */
static int calls_text(char *buffer, const struct graph_routine *r)
{
	if (r->recursive)
		return snprintf(buffer, CALLS_SIZE, "%" PRIu64 "+%" PRIu64, r->calls, r->recursive);
	return snprintf(buffer, CALLS_SIZE, "%" PRIu64, r->calls);
}

static int calls_width(const struct explorer_view *v)
{
	char text[CALLS_SIZE];
	int width = v->calls;

	for (uint32_t i = 0; v->g->counted && i < v->g->nroutines; i++)
		if (calls_text(text, &v->g->routines[i]) > width)
			width = (int)strlen(text);
	return width;
}

/* Fill shown[].  REGEX NULL: all. */
static void routines_show(struct page *p, const regex_t *regex)
{
	struct routines *r = p->state;

	p->n = 0;
	for (uint32_t i = 0; i < r->order.n; i++)
		if (!regex || regexec(regex, p->view->g->routines[r->order.routines[i]].name.name, 0, NULL, 0) == 0)
			r->shown[p->n++] = r->order.routines[i];
}

static bool routines_open(struct page *p, struct error *err)
{
	struct routines *r = calloc(1, sizeof *r);

	p->state = r;
	if (!r)
		return error_no_memory(err, NULL);
	r->sort = REPORT_BY_SELF;
	r->calls = calls_width(p->view);
	r->shown = calloc((size_t)p->view->g->nroutines + 1, sizeof *r->shown);
	if (!r->shown || !order_make(&r->order, p->view->g, r->sort, false, false, err))
		return error_no_memory(err, NULL);
	routines_show(p, NULL);
	return true;
}

static void routines_close(struct page *p)
{
	struct routines *r = p->state;

	if (!r)
		return;
	order_free(&r->order);
	free(r->shown);
	free(r->filter);
	free(r);
}

/* Sort as the user asked for, and keep what he wants to see. */
static bool arrange(struct page *p, enum report_sort sort, struct error *err)
{
	struct routines *r = p->state;
	struct order order;
	regex_t regex;

	if (!order_make(&order, p->view->g, sort, false, false, err))
		return false;
	order_free(&r->order);
	r->order = order;
	r->sort = sort;
	if (r->filter && regcomp(&regex, r->filter, REG_EXTENDED | REG_ICASE | REG_NOSUB) == 0) {
		routines_show(p, &regex);
		regfree(&regex);
	} else {
		routines_show(p, NULL);
	}
	return true;
}

static bool routines_carry(struct page *p, const struct page *old, const uint32_t *map, struct error *err)
{
	const struct routines *before = old->state;
	struct routines *r = p->state;
	uint32_t selected = old->n > 0 ? map[before->shown[old->cursor]] : GRAPH_NONE;

	if (before->filter && !(r->filter = strdup(before->filter)))
		return error_no_memory(err, NULL);
	if (!arrange(p, before->sort, err))
		return false;
	p->cursor = old->cursor;
	for (size_t i = 0; i < p->n; i++)
		if (r->shown[i] == selected)
			p->cursor = i;
	return true;
}

bool routines_filter(struct page *p, const char *pattern, struct error *err)
{
	struct routines *r = p->state;
	regex_t regex;
	char *copy = pattern ? strdup(pattern) : NULL;

	if (pattern && (!copy || regcomp(&regex, pattern, REG_EXTENDED | REG_ICASE | REG_NOSUB) != 0)) {
		free(copy);
		return error_set(err, ERROR_PATTERN, ERROR_NO_OFFSET, "not a regular expression: %.80s", pattern);
	}
	free(r->filter);
	r->filter = copy;
	routines_show(p, pattern ? &regex : NULL);
	if (pattern)
		regfree(&regex);
	p->cursor = p->top = 0;
	return true;
}

static void routines_sort(struct page *p)
{
	static const enum report_sort next[] = { [REPORT_BY_SELF] = REPORT_BY_TOTAL, [REPORT_BY_TOTAL] = REPORT_BY_CALLS,
		[REPORT_BY_CALLS] = REPORT_BY_SELF };
	struct error err;

	if (arrange(p, next[((const struct routines *)p->state)->sort], &err))
		p->cursor = p->top = 0;
}

/* The column that is sorted by has a star; the filter stands behind. */
static void routines_heading(const struct page *p, FILE *out)
{
	const struct explorer_view *v = p->view;
	const struct routines *r = p->state;
	enum report_sort sort = r->sort;
	bool times = page_has(v, COLUMN_TIME);

	page_share_heading(v, out, !times && sort == REPORT_BY_SELF ? "*%self" : "% self");
	page_time_heading(v, out, sort == REPORT_BY_SELF ? "*self" : "self");
	if (page_has(v, COLUMN_SAMPLES))
		fprintf(out, "%*s ", SAMPLES, "samples");
	page_share_heading(v, out, !times && sort == REPORT_BY_TOTAL ? "*% tot" : "% tot");
	page_time_heading(v, out, sort == REPORT_BY_TOTAL ? "*total" : "total");
	if (page_has(v, COLUMN_CALLS))
		fprintf(out, "%*s ", r->calls, sort == REPORT_BY_CALLS ? "*calls" : "calls");
	if (page_has(v, COLUMN_BEYOND))
		fprintf(out, "%*s ", PRINT_TIME, "uneven");
	if (page_has(v, COLUMN_PER_CALL))
		fprintf(out, "%*s ", PRINT_TIME, "each");
	page_origin_heading(v, out);
	fputs("name", out);
	if (r->filter) {
		fputs("  &", out);
		print_name(out, r->filter, &(struct text_style){ .utf8 = v->options.style.utf8 });
	}
}

/* What the ranks with the most have beyond the mean: time, or calls where there are no times. */
static void beyond(const struct explorer_view *v, FILE *out, const struct graph_routine *r)
{
	if (!page_has(v, COLUMN_BEYOND))
		return;
	if (v->g->profile->time > 0)
		print_amount(out, r->beyond, figure_unit(v->g), PRINT_TIME);
	else
		fprintf(out, "%*.0f", PRINT_TIME, r->beyond);
	putc(' ', out);
}

/* Self time per call. */
static void per_call(const struct explorer_view *v, FILE *out, const struct graph_routine *r)
{
	if (!page_has(v, COLUMN_PER_CALL))
		return;
	if (r->calls > 0)
		figure_mean_print(out, v->g, r->self, r->calls, PRINT_TIME);
	else
		fprintf(out, "%*s", PRINT_TIME, "");
	putc(' ', out);
}

static enum screen_style routines_row(const struct page *p, size_t row, FILE *out)
{
	const struct explorer_view *v = p->view;
	const struct routines *s = p->state;
	uint32_t index = s->shown[row];
	const struct graph_routine *r = &v->g->routines[index];
	char text[CALLS_SIZE] = "";

	page_share(v, out, r->self, &r->self_evidence);
	page_time(v, out, r->self);
	if (page_has(v, COLUMN_SAMPLES))
		fprintf(out, "%*" PRIu64 " ", SAMPLES, r->self_ticks);
	page_share(v, out, r->total, &r->total_evidence);
	page_time(v, out, r->total);
	if (page_has(v, COLUMN_CALLS)) {
		calls_text(text, r);
		fprintf(out, "%*s ", s->calls, text);
	}
	beyond(v, out, r);
	per_call(v, out, r);
	page_origin(v, out, index);
	page_name(v, out, index, 0);
	return page_style(v, r->self);
}

static uint32_t routines_routine(const struct page *p, size_t row)
{
	return ((const struct routines *)p->state)->shown[row];
}

const struct page_kind routines_page = { .name = "Routines", .hint = "Enter callers  a source", .open = routines_open, .close = routines_close,
	.heading = routines_heading, .row = routines_row, .routine = routines_routine, .carry = routines_carry, .sort = routines_sort,
	.briefest = "Rout", .empty = "No routine is to be seen: none was called, or none matches what stands behind the & above; & and Enter show all." };
