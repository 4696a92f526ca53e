/* top_down.c - histories as paths from the root.
 *
 * First all paths grow into a trie: those that are spelled out, then contexts that add one entry to their parent's
 * path.  Marked entries are the last of their routines, so equal paths have equal marks, and a path
 * belongs to one context; but it can also be the front of one that is spelled out.  So only nodes
 * of the first kind are looked up in a table.  Totals are summed from the leaves up.  Then what the limits
 * keep is laid out level by level, children side by side and sorted. */
#include <assert.h>
#include <stdlib.h>

#include "base/array.h"
#include "understand/graph/build.h"
#include "base/pair_table.h"
#include "understand/graph/tree_builder.h"

/* A node of the trie. */
struct path {
	uint32_t parent;	/* node before it; GRAPH_NONE at the root */
	uint32_t link;		/* routine << 1 | gap */
	uint32_t child;		/* its child made last; 0: none */
	uint32_t sibling;	/* its parent's child made before it; 0: none */
	uint64_t self;		/* time of the contexts that end here, ns */
	uint64_t total;		/* of those that pass, ns */
	uint64_t calls;		/* entries of those that end here */
	uint64_t above;		/* the same of those that a focus left out */
	uint64_t ticks;		/* samples behind total */
	struct overhead_evidence evidence; /* what these say of total */
	bool folded;		/* unmarked in some history */
};

struct trie {
	const struct graph *g;	/* whose contexts it holds */
	struct path *paths;	/* parents before children, [0] the root */
	uint32_t n;		/* how many */
	size_t room;		/* how many fit */
	uint32_t nspelled;	/* the first of them are the fronts of histories that are spelled out */
	struct pair_table spelled; /* (parent, link) to path, of these */
	uint32_t *node_of;	/* context -> path */
	uint32_t *place;	/* path -> node of the tree; GRAPH_NONE: left out */
};

/* A new child of PARENT by LINK.  0: out of memory. */
static uint32_t top_down_add(struct trie *t, uint32_t parent, uint32_t link)
{
	if (!array_grow(&t->paths, &t->room, t->n, sizeof *t->paths))
		return 0;
	assert(parent < t->n);			/* parents before children */
	t->paths[t->n] = (struct path){ .parent = parent, .link = link, .sibling = t->paths[parent].child };
	t->paths[parent].child = t->n;
	return t->n++;
}

/* The child of PARENT by LINK on the way of a history that is spelled out, made when new.  0: out of memory. */
static uint32_t spelled_child(struct trie *t, uint32_t parent, uint32_t link)
{
	uint32_t *child = pair_table_at(&t->spelled, parent, link);

	if (child && *child == 0)
		*child = top_down_add(t, parent, link);
	return child ? *child : 0;
}

/* The child of PARENT for a context that adds ROUTINE to its history.  0: out of memory. */
static uint32_t added_child(struct trie *t, uint32_t parent, uint32_t routine)
{
	uint32_t found = parent < t->nspelled ? pair_table_find(&t->spelled, parent, routine << 1) : 0;

	return found ? found : top_down_add(t, parent, routine << 1);
}

/* The node of a history that is spelled out.  0: out of memory. */
static uint32_t spelled_node(struct trie *t, const history_entry *s, uint32_t n)
{
	uint32_t node = 0;

	for (uint32_t i = 0; i < n; i++) {
		bool gap = i > 0 && !history_is_marked(s[i - 1]) && !history_is_marked(s[i]);

		node = spelled_child(t, node, history_routine(s[i]) << 1 | gap);
		if (node == 0)
			return 0;
		t->paths[node].folded |= !history_is_marked(s[i]);
	}
	return node;
}

/* The nodes of all live contexts that are SPELLED out, or of all others. */
static bool top_down_grow(struct trie *t, bool spelled)
{
	for (uint32_t i = 1; i < t->g->ncontexts; i++) {
		const struct graph_context *c = t->g->contexts + i;
		uint32_t node;

		if (!c->live || spelled != (c->parent == GRAPH_NONE))
			continue;
		node = spelled ? spelled_node(t, t->g->spelled + c->spelled, c->length)
			: added_child(t, t->node_of[c->parent], c->routine);
		if (node == 0)
			return false;
		t->node_of[i] = node;
		t->paths[node].self += c->time;
		t->paths[node].calls += c->entries;
		t->paths[node].above += c->above;
		t->paths[node].ticks += c->ticks;
		overhead_evidence_add(&t->paths[node].evidence, &c->evidence);
	}
	return true;
}

static void top_down_sum_up(struct trie *t)
{
	t->paths[0].self = t->g->outside;
	t->paths[0].ticks = t->g->outside_ticks;
	t->paths[0].evidence = t->g->contexts[0].evidence;
	for (uint32_t i = t->n; i-- > 0;) {
		struct path *path = t->paths + i;

		path->total += path->self;
		if (i == 0)
			return;
		t->paths[path->parent].total += path->total;
		t->paths[path->parent].ticks += path->ticks;
		overhead_evidence_add(&t->paths[path->parent].evidence, &path->evidence);
	}
}

static struct tree_node node_from(const struct trie *t, uint32_t index, uint32_t parent)
{
	const struct path *path = t->paths + index;

	return (struct tree_node){ .parent = parent, .first = index,
		.routine = index ? path->link >> 1 : GRAPH_NONE, .gap = index && (path->link & 1),
		.self = path->self, .total = path->total, .calls = path->calls, .above = path->above, .ticks = path->ticks,
		.evidence = path->evidence, .folded = path->folded };
}

/* A context that was made and never entered, as the one that stands by for lost calls. */
static bool top_down_is_idle(const struct path *path)
{
	return path->child == 0 && path->total == 0 && path->calls == 0;
}

/* Give node AT of the tree its children, or, TOO_DEEP, none.  Until now its `first` names its path. */
static bool top_down_expand(const struct trie *t, const struct tree_options *options, struct tree_builder *b,
		   size_t at, bool too_deep)
{
	struct tree_node *node = b->tree->nodes + at;
	size_t first = b->tree->nnodes;
	uint64_t rest = node->total - node->self;

	for (uint32_t i = t->paths[node->first].child; i != 0 && !too_deep; i = t->paths[i].sibling) {
		struct tree_node child = node_from(t, i, at);

		if (child.total < options->min_time || (options->entered && top_down_is_idle(t->paths + i)))
			continue;
		if (!tree_append(b, &child))
			return false;
		rest -= child.total;
	}
	tree_sort(b->tree->nodes + first, b->tree->nnodes - first);
	for (size_t i = first; i < b->tree->nnodes; i++)
		t->place[b->tree->nodes[i].first] = (uint32_t)i;
	node = b->tree->nodes + at;
	node->rest = rest;
	node->nchildren = b->tree->nnodes - first;
	node->first = node->nchildren ? first : 0;
	return true;
}

/* Level by level: the nodes from LEVEL to END have equal depth. */
static bool lay_out(const struct trie *t, const struct tree_options *options, struct tree_builder *b)
{
	struct tree_node root = node_from(t, 0, GRAPH_NONE);
	bool whole = options->min_time == 0 && options->depth == 0;
	uint32_t depth = 0;

	if (!array_reserve(&b->tree->nodes, &b->room, whole ? t->n : 1, sizeof *b->tree->nodes) || !tree_append(b, &root))
		return false;
	t->place[0] = 0;
	for (size_t level = 0, end = 1; level < end; level = end, end = b->tree->nnodes, depth++)
		for (size_t i = level; i < end; i++)
			if (!top_down_expand(t, options, b, i, options->depth && depth == options->depth))
				return false;
	return true;
}

static bool trie_build(struct trie *t)
{
	t->node_of = calloc(t->g->ncontexts, sizeof *t->node_of);
	if (!t->node_of || !array_grow(&t->paths, &t->room, 0, sizeof *t->paths))
		return false;
	t->paths[0] = (struct path){ .parent = GRAPH_NONE };
	t->n = 1;
	if (!top_down_grow(t, true))
		return false;
	t->nspelled = t->n;
	if (!array_reserve(&t->paths, &t->room, (size_t)t->n + t->g->ncontexts, sizeof *t->paths) || !top_down_grow(t, false))
		return false;
	top_down_sum_up(t);
	return true;
}

static bool places_make(struct trie *t)
{
	t->place = malloc(t->n * sizeof *t->place);
	for (uint32_t i = 0; t->place && i < t->n; i++)
		t->place[i] = GRAPH_NONE;
	return t->place != NULL;
}

/* The paths of the contexts become nodes of TREE, which has them from now on. */
static void top_down_hand_over(struct trie *t, struct tree *tree)
{
	for (uint32_t i = 0; i < t->g->ncontexts; i++)
		t->node_of[i] = t->place[t->node_of[i]];
	tree->node_of = t->node_of;
	t->node_of = NULL;
}

static void trie_end(struct trie *t)
{
	free(t->paths);
	pair_table_free(&t->spelled);
	free(t->node_of);
	free(t->place);
}

bool top_down_build(const struct graph *g, const struct tree_options *options, struct tree_builder *b, struct error *err)
{
	struct trie t = { .g = g };
	bool done = trie_build(&t) && places_make(&t) && lay_out(&t, options, b);

	if (done)
		top_down_hand_over(&t, b->tree);
	trie_end(&t);
	return done || build_no_memory(err);
}

struct trie *top_down_start(const struct graph *g, struct tree_builder *b)
{
	struct trie *t = calloc(1, sizeof *t);
	struct tree_node root;

	if (!t)
		return NULL;
	t->g = g;
	if (trie_build(t) && places_make(t)) {
		root = node_from(t, 0, GRAPH_NONE);
		if (tree_append(b, &root))
			return t;
	}
	top_down_free(t);
	return NULL;
}

bool top_down_open(struct trie *t, struct tree_builder *b, size_t at)
{
	return top_down_expand(t, &(struct tree_options){ 0 }, b, at, false);
}

bool top_down_has_more(const struct trie *t, const struct tree_builder *b, size_t at)
{
	return t->paths[b->tree->nodes[at].first].child != 0;
}

void top_down_free(struct trie *t)
{
	trie_end(t);
	free(t);
}
