/* tree_builder.h - what the two trees share while they are built. */
#ifndef TREE_BUILDER_H
#define TREE_BUILDER_H

#include "understand/graph/graph.h"

/* A tree that grows level by level. */
struct tree_builder {
	struct tree *tree;	/* what is returned */
	size_t room;		/* how many nodes fit */
};

/* Append NODE.  False: out of memory. */
bool tree_append(struct tree_builder *b, const struct tree_node *node);

/* Sort the N nodes at NODES as siblings are sorted. */
void tree_sort(struct tree_node *nodes, size_t n);

/* The two trees.  False: out of memory. */
bool top_down_build(const struct graph *g, const struct tree_options *options, struct tree_builder *b, struct error *err);
bool bottom_up_build(const struct graph *g, const struct tree_options *options, struct tree_builder *b, struct error *err);

/* The same node by node: start makes the root, NULL: out of memory; open gives node AT its children, once, false: out of
 * memory; has_more says whether a node that is not open would get any. */
struct trie;
struct trie *top_down_start(const struct graph *g, struct tree_builder *b);
bool top_down_open(struct trie *t, struct tree_builder *b, size_t at);
bool top_down_has_more(const struct trie *t, const struct tree_builder *b, size_t at);
void top_down_free(struct trie *t);

struct climb;
struct climb *bottom_up_start(const struct graph *g, struct tree_builder *b);
bool bottom_up_open(struct climb *c, struct tree_builder *b, size_t at);
bool bottom_up_has_more(const struct climb *c, size_t at);
void bottom_up_free(struct climb *c);

#endif
