/* bottom_up.c - histories as paths from the running routine to the root.
 *
 * Most histories share no long path from their end, so no trie of all paths is made.  A node is the range of those
 * contexts, in one array of walkers, whose histories pass it; each walker stands at the entry that comes
 * next.  To expand a node its walkers are grouped by that entry, groups below the limit are dropped, and each
 * other group, a range within the node's, is a child.  The work is the sum of the sizes of the nodes that
 * are kept; the memory is the nodes and two arrays of walkers. */
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "understand/graph/build.h"
#include "understand/graph/tree_builder.h"

/* On the way from a context's last entry to its first. */
struct walker {
	uint32_t context;	/* whose time and entries it carries */
	uint32_t at;		/* context whose history begins with the entries that are left */
	uint32_t left;		/* how many */
	bool unmarked;		/* the entry that it came from was unmarked */
};

/* Walkers whose next entry joins the same node. */
struct group {
	struct tree_node node;	/* what will be appended */
	size_t count;		/* walkers */
	size_t next;		/* where its next walker goes */
};

struct range {
	size_t first;		/* walker */
	size_t end;		/* one past the last */
};

struct climb {
	const struct graph *g;	/* whose contexts walk */
	const struct tree_options *options; /* the limits */
	struct walker *walkers;	/* one a context */
	struct walker *sorted;	/* room to group them */
	size_t n;		/* how many */
	struct group *groups;	/* of the node at hand */
	uint32_t ngroups;	/* how many */
	size_t groups_room;	/* how many fit */
	uint32_t *group_of;	/* by routine << 1 | gap: its group + 1; 0: none */
	struct range *ranges;	/* by node: its walkers */
	size_t ranges_room;	/* how many fit */
};

static history_entry next_entry(const struct graph *g, const struct walker *w)
{
	const struct graph_context *c = g->contexts + w->at;

	return c->parent == GRAPH_NONE ? g->spelled[c->spelled + w->left - 1] : history_marked(c->routine);
}

static void bottom_up_walk(const struct graph *g, struct walker *w)
{
	w->unmarked = !history_is_marked(next_entry(g, w));
	if (g->contexts[w->at].parent != GRAPH_NONE)
		w->at = g->contexts[w->at].parent;
	w->left--;
}

/* routine << 1 | gap of the next entry: which child of the node W joins. */
static uint32_t bottom_up_key_of(const struct graph *g, const struct walker *w)
{
	history_entry e = next_entry(g, w);

	return history_routine(e) << 1 | (w->unmarked && !history_is_marked(e));
}

/* Count W for its group, made when new.  False: out of memory. */
static bool bottom_up_count(struct climb *c, const struct walker *w, uint32_t parent)
{
	const struct graph_context *context = c->g->contexts + w->context;
	uint32_t key = bottom_up_key_of(c->g, w);
	struct group *group;

	if (c->group_of[key] == 0) {
		if (!array_grow(&c->groups, &c->groups_room, c->ngroups, sizeof *c->groups))
			return false;
		c->groups[c->ngroups] = (struct group){ .node = { .routine = key >> 1, .gap = key & 1, .parent = parent } };
		c->group_of[key] = ++c->ngroups;
	}
	group = c->groups + c->group_of[key] - 1;
	group->count++;
	group->node.total += context->time;
	group->node.calls += context->entries;
	group->node.ticks += context->ticks;
	overhead_evidence_add(&group->node.evidence, &context->evidence);
	group->node.folded |= !history_is_marked(next_entry(c->g, w));
	return true;
}

/* Append NODE whose walkers are RANGE.  False: out of memory. */
static bool bottom_up_append(struct climb *c, struct tree_builder *b, const struct tree_node *node, struct range range)
{
	if (!array_grow(&c->ranges, &c->ranges_room, b->tree->nnodes, sizeof *c->ranges))
		return false;
	c->ranges[b->tree->nnodes] = range;
	return tree_append(b, node);
}

/* Make the groups that are large enough children of node AT, their ranges side by side from FIRST on. */
static bool append_groups(struct climb *c, struct tree_builder *b, size_t at, size_t first, uint64_t least)
{
	uint32_t n = 0, begin = b->tree->nnodes;

	for (uint32_t i = 0; i < c->ngroups; i++) {
		const struct group *group = c->groups + i;

		if (group->node.total >= least) {
			if (!bottom_up_append(c, b, &group->node, (struct range){ 0 }))
				return false;
			n++;
		}
	}
	tree_sort(b->tree->nodes + begin, n);
	b->tree->nodes[at].first = n ? begin : 0;
	b->tree->nodes[at].nchildren = n;
	for (uint32_t i = begin; i < begin + n; i++) {
		const struct tree_node *node = b->tree->nodes + i;
		struct group *group = c->groups + c->group_of[node->routine << 1 | node->gap] - 1;

		b->tree->nodes[at].rest -= node->total;
		group->next = first;
		c->ranges[i] = (struct range){ .first = first, .end = first + group->count };
		first += group->count;
	}
	return true;
}

/* Move the walkers of RANGE whose groups are children to the children's ranges, one entry on. */
static void distribute(struct climb *c, struct range range, uint64_t least)
{
	size_t kept = 0;

	for (size_t i = range.first; i < range.end; i++) {
		struct walker w = c->walkers[i];
		struct group *group;

		if (w.left == 0)
			continue;
		group = c->groups + c->group_of[bottom_up_key_of(c->g, &w)] - 1;
		if (group->node.total < least)
			continue;
		bottom_up_walk(c->g, &w);
		c->sorted[group->next++] = w;
		kept++;
	}
	if (kept > 0)
		memcpy(c->walkers + range.first, c->sorted + range.first, kept * sizeof *c->walkers);
}

/* Give node AT its children, none with a total below LEAST. */
static bool bottom_up_expand(struct climb *c, struct tree_builder *b, size_t at, uint64_t least)
{
	struct range range = c->ranges[at];
	bool done = true;

	for (size_t i = range.first; i < range.end && done; i++)
		if (c->walkers[i].left > 0)
			done = bottom_up_count(c, c->walkers + i, at);
	done = done && append_groups(c, b, at, range.first, least);
	if (done)
		distribute(c, range, least);
	for (uint32_t i = 0; i < c->ngroups; i++)
		c->group_of[c->groups[i].node.routine << 1 | c->groups[i].node.gap] = 0;
	c->ngroups = 0;
	return done;
}

/* Open node AT, or, TOO_DEEP, only settle its times.  The roots have self time. */
static bool open_node(struct climb *c, struct tree_builder *b, size_t at, bool too_deep)
{
	struct tree_node *node = b->tree->nodes + at;
	uint64_t min = c->options->min_time;

	node->rest = node->total;
	node->self = node->parent == 0 ? node->total : 0;
	return too_deep || bottom_up_expand(c, b, at, min > 0 || c->g->time == 0 || at > 0 ? min : 1);
}

/* Level by level: the nodes from LEVEL to END have equal depth. */
static bool climb(struct climb *c, struct tree_builder *b)
{
	uint32_t depth = 0;

	for (size_t level = 0, end = 1; level < end; level = end, end = b->tree->nnodes, depth++)
		for (size_t i = level; i < end; i++)
			if (!open_node(c, b, i, c->options->depth && depth == c->options->depth))
				return false;
	return true;
}

/* A walker for each context that has something to carry, at its last entry, and the root of the tree. */
static bool graph_bottom_up_start(struct climb *c, struct tree_builder *b)
{
	const struct graph *g = c->g;
	struct tree_node root = { .routine = GRAPH_NONE, .parent = GRAPH_NONE,
		.total = g->time + g->outside, .ticks = g->ticks + g->outside_ticks, .evidence = g->evidence };

	c->walkers = calloc(g->ncontexts, sizeof *c->walkers);
	c->sorted = calloc(g->ncontexts, sizeof *c->sorted);
	c->group_of = calloc(2 * (size_t)g->nroutines + 1, sizeof *c->group_of);
	if (!c->walkers || !c->sorted || !c->group_of)
		return false;
	for (uint32_t i = 1; i < g->ncontexts; i++) {
		const struct graph_context *context = g->contexts + i;

		if (!context->kept || (context->time == 0 && context->entries == 0))
			continue;
		c->walkers[c->n++] = (struct walker){ .context = i, .at = i, .left = context->length };
		root.calls += context->entries;
	}
	return bottom_up_append(c, b, &root, (struct range){ .end = c->n });
}

static void climb_end(struct climb *c)
{
	free(c->walkers);
	free(c->sorted);
	free(c->groups);
	free(c->group_of);
	free(c->ranges);
}

bool bottom_up_build(const struct graph *g, const struct tree_options *options, struct tree_builder *b, struct error *err)
{
	struct climb c = { .g = g, .options = options };
	bool done = graph_bottom_up_start(&c, b) && climb(&c, b);

	climb_end(&c);
	return done || build_no_memory(err);
}

struct climb *bottom_up_start(const struct graph *g, struct tree_builder *b)
{
	static const struct tree_options everything = { .bottom_up = true };
	struct climb *c = calloc(1, sizeof *c);

	if (!c)
		return NULL;
	c->g = g;
	c->options = &everything;
	if (graph_bottom_up_start(c, b))
		return c;
	bottom_up_free(c);
	return NULL;
}

bool bottom_up_open(struct climb *c, struct tree_builder *b, size_t at)
{
	return open_node(c, b, at, false);
}

bool bottom_up_has_more(const struct climb *c, size_t at)
{
	for (size_t i = c->ranges[at].first; i < c->ranges[at].end; i++)
		if (c->walkers[i].left > 0)
			return true;
	return false;
}

void bottom_up_free(struct climb *c)
{
	climb_end(c);
	free(c);
}
