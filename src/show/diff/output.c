/* output.c - the order of rows, their cells, and the frame of the JSON. */
#include "show/diff/output.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "base/print.h"
#include "show/report/code_places.h"
#include "show/report/report.h"
#include "show/report/version.h"

struct key {
	const struct comparison_items *items;
	enum diff_sort sort;
};

double output_per_call(const struct comparison_item *item)
{
	double base = item->calls.base > 0 ? item->sides[COMPARISON_SELF].base / item->calls.base : 0;
	double fresh = item->calls.fresh > 0 ? item->sides[COMPARISON_SELF].fresh / item->calls.fresh : 0;

	return base > 0 && fresh > 0 ? fresh / base - 1 : 0;
}

static double output_leading(const struct comparison_item *item, enum diff_sort sort)
{
	switch (sort) {
	case DIFF_BY_TOTAL:
		return fabs(item->change[COMPARISON_TOTAL].change);
	case DIFF_BY_CALLS:
		return fabs(item->calls.fresh - item->calls.base);
	case DIFF_BY_PER_CALL:
		return fabs(output_per_call(item));
	default:
		return fabs(item->change[COMPARISON_SELF].change);
	}
}

static int output_compare(const void *left, const void *right, void *arg)
{
	const struct key *key = arg;
	uint32_t i = *(const uint32_t *)left, j = *(const uint32_t *)right;
	const struct comparison_item *a = &key->items->items[i], *b = &key->items->items[j];
	double x = output_leading(a, key->sort), y = output_leading(b, key->sort);

	if (comparison_is_news(a) != comparison_is_news(b))
		return comparison_is_news(a) ? -1 : 1;
	if (x != y)
		return x > y ? -1 : 1;
	return (i > j) - (i < j);
}

uint32_t *output_order(const struct comparison_items *items, enum diff_sort sort)
{
	uint32_t *order = calloc((size_t)items->n + 1, sizeof *order);
	struct key key = { items, sort };

	for (uint32_t i = 0; order && i < items->n; i++)
		order[i] = i;
	if (order)
		qsort_r(order, items->n, sizeof *order, output_compare, &key);
	return order;
}

static const char *const titles[] = { "Routines", "Arcs", "Contexts", "Call sites" };
static const char *const sorts[] = { "self @time", "total @time", "calls", "self @time per call" };

static const char *shown_name(const struct comparison *c, uint32_t routine, const struct text_style *style)
{
	const struct comparison_item *item = c->kinds[COMPARISON_ROUTINES].items + routine;

	return print_choose(item->name, item->brief, style);
}

uint32_t output_title(const struct comparison *c, enum comparison_kind kind, enum diff_sort sort, FILE *out)
{
	const struct comparison_items *items = &c->kinds[kind];
	uint32_t news = 0, counted = 0;

	for (uint32_t i = 0; i < items->n; i++) {
		news += comparison_is_news(&items->items[i]);
		counted += items->items[i].counted;
	}
	print_worded(out, NULL, comparison_unit(c), "%s by change of %s: %" PRIu32 " of %" PRIu32 " changed", titles[kind], sorts[sort], news, counted);
	return news;
}

const char *output_only(const struct comparison_item *item)
{
	bool base = item->calls.base_most || item->sides[COMPARISON_TOTAL].base > 0;
	bool fresh = item->calls.most || item->sides[COMPARISON_TOTAL].fresh > 0;

	return base == fresh ? "" : fresh ? "   (new)" : "   (gone)";
}

const char *output_remark(const struct comparison *c, const struct comparison_item *item)
{
	const char *only = output_only(item);

	return *only || !item->news[COMPARISON_SELF] || !comparison_is_same(c, item) ? only : "   (same code, same calls)";
}

void output_signed(const struct comparison *c, char *text, size_t size, double change)
{
	char cell[PRINT_TIME_SIZE];

	snprintf(text, size, "%s", print_change_cell(cell, change, comparison_unit(c)));
}

void output_time_change(const struct comparison *c, char *text, size_t size, const struct comparison_item *item, enum comparison_time t)
{
	if (!item->news[t])
		snprintf(text, size, item->change[t].change == 0 ? "=" : "~");
	else
		output_signed(c, text, size, item->change[t].change);
}

void output_calls(char *text, size_t size, double calls, bool sign)
{
	bool whole = calls == floor(calls);

	snprintf(text, size, sign ? "%+.*f" : "%.*f", whole ? 0 : 1, calls);
}

void output_calls_change(char *text, size_t size, const struct comparison_item *item)
{
	double change = item->calls.fresh - item->calls.base;

	if (item->calls_news)
		output_calls(text, size, change, true);
	else
		snprintf(text, size, change == 0 ? "=" : "~");
}

void output_per_call_change(char *text, size_t size, const struct comparison_item *item)
{
	if (item->news[COMPARISON_SELF] && output_per_call(item) != 0)
		snprintf(text, size, "%+.1f%%", 100 * output_per_call(item));
	else
		snprintf(text, size, output_per_call(item) == 0 ? "" : "~");
}

void output_routine(const struct comparison *c, uint32_t routine, const struct text_style *style, FILE *out)
{
	const struct comparison_item *item = c->kinds[COMPARISON_ROUTINES].items + routine;

	if (routine == GRAPH_NONE)
		fputs("<spontaneous>", out);
	else
		print_brief(out, item->name, item->brief, style);
}

void output_arc(const struct comparison *c, const struct comparison_item *item, const struct text_style *style, FILE *out)
{
	output_routine(c, item->from, style, out);
	fputs(" -> ", out);
	output_routine(c, item->to, style, out);
}

void output_site(const struct comparison *c, const struct comparison_item *item, const struct text_style *style, FILE *out)
{
	output_arc(c, item, style, out);
	putc(' ', out);
	if (item->place)
		call_place_print(out, item->place, style);
	else
		fputs("at places that are not known", out);
}

bool output_path(const struct comparison *c, uint32_t index, const struct text_style *style, FILE *out)
{
	unsigned flags = (style->utf8 ? 0 : ESCAPE_ASCII) | ESCAPE_WORD;
	const struct comparison_item *contexts = c->kinds[COMPARISON_CONTEXTS].items;
	uint32_t depth = 0, *path;

	for (uint32_t i = index; contexts[i].from != GRAPH_NONE; i = contexts[i].from)
		depth++;
	path = calloc((size_t)depth + 1, sizeof *path);
	if (!path)
		return false;
	if (depth == 0)
		fputs("(outside all routines)", out);
	for (uint32_t i = index, k = depth; k > 0; i = contexts[i].from)
		path[--k] = i;
	for (uint32_t k = 0; k < depth; k++) {
		if (k > 0)
			putc(' ', out);
		if (contexts[path[k]].gap)
			fputs(".. ", out);
		escape_print(out, shown_name(c, contexts[path[k]].to, style), flags);
		if (contexts[path[k]].folded)
			putc('\'', out);
	}
	free(path);
	return true;
}

bool output_item(const struct comparison *c, enum comparison_kind kind, const struct comparison_item *item, const struct text_style *style, FILE *out)
{
	switch (kind) {
	case COMPARISON_ROUTINES:
		print_brief(out, item->name, item->brief, style);
		return true;
	case COMPARISON_ARCS:
		output_arc(c, item, style, out);
		return true;
	case COMPARISON_SITES:
		output_site(c, item, style, out);
		return true;
	default:
		return output_path(c, (uint32_t)(item - c->kinds[COMPARISON_CONTEXTS].items), style, out);
	}
}

json_t *output_site_json(const struct comparison *c, const struct comparison_item *item)
{
	const struct comparison_item *routines = c->kinds[COMPARISON_ROUTINES].items;

	return json_pack("{s:o, s:o, s:o}", "caller", emit_name(item->from == GRAPH_NONE ? NULL : routines[item->from].name),
			 "callee", emit_name(routines[item->to].name), "site", item->place ? call_place_json(item->place) : json_null());
}

json_t *output_real_or_null(double x) { return isfinite(x) ? json_real(x) : json_null(); }

void output_begin(struct emit *e, FILE *out, const struct comparison *c)
{
	emit_begin(e, out);
	e->is_amount = strcmp(comparison_unit(c), "ns") == 0 ? NULL : report_is_amount;
	emit_member(e, "schema", json_string("aprof-compare-1"));
	emit_member(e, "version", json_string(APROF_VERSION));
}
