/* tree_growth.c - trees of paths, top-down or bottom-up, whole or opened node by node. */
#include "understand/graph/tree_builder.h"

#include <stdlib.h>

#include "understand/graph/build.h"

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

struct tree_growth {
	struct tree_builder b;	/* the tree so far */
	struct trie *down;	/* top-down: behind it; else NULL */
	struct climb *up;	/* bottom-up: behind it; else NULL */
	bool *opened;		/* by node; for as many as `known` */
	size_t known;		/* nodes for which opened[] has a place */
};

struct tree_growth *tree_growth_start(const struct graph *g, bool bottom_up, struct error *err)
{
	struct tree_growth *t = calloc(1, sizeof *t);

	if (t)
		t->b.tree = calloc(1, sizeof *t->b.tree);
	if (t && t->b.tree) {
		if (bottom_up)
			t->up = bottom_up_start(g, &t->b);
		else
			t->down = top_down_start(g, &t->b);
	}
	if (t && (t->up || t->down))
		return t;
	tree_growth_free(t);
	build_no_memory(err);
	return NULL;
}

void tree_growth_free(struct tree_growth *t)
{
	if (!t)
		return;
	if (t->up)
		bottom_up_free(t->up);
	if (t->down)
		top_down_free(t->down);
	tree_free(t->b.tree);
	free(t->opened);
	free(t);
}

const struct tree *tree_growth_tree(const struct tree_growth *t)
{
	return t->b.tree;
}

static bool is_open(const struct tree_growth *t, uint32_t node)
{
	return node < t->known && t->opened[node];
}

/* Room in opened[] for all nodes. */
static bool opened_grow(struct tree_growth *t)
{
	size_t n = t->b.tree->nnodes > 2 * t->known ? t->b.tree->nnodes : 2 * t->known;
	bool *more;

	if (t->b.tree->nnodes <= t->known)
		return true;
	more = realloc(t->opened, n * sizeof *more);
	if (!more)
		return false;
	for (size_t i = t->known; i < n; i++)
		more[i] = false;
	t->opened = more;
	t->known = n;
	return true;
}

bool tree_growth_open(struct tree_growth *t, uint32_t node, struct error *err)
{
	if (is_open(t, node))
		return true;
	if (!opened_grow(t) || !(t->up ? bottom_up_open(t->up, &t->b, node) : top_down_open(t->down, &t->b, node)))
		return build_no_memory(err);
	t->opened[node] = true;
	return true;
}

bool tree_growth_has_more(const struct tree_growth *t, uint32_t node)
{
	if (is_open(t, node))
		return t->b.tree->nodes[node].nchildren > 0;
	return t->up ? bottom_up_has_more(t->up, node) : top_down_has_more(t->down, &t->b, node);
}
