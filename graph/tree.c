/* tree.c - trees of paths: what the top-down and the bottom-up one have in common. */
#include "tree.h"

#include <stdlib.h>

#include "build.h"

bool tree_append(struct tree_builder *b, const struct tree_node *node)
{
	if (!build_grow(&b->tree->nodes, b->tree->nnodes, &b->room, sizeof *node))
		return false;
	b->tree->nodes[b->tree->nnodes++] = *node;
	return true;
}

static int by_total(const void *x, const void *y)
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
		qsort(nodes, n, sizeof *nodes, by_total);
}

struct tree *tree_build(const struct graph *g, const struct tree_options *options, struct error *err)
{
	struct tree_builder b = { .tree = calloc(1, sizeof *b.tree) };

	if (!b.tree) {
		build_no_memory(err);
		return NULL;
	}
	if ((options->bottom_up ? bottom_up_build : top_down_build)(g, options, &b, err))
		return b.tree;
	tree_free(b.tree);
	return NULL;
}

void tree_free(struct tree *t)
{
	if (!t)
		return;
	free(t->nodes);
	free(t->node_of);
	free(t);
}
