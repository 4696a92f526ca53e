/* page.c - figures and names, the same on all pages. */
#include "show/view/page.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/print.h"
#include "show/report/figure_text.h"
#include "show/report/share.h"

enum { NARROW = 64, MODULE = 14, PLACE = 20, NAME = 20 };	/* columns; of a name at least */

bool page_is_narrow(const struct explorer_view *v)
{
	return v->options.style.width < NARROW;
}

/* Whether the profile has what COLUMN shows. */
static bool page_is_known(const struct explorer_view *v, unsigned column)
{
	if (column == COLUMN_ERROR || column == COLUMN_SAMPLES)
		return v->g->sampled;
	if (column == COLUMN_BEYOND)
		return profile_ranks(v->g->profile) > 0;
	return (column != COLUMN_CALLS && column != COLUMN_PER_CALL) || v->g->counted;
}

/* Columns of the screen that COLUMN takes, on the page of routines, which has the most. */
static int width_of(const struct explorer_view *v, unsigned column)
{
	switch (column) {
	case COLUMN_TIME: return 2 * (PRINT_TIME + 1);
	case COLUMN_ERROR: return 2 * (share_width(true) - share_width(false));
	case COLUMN_CALLS: return v->calls + 1;
	case COLUMN_MODULE: return MODULE + 1;
	case COLUMN_PLACE: return PLACE + 1;
	default: return PRINT_TIME + 1;
	}
}

bool page_has(const struct explorer_view *v, unsigned column)
{
	int room = v->options.style.width - 2 * (share_width(false) + 1) - NAME;

	if (page_is_narrow(v) || !(v->columns & column))
		return false;
	for (unsigned c = 1; c <= column; c <<= 1) {
		bool fits = (v->columns & c) && page_is_known(v, c) && width_of(v, c) <= room;

		if (c == column)
			return fits;
		room -= fits ? width_of(v, c) : 0;
	}
	return false;
}

enum screen_style page_style(const struct explorer_view *v, uint64_t time)
{
	double share = print_percent(time, v->whole);

	return share >= 10 ? SCREEN_HOT : share >= 0.1 || v->whole == 0 ? SCREEN_PLAIN : SCREEN_DIM;
}

static bool page_has_errors(const struct explorer_view *v)
{
	return page_has(v, COLUMN_ERROR);
}

int page_share_width(const struct explorer_view *v)
{
	return share_width(page_has_errors(v));
}

void page_share_heading(const struct explorer_view *v, FILE *out, const char *title)
{
	const char *sign = share_sign(&v->options.style);
	int beside = page_share_width(v) - share_width(false);

	fprintf(out, "%6s", title);
	if (page_has_errors(v))
		fprintf(out, "%*s%s", beside - (int)print_width(sign, strlen(sign)), "", sign);
	putc(' ', out);
}

void page_share(const struct explorer_view *v, FILE *out, uint64_t time, const struct overhead_evidence *evidence)
{
	double share = print_percent(time, v->whole) / 100, error = graph_run_error(v->g, time, evidence);

	if (page_has_errors(v) || graph_share_is_news(share, error))
		share_print(out, &v->options.style, page_has_errors(v), share, error);
	else
		share_print_bound(out, share, error);
	putc(' ', out);
}

void page_time(const struct explorer_view *v, FILE *out, uint64_t ns)
{
	if (!page_has(v, COLUMN_TIME))
		return;
	figure_print(out, v->g, ns, PRINT_UNITS, PRINT_TIME);
	putc(' ', out);
}

void page_time_heading(const struct explorer_view *v, FILE *out, const char *title)
{
	if (page_has(v, COLUMN_TIME))
		fprintf(out, "%*s ", PRINT_TIME, strcmp(title, "time") == 0 ? figure_heading(v->g) : title);
}

void page_calls(const struct explorer_view *v, FILE *out, uint64_t n)
{
	if (page_has(v, COLUMN_CALLS))
		fprintf(out, "%*" PRIu64 " ", v->calls, n);
}

void page_calls_heading(const struct explorer_view *v, FILE *out, const char *title)
{
	if (page_has(v, COLUMN_CALLS))
		fprintf(out, "%*s ", v->calls, title);
}

void page_gap(const struct explorer_view *v, FILE *out, int times, int calls)
{
	int width = (page_has(v, COLUMN_TIME) ? times * (PRINT_TIME + 1) : 0) + (page_has(v, COLUMN_CALLS) ? calls * (v->calls + 1) : 0);

	fprintf(out, "%*s", width, "");
}

/* TEXT, its end if it is too long, in WIDTH columns. */
static void cell(const struct explorer_view *v, FILE *out, const char *text, int width)
{
	char *fitted = print_fitted(text, text, (size_t)width, &v->options.style);
	int used = fitted ? (int)print_width(fitted, strlen(fitted)) : 0;

	fprintf(out, "%s%*s ", fitted ? fitted : "", width > used ? width - used : 0, "");
	free(fitted);
}

void page_origin(const struct explorer_view *v, FILE *out, uint32_t routine)
{
	const struct graph_name *name = routine == GRAPH_NONE ? NULL : &v->g->routines[routine].name;
	char place[300] = "";

	if (page_has(v, COLUMN_MODULE))
		cell(v, out, name && name->module ? print_basename(name->module) : "", MODULE);
	if (!page_has(v, COLUMN_PLACE))
		return;
	if (name && name->file && name->line)
		snprintf(place, sizeof place, "%.250s:%" PRIu32, print_basename(name->file), name->line);
	else if (name && name->file)
		snprintf(place, sizeof place, "%.250s", print_basename(name->file));
	cell(v, out, place, PLACE);
}

void page_origin_heading(const struct explorer_view *v, FILE *out)
{
	if (page_has(v, COLUMN_MODULE))
		fprintf(out, "%-*s ", MODULE, "module");
	if (page_has(v, COLUMN_PLACE))
		fprintf(out, "%-*s ", PLACE, "source");
}

int page_column(const struct explorer_view *v, FILE *out)
{
	if (!v->text || fflush(out) != 0)
		return 0;
	return (int)print_width(v->text->text, v->text->size);
}

void page_name(const struct explorer_view *v, FILE *out, uint32_t routine, int behind)
{
	const struct graph_routine *r = routine == GRAPH_NONE ? NULL : &v->g->routines[routine];

	if (r)
		print_brief_beside(out, r->name.name, r->brief, &v->options.style, page_column(v, out) + behind);
	else
		fputs("<spontaneous>", out);
}

void page_brief(const struct explorer_view *v, FILE *out, uint32_t routine)
{
	const struct graph_routine *r = routine == GRAPH_NONE ? NULL : &v->g->routines[routine];

	print_brief(out, r ? r->name.name : "<spontaneous>", r ? r->brief : NULL, &v->options.style);
}

bool page_renew(struct page *p, struct explorer_view *old_view, const uint32_t *map, struct error *err)
{
	struct page old = *p;
	size_t down = old.cursor - old.top;
	bool ok;

	old.view = old_view;
	*p = (struct page){ .kind = old.kind, .view = p->view, .built = true, .skip = old.skip,
		.about = old.about == GRAPH_NONE ? GRAPH_NONE : map[old.about] };
	ok = p->kind->open(p, err);
	if (ok && p->kind->carry)
		ok = p->kind->carry(p, &old, map, err);
	else
		p->cursor = old.cursor;
	p->top = p->cursor > down ? p->cursor - down : 0;	/* the cursor stays where it is on the screen */
	old.kind->close(&old);
	return ok;
}

static int view_page_by_name(const void *left, const void *right)
{
	const struct graph_routine *const *a = left, *const *b = right;
	int c = strcmp((*a)->name.name, (*b)->name.name);

	return c ? c : (*a > *b) - (*a < *b);
}

const struct graph_routine **page_by_name(const struct graph *g)
{
	const struct graph_routine **sorted = calloc((size_t)g->nroutines + 1, sizeof *sorted);

	for (uint32_t r = 0; sorted && r < g->nroutines; r++)
		sorted[r] = g->routines + r;
	if (sorted)
		qsort(sorted, g->nroutines, sizeof *sorted, view_page_by_name);
	return sorted;
}

uint32_t page_find_name(const struct graph_routine *const *sorted, uint32_t n, const char *name)
{
	uint32_t low = 0, high = n;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (strcmp(sorted[middle]->name.name, name) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low < n && strcmp(sorted[low]->name.name, name) == 0 ? low : n;
}

