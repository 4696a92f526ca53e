/* output.c - the order of rows, and the frame of the JSON. */
#include "compare/output.h"

#include <math.h>
#include <stdlib.h>

#include "report/version.h"
#include "text/print.h"

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

static double leading(const struct comparison_item *item, enum diff_sort sort)
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

static int compare(const void *left, const void *right, void *arg)
{
	const struct key *key = arg;
	uint32_t i = *(const uint32_t *)left, j = *(const uint32_t *)right;
	const struct comparison_item *a = &key->items->items[i], *b = &key->items->items[j];
	double x = leading(a, key->sort), y = leading(b, key->sort);

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
		qsort_r(order, items->n, sizeof *order, compare, &key);
	return order;
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

json_t *output_site_json(const struct comparison *c, const struct comparison_item *item)
{
	const struct comparison_item *routines = c->kinds[COMPARISON_ROUTINES].items;

	return json_pack("{s:o, s:o, s:o}", "caller", emit_name(item->from == GRAPH_NONE ? NULL : routines[item->from].name),
			 "callee", emit_name(routines[item->to].name), "site", item->place ? call_place_json(item->place) : json_null());
}

void output_begin(struct emit *e, FILE *out)
{
	emit_begin(e, out);
	emit_member(e, "schema", json_string("aprof-compare-1"));
	emit_member(e, "version", json_string(APROF_VERSION));
}
