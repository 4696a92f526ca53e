/* match.c - what is the same in several runs: routines by sorting their names, arcs and contexts by a table of pairs of what was matched before. */
#include <stdlib.h>
#include <string.h>

#include "rows.h"

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

static void value_add(struct comparison_value *sum, const struct comparison_value *v)
{
	for (int t = 0; t < COMPARISON_TIMES; t++) {
		sum->time[t] += v->time[t];
		sum->ticks[t] += v->ticks[t];
	}
	sum->calls += v->calls;
}

/* Room for N items of NRUNS values each.  False: out of memory. */
static bool items_make(struct comparison_items *items, size_t n, uint32_t nruns)
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
	return ok;
}

/* A table from (from, to, gap) to items: slots with linear probing, never more than half full. */
struct pairs {
	struct comparison_items *items;	/* what it finds */
	uint32_t *slots;		/* item + 1; 0: free */
	size_t mask;			/* slots - 1 */
};

static bool pairs_make(struct pairs *p, struct comparison_items *items, size_t most)
{
	size_t size = 64;

	while (size < 2 * most)
		size *= 2;
	*p = (struct pairs){ .items = items, .slots = calloc(size, sizeof *p->slots), .mask = size - 1 };
	return p->slots != NULL;
}

static uint32_t pairs_at(struct pairs *p, uint32_t from, uint32_t to, bool gap)
{
	uint64_t hash = ((uint64_t)from << 32 | to) * UINT64_C(0x9e3779b97f4a7c15) + gap;

	for (size_t i = (hash ^ hash >> 29) & p->mask;; i = (i + 1) & p->mask) {
		struct comparison_item *item = &p->items->items[p->slots[i] ? p->slots[i] - 1 : 0];

		if (p->slots[i] == 0) {
			item = &p->items->items[p->items->n++];
			item->from = from;
			item->to = to;
			item->gap = gap;
			p->slots[i] = p->items->n;
			return p->items->n - 1;
		}
		if (item->from == from && item->to == to && item->gap == gap)
			return p->slots[i] - 1;
	}
}

static uint32_t routine_item(const struct rows *rows, uint32_t row)
{
	return row == GRAPH_NONE ? GRAPH_NONE : rows->routines[row].item;
}

bool match_arcs(struct comparison *c, struct rows *rows, uint32_t n)
{
	struct comparison_items *arcs = &c->kinds[COMPARISON_ARCS];
	struct pairs pairs = { 0 };
	size_t most = 0;
	bool ok;

	for (uint32_t i = 0; i < n; i++)
		most += rows[i].narcs;
	ok = items_make(arcs, most, n) && pairs_make(&pairs, arcs, most);
	for (uint32_t i = 0; ok && i < n; i++)
		for (uint32_t k = 0; k < rows[i].narcs; k++) {
			struct row_pair *row = &rows[i].arcs[k];

			row->item = pairs_at(&pairs, routine_item(&rows[i], row->from), routine_item(&rows[i], row->to), false);
			value_add(&arcs->items[row->item].values[i], &row->value);
		}
	free(pairs.slots);
	return ok;
}

bool match_contexts(struct comparison *c, struct rows *rows, uint32_t n)
{
	struct comparison_items *contexts = &c->kinds[COMPARISON_CONTEXTS];
	struct pairs pairs = { 0 };
	size_t most = 0;
	bool ok;

	for (uint32_t i = 0; i < n; i++)
		most += rows[i].ncontexts;
	ok = items_make(contexts, most, n) && pairs_make(&pairs, contexts, most);
	for (uint32_t i = 0; ok && i < n; i++)
		for (uint32_t k = 0; k < rows[i].ncontexts; k++) {
			struct row_pair *row = &rows[i].contexts[k];
			uint32_t parent = k == 0 ? GRAPH_NONE : rows[i].contexts[row->from].item;

			row->item = pairs_at(&pairs, parent, routine_item(&rows[i], row->to), row->gap);
			value_add(&contexts->items[row->item].values[i], &row->value);
		}
	free(pairs.slots);
	return ok;
}
