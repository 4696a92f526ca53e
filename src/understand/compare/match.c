/* match.c - what is the same in several runs: routines by sorting their names, arcs and contexts by a table of pairs of what was matched before. */
#include <stdlib.h>
#include <string.h>

#include "base/pair_table.h"
#include "base/short_names.h"
#include "understand/compare/rows.h"

static int text_compare(const char *a, const char *b)
{
	return strcmp(a ? a : "", b ? b : "");
}

/* Name and module. */
static int by_identity(const struct row_routine *a, const struct row_routine *b)
{
	int c = strcmp(a->name, b->name);

	return c ? c : strcmp(a->identity, b->identity);
}

static int by_file(const void *left, const void *right)
{
	const struct row_routine *a = *(struct row_routine *const *)left, *b = *(struct row_routine *const *)right;
	int c = by_identity(a, b);

	if (c == 0)
		c = text_compare(a->file, b->file);
	return c ? c : (a->run > b->run) - (a->run < b->run);
}

/* Whether among the N rows ROW, of one name and module, some run has two of different files.  SEEN: a file of each of the NRUNS runs. */
static bool has_twins(struct row_routine **row, size_t n, const char **seen, uint32_t nruns)
{
	for (uint32_t i = 0; i < nruns; i++)
		seen[i] = NULL;
	for (size_t i = 0; i < n; i++) {
		const char *file = row[i]->file ? row[i]->file : "";

		if (seen[row[i]->run] && strcmp(seen[row[i]->run], file) != 0)
			return true;
		seen[row[i]->run] = file;
	}
	return false;
}

void value_add(struct comparison_value *sum, const struct comparison_value *v)
{
	for (int t = 0; t < COMPARISON_TIMES; t++) {
		sum->time[t] += v->time[t];
		sum->variance[t] += v->variance[t];
	}
	sum->calls += v->calls;
	sum->code += v->code;
}

bool items_make(struct comparison_items *items, size_t n, uint32_t nruns)
{
	struct comparison_value *values = calloc(n * nruns + 1, sizeof *values);

	items->items = calloc(n + 1, sizeof *items->items);
	if (!values || !items->items) {
		free(values);
		return false;
	}
	for (size_t i = 0; i <= n; i++)
		items->items[i].values = values + (i < n ? i : 0) * nruns;
	return true;
}

/* Number the rows ROW[0..N) of one name and module: all are one routine, or those of each file. */
static void group_number(struct comparison *c, struct row_routine **row, size_t n, bool twins)
{
	struct comparison_items *routines = &c->kinds[COMPARISON_ROUTINES];

	for (size_t i = 0; i < n; i++) {
		struct comparison_item *item;

		if (i == 0 || (twins && text_compare(row[i - 1]->file, row[i]->file) != 0))
			routines->n++;
		item = &routines->items[routines->n - 1];
		row[i]->item = routines->n - 1;
		item->name = row[i]->name;
		item->module = row[i]->module;
		item->identity = row[i]->identity;
		item->file = row[i]->file;
		value_add(&item->values[row[i]->run], &row[i]->value);
	}
}

static struct row_routine **sorted(struct rows *rows, uint32_t n, size_t *count)
{
	struct row_routine **row;
	size_t at = 0;

	*count = 0;
	for (uint32_t i = 0; i < n; i++)
		*count += rows[i].nroutines;
	row = calloc(*count + 1, sizeof *row);
	for (uint32_t i = 0; row && i < n; i++)
		for (uint32_t k = 0; k < rows[i].nroutines; k++)
			row[at++] = &rows[i].routines[k];
	if (row)
		qsort(row, at, sizeof *row, by_file);
	return row;
}

/* Set the short forms of the routines' names, by all that are compared. */
static bool match_names_shorten(struct comparison *c)
{
	struct comparison_items *routines = &c->kinds[COMPARISON_ROUTINES];
	const char **names = calloc((size_t)routines->n + 1, sizeof *names);
	bool ok = names;

	for (uint32_t i = 0; ok && i < routines->n; i++)
		names[i] = routines->items[i].name;
	ok = ok && short_names(names, names, routines->n, &c->private->briefs);
	for (uint32_t i = 0; ok && i < routines->n; i++)
		routines->items[i].brief = names[i];
	free(names);
	return ok;
}

bool match_routines(struct comparison *c, struct rows *rows, uint32_t n)
{
	size_t count;
	struct row_routine **row = sorted(rows, n, &count);
	const char **seen = calloc((size_t)n + 1, sizeof *seen);
	bool ok = row && seen && items_make(&c->kinds[COMPARISON_ROUTINES], count, n);

	for (size_t i = 0, m; ok && i < count; i += m) {
		for (m = 1; i + m < count && by_identity(row[i], row[i + m]) == 0;)
			m++;
		group_number(c, row + i, m, has_twins(row + i, m, seen, n));
	}
	free(row);
	free(seen);
	return ok && match_names_shorten(c);
}

/* Arcs or contexts of all runs, by whence, whither and gap. */
struct pairs {
	struct comparison_items *items;	/* what they are matched to */
	struct pair_table table;	/* (from, to << 1 | gap) to item + 1 */
};

/* Find the item of ROW, of run RUN, or make it, and add the row's value to it.  False: out of memory. */
static bool pair_add(struct pairs *p, struct row_pair *row, uint32_t run, uint32_t from, uint32_t to)
{
	uint32_t *number = pair_table_at(&p->table, from, to << 1 | row->gap);
	struct comparison_item *item;

	if (!number)
		return false;
	if (*number == 0)
		*number = ++p->items->n;
	row->item = *number - 1;
	item = &p->items->items[row->item];
	item->from = from;
	item->to = to;
	item->gap = row->gap;
	item->folded |= row->folded;
	value_add(&item->values[run], &row->value);
	return true;
}

static uint32_t routine_item(const struct rows *rows, uint32_t row)
{
	return row == GRAPH_NONE ? GRAPH_NONE : rows->routines[row].item;
}

bool match_arcs(struct comparison *c, struct rows *rows, uint32_t n)
{
	struct pairs pairs = { .items = &c->kinds[COMPARISON_ARCS] };
	size_t most = 0;
	bool ok;

	for (uint32_t i = 0; i < n; i++)
		most += rows[i].narcs;
	ok = items_make(pairs.items, most, n);
	for (uint32_t i = 0; i < n; i++)
		for (uint32_t k = 0; ok && k < rows[i].narcs; k++) {
			struct row_pair *row = &rows[i].arcs[k];

			ok = pair_add(&pairs, row, i, routine_item(&rows[i], row->from), routine_item(&rows[i], row->to));
		}
	pair_table_free(&pairs.table);
	return ok;
}

bool match_contexts(struct comparison *c, struct rows *rows, uint32_t n)
{
	struct pairs pairs = { .items = &c->kinds[COMPARISON_CONTEXTS] };
	size_t most = 0;
	bool ok;

	for (uint32_t i = 0; i < n; i++)
		most += rows[i].ncontexts;
	ok = items_make(pairs.items, most, n);
	for (uint32_t i = 0; i < n; i++)
		for (uint32_t k = 0; ok && k < rows[i].ncontexts; k++) {
			struct row_pair *row = &rows[i].contexts[k];
			uint32_t parent = k == 0 ? GRAPH_NONE : rows[i].contexts[row->from].item;

			ok = pair_add(&pairs, row, i, parent, routine_item(&rows[i], row->to));
		}
	pair_table_free(&pairs.table);
	return ok;
}
