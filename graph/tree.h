/* tree.h - what the two trees share while they are built. */
#ifndef TREE_H
#define TREE_H

#include "graph.h"

/* A tree that grows level by level. */
struct tree_builder {
	struct tree *tree;	/* what is returned */
	uint32_t room;		/* how many nodes fit */
};

/* Append NODE.  False: out of memory. */
bool tree_append(struct tree_builder *b, const struct tree_node *node);

/* Sort the N nodes at NODES as siblings are sorted. */
void tree_sort(struct tree_node *nodes, size_t n);

/* The two trees.  False: out of memory. */
bool top_down_build(const struct graph *g, const struct tree_options *options, struct tree_builder *b, struct error *err);
bool bottom_up_build(const struct graph *g, const struct tree_options *options, struct tree_builder *b, struct error *err);

#endif
