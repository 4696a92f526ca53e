/* match_graph.c - what of another graph of the same runs, of those of a side together, is which item of a comparison. */
#include <stdlib.h>
#include <string.h>

#include "base/pair_table.h"
#include "understand/compare/rows.h"

/* Items stand in the order of their names, then modules, then files (match.c). */
static int match_graph_order(const struct comparison_item *item, const struct row_routine *row)
{
	int c = strcmp(item->name, row->name);

	return c ? c : strcmp(item->identity, row->identity);
}

/* The item of ROW: of several of one name in a module that of its source file. */
static uint32_t match_graph_routine(const struct comparison_items *routines, const struct row_routine *row)
{
	uint32_t low = 0, high = routines->n, found = GRAPH_NONE;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (match_graph_order(&routines->items[middle], row) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	for (uint32_t i = low; i < routines->n && match_graph_order(&routines->items[i], row) == 0; i++)
		if (found == GRAPH_NONE || strcmp(routines->items[i].file ? routines->items[i].file : "", row->file ? row->file : "") == 0)
			found = i;
	return found;
}

static bool match_graph_routines(struct comparison_places *places, const struct comparison *c, const struct graph *g)
{
	struct rows rows = { 0 };
	bool ok = rows_routines(&rows, g, 0);

	for (uint32_t r = 0; ok && r < g->nroutines; r++)
		places->routine[r] = match_graph_routine(&c->kinds[COMPARISON_ROUTINES], &rows.routines[r]);
	rows_free(&rows);
	return ok;
}

/* The items by their ends, as match.c has them: number + 1. */
static bool match_graph_pairs(struct pair_table *t, const struct comparison_items *items)
{
	for (uint32_t i = 0; i < items->n; i++) {
		uint32_t *number = pair_table_at(t, items->items[i].from, items->items[i].to << 1 | items->items[i].gap);

		if (!number)
			return false;
		*number = i + 1;
	}
	return true;
}

/* The number 0 of no item becomes GRAPH_NONE. */
static uint32_t match_graph_pair(const struct pair_table *t, uint32_t from, uint32_t to, bool gap) { return pair_table_find(t, from, to << 1 | gap) - 1; }

static bool match_graph_arcs(struct comparison_places *places, const struct comparison *c, const struct graph *g)
{
	struct pair_table t = { 0 };
	bool ok = match_graph_pairs(&t, &c->kinds[COMPARISON_ARCS]);

	for (uint32_t i = 0; ok && i < g->narcs; i++) {
		const struct graph_arc *a = &g->arcs[i];

		places->arc[i] = match_graph_pair(&t, a->from == GRAPH_NONE ? GRAPH_NONE : places->routine[a->from], places->routine[a->to], false);
	}
	pair_table_free(&t);
	return ok;
}

static bool match_graph_contexts(struct comparison_places *places, const struct comparison *c, const struct tree *tree)
{
	struct pair_table t = { 0 };
	bool ok = match_graph_pairs(&t, &c->kinds[COMPARISON_CONTEXTS]);

	for (size_t i = 0; ok && i < tree->nnodes; i++) {
		const struct tree_node *n = &tree->nodes[i];
		uint32_t up = i ? places->context[n->parent] : GRAPH_NONE;

		places->context[i] = i && up == GRAPH_NONE ? GRAPH_NONE : match_graph_pair(&t, up, n->routine == GRAPH_NONE ? GRAPH_NONE : places->routine[n->routine], n->gap);
	}
	pair_table_free(&t);
	return ok;
}

bool comparison_places_find(struct comparison_places *places, const struct comparison *c, const struct graph *g, const struct tree *t, struct error *err)
{
	*places = (struct comparison_places){ .routine = calloc((size_t)g->nroutines + 1, sizeof *places->routine),
		.arc = calloc((size_t)g->narcs + 1, sizeof *places->arc), .context = t ? calloc(t->nnodes + 1, sizeof *places->context) : NULL };
	if (places->routine && places->arc && (!t || places->context) && match_graph_routines(places, c, g) && match_graph_arcs(places, c, g) &&
	    (!t || match_graph_contexts(places, c, t)))
		return true;
	return error_no_memory(err, NULL);
}

void comparison_places_free(struct comparison_places *places)
{
	free(places->routine);
	free(places->arc);
	free(places->context);
	*places = (struct comparison_places){ 0 };
}
