/* nodes.c - the nodes of a tree while it is built. */
#include <stdlib.h>

#include "base/array.h"
#include "understand/graph/tree_builder.h"

bool tree_append(struct tree_builder *b, const struct tree_node *node)
{
	if (!array_grow(&b->tree->nodes, &b->room, b->tree->nnodes, sizeof *node))
		return false;
	b->tree->nodes[b->tree->nnodes++] = *node;
	return true;
}

static int nodes_by_total(const void *x, const void *y)
{
	const struct tree_node *a = x, *b = y;

	if (a->total != b->total)
		return a->total > b->total ? -1 : 1;
	if (a->calls != b->calls)
		return a->calls > b->calls ? -1 : 1;
	if (a->routine != b->routine)
		return a->routine < b->routine ? -1 : 1;
	return a->gap - b->gap;
}

void tree_sort(struct tree_node *nodes, size_t n)
{
	if (n > 1)
		qsort(nodes, n, sizeof *nodes, nodes_by_total);
}
