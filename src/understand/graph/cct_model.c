/* cct_model.c - the calling context tree as a model of attribution (Ammons, Ball and Larus 1997).
 *
 * A node of the tree is a chain of calls in which no routine is twice: a call of a routine that is on the chain returns to
 * its node there (a back-edge).  Time belongs to the routines on the node's chain; of what else is active the tree does not know.
 *
 *     Main -> P -> Q -> R -> P -> S    is the node    Main -> P -> S    (Spivey 2004, Figure 3)
 *
 * The chain follows from the history.  It goes from the bottom routine to what that called last, from there to what this
 * called last, and so on: from each marked entry to the one after it, and to where that routine is marked.  A history keeps these
 * entries, but not always its first one if the bottom routine is called again: the bottom is taken from
 * the context's ancestors.  Where two ways to one history have different bottoms, the way met first counts.
 *
 * A context that is its parent's history and one routine is the child of its parent's node; the others are
 * looked up entry by entry.  Back-edges carry calls, and no time. */
#include <stdlib.h>

#include "base/array.h"
#include "understand/graph/build.h"
#include "base/pair_table.h"

/* A node of the tree: parents before children. */
struct node {
	uint32_t parent;	/* index of a node; 0: the root, which has none */
	uint32_t routine;	/* index in graph.routines; GRAPH_NONE at the root */
	uint64_t time;		/* of the contexts that are this node, ns; in the end self is the same and time all below, too */
	uint64_t self;		/* of the contexts that are this node, ns */
	uint64_t ticks;		/* samples; as time */
	struct overhead_evidence evidence; /* what these say of time; as time */
};

struct tree_of_contexts {
	struct graph *g;	/* what it is made from */
	struct node *nodes;	/* [0] is the root */
	uint32_t n;		/* how many */
	size_t room;		/* how many fit */
	struct pair_table table; /* (parent, routine) -> node; never 0, since nobody looks for the root */
	uint32_t *node_of;	/* by context of the graph: its node */
	uint32_t *bottom;	/* by context of the graph: the first routine of its stack; GRAPH_NONE at the root */
	uint32_t *marked;	/* by routine: where the history at hand has its mark */
};

/* The child of PARENT for ROUTINE, made when new; GRAPH_NONE: out of memory. */
static uint32_t child_of(struct tree_of_contexts *t, uint32_t parent, uint32_t routine)
{
	uint32_t *slot = pair_table_at(&t->table, parent, routine);

	if (!slot)
		return GRAPH_NONE;
	if (*slot == 0) {
		if (!array_grow(&t->nodes, &t->room, t->n, sizeof *t->nodes))
			return GRAPH_NONE;
		t->nodes[t->n] = (struct node){ .parent = parent, .routine = routine };
		*slot = t->n++;
	}
	return *slot;
}

/* The node of a history S of N entries at the bottom of whose stack is routine BOTTOM; GRAPH_NONE: out of memory. */
static uint32_t node_at(struct tree_of_contexts *t, const history_entry *s, uint32_t n, uint32_t bottom)
{
	uint32_t node = 0, i;

	for (i = 0; i < n; i++)
		if (history_is_marked(s[i]))
			t->marked[history_routine(s[i])] = i;
	for (i = t->marked[bottom]; node != GRAPH_NONE; i = t->marked[history_routine(s[i + 1])]) {
		node = child_of(t, node, history_routine(s[i]));
		if (i + 1 == n)
			break;
	}
	return node;
}

/* The bottoms of all contexts, from the profile's parents. */
static void find_bottoms(struct tree_of_contexts *t)
{
	const struct graph *g = t->g;

	for (uint32_t i = 0; i < g->ncontexts; i++)
		t->bottom[i] = GRAPH_NONE;
	for (uint32_t i = 1; i < g->profile->ncontexts; i++) {
		const struct profile_context *c = g->profile->contexts + i;
		uint32_t *bottom = t->bottom + g->context_of[i], parents = t->bottom[g->context_of[c->parent]];

		if (*bottom == GRAPH_NONE)
			*bottom = parents == GRAPH_NONE ? graph_owner(g, i) : parents;
	}
}

static bool place_contexts(struct tree_of_contexts *t)
{
	struct graph *g = t->g;

	for (uint32_t i = 1; i < g->ncontexts; i++) {
		const struct graph_context *c = g->contexts + i;

		t->node_of[i] = c->parent != GRAPH_NONE ? child_of(t, t->node_of[c->parent], c->routine)
			: node_at(t, g->spelled + c->spelled, c->length, t->bottom[i]);
		if (t->node_of[i] == GRAPH_NONE)
			return false;
		t->nodes[t->node_of[i]].self += c->time;
		t->nodes[t->node_of[i]].time += c->time;
		t->nodes[t->node_of[i]].ticks += c->ticks;
		overhead_evidence_add(&t->nodes[t->node_of[i]].evidence, &c->evidence);
	}
	return true;
}

/* Whether the time of N goes to its parent, as options say; what stands at the root has no caller to keep it from. */
static bool passes(const struct tree_of_contexts *t, const struct node *n)
{
	uint32_t caller = t->nodes[n->parent].routine;

	return t->g->options.nspecs == 0 || caller == GRAPH_NONE || narrow_passes(t->g, caller, n->routine);
}

/* From the leaves to the root: each node charges its arc and its routine, and adds to its parent. */
static bool charge_nodes(struct tree_of_contexts *t, struct arcs *arcs)
{
	for (uint32_t i = t->n; i-- > 1;) {
		const struct node *n = t->nodes + i;
		struct graph_arc *arc;

		t->g->routines[n->routine].total += n->time;
		t->g->routines[n->routine].total_ticks += n->ticks;
		overhead_evidence_add(&t->g->routines[n->routine].total_evidence, &n->evidence);
		if (!passes(t, n))
			continue;
		t->nodes[n->parent].time += n->time;
		t->nodes[n->parent].ticks += n->ticks;
		overhead_evidence_add(&t->nodes[n->parent].evidence, &n->evidence);
		if (n->time == 0)
			continue;
		arc = arcs_at(arcs, t->nodes[n->parent].routine, n->routine);
		if (!arc)
			return false;
		arc->self1 = arc->self2 += n->self;
		arc->child1 = arc->child2 += n->time - n->self;
		overhead_evidence_add(&arc->evidence1, &n->evidence);
		overhead_evidence_add(&arc->evidence2, &n->evidence);
	}
	return true;
}

static bool tree_start(struct tree_of_contexts *t)
{
	t->node_of = calloc(t->g->ncontexts, sizeof *t->node_of);
	t->bottom = calloc(t->g->ncontexts, sizeof *t->bottom);
	t->marked = calloc((size_t)t->g->nroutines + 1, sizeof *t->marked);
	if (!t->node_of || !t->bottom || !t->marked || !array_grow(&t->nodes, &t->room, 0, sizeof *t->nodes))
		return false;
	t->nodes[t->n++] = (struct node){ .routine = GRAPH_NONE };
	return true;
}

bool cct_model_attribute(struct graph *g, struct arcs *arcs, const struct weight *w, struct error *err)
{
	struct tree_of_contexts t = { .g = g };
	bool done = tree_start(&t);

	(void)w;
	if (done)
		find_bottoms(&t);
	done = done && place_contexts(&t) && charge_nodes(&t, arcs);
	free(t.nodes);
	pair_table_free(&t.table);
	free(t.node_of);
	free(t.bottom);
	free(t.marked);
	return done || build_no_memory(err);
}
