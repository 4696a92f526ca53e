/* history_model.c - the history model of attribution (Spivey 2004, "Presenting the results").
 *
 * A context with time t where P runs gives, for each marked entry B of its history, in the item A[B]C:
 *
 *     total(B) += t
 *     arc A -> B, incoming view:  self2 or child2 += t, as B = P or not
 *     arc B -> C, outgoing view:  self1 or child1 += t, as C = P or not
 *
 * P is marked once only, at the end, so `B = P` is `B is the last entry`; C can be P in an unmarked entry, too.
 * Contexts that extend a history by parent links have all its items, but that of the last entry, whose C they fill
 * in, and their P is nowhere in it.  So each context is charged at once with its weight, the time of
 * all that extend it: one that is its parent's history and one entry touches one arc, one that is spelled
 * out those of its items. */
#include "understand/graph/build.h"

/* The last entry of a context and those who extend it: T of its own, W with theirs. */
struct charge {
	uint64_t t;		/* ns */
	uint64_t w;		/* ns */
	struct overhead_evidence evidence; /* of w */
};

static void charge_incoming(struct graph_arc *arc, const struct charge *charge, bool runs)
{
	uint64_t self = runs ? charge->t : 0;

	arc->self2 += self;
	arc->child2 += charge->w - self;
	overhead_evidence_add(&arc->evidence2, &charge->evidence);
}

static void charge_outgoing(struct graph_arc *arc, const struct charge *charge, bool runs)
{
	uint64_t self = runs ? charge->t : 0;

	arc->self1 += self;
	arc->child1 += charge->w - self;
	overhead_evidence_add(&arc->evidence1, &charge->evidence);
}

/* The part A[B] of the item of entry I in the history S of N entries. */
static bool charge_caller(struct arcs *arcs, const history_entry *s, uint32_t n, uint32_t i, const struct charge *charge)
{
	uint32_t caller = i > 0 ? history_routine(s[i - 1]) : GRAPH_NONE;
	struct graph_arc *arc = arcs_at(arcs, caller, history_routine(s[i]));

	if (!arc)
		return false;
	charge_incoming(arc, charge, i + 1 == n);
	if (i == 0)
		charge_outgoing(arc, charge, i + 1 == n);
	else
		arc->folded |= !history_is_marked(s[i - 1]);
	return true;
}

/* The part [B]C. */
static bool charge_callee(struct arcs *arcs, const history_entry *s, uint32_t n, uint32_t i, const struct charge *charge)
{
	struct graph_arc *arc;

	if (i + 1 == n)
		return true;
	arc = arcs_at(arcs, history_routine(s[i]), history_routine(s[i + 1]));
	if (!arc)
		return false;
	charge_outgoing(arc, charge, history_routine(s[i + 1]) == history_routine(s[n - 1]));
	arc->folded |= !history_is_marked(s[i + 1]);
	return true;
}

/* The first entry of the history S of N entries to which its time passes, as options say. */
static uint32_t first_charged(const struct graph *g, const history_entry *s, uint32_t n)
{
	uint32_t i = n - 1;

	if (g->options.nspecs == 0)
		return 0;
	while (i > 0 && narrow_passes(g, history_routine(s[i - 1]), history_routine(s[i])))
		i--;
	return i;
}

/* All items of a context that is spelled out. */
static bool charge_spelled(struct graph *g, struct arcs *arcs, const struct graph_context *c, const struct weight *w)
{
	const history_entry *s = g->spelled + c->spelled;
	struct charge charge = { .t = c->time, .w = w->time, .evidence = w->evidence };

	uint32_t first = first_charged(g, s, c->length);

	for (uint32_t i = first; i < c->length; i++) {
		struct graph_routine *r = g->routines + history_routine(s[i]);

		if (!history_is_marked(s[i]))
			continue;
		r->total += w->time;
		r->total_ticks += w->ticks;
		overhead_evidence_add(&r->total_evidence, &w->evidence);
		if ((i == 0 || i > first) && !charge_caller(arcs, s, c->length, i, &charge))
			return false;
		if (!charge_callee(arcs, s, c->length, i, &charge))
			return false;
	}
	return true;
}

/* The arc from CALLER to the routine of context INDEX.  NULL: out of memory. */
static struct graph_arc *arc_of(const struct graph *g, struct arcs *arcs, uint32_t index, uint32_t caller)
{
	uint32_t number = arcs->of[index];

	return number ? arcs->arcs + number - 1 : arcs_at(arcs, caller, g->contexts[index].routine);
}

/* The entry that context INDEX adds to its parent's history. */
static bool charge_added(struct graph *g, struct arcs *arcs, uint32_t index, const struct weight *w)
{
	const struct graph_context *c = g->contexts + index;
	struct charge charge = { .t = c->time, .w = w->time, .evidence = w->evidence };
	uint32_t caller = g->contexts[c->parent].routine;
	struct graph_arc *arc;

	if (g->options.nspecs == 0 || narrow_passes(g, caller, c->routine)) {
		arc = arc_of(g, arcs, index, caller);
		if (!arc)
			return false;
		charge_incoming(arc, &charge, true);
		charge_outgoing(arc, &charge, true);
	}
	g->routines[c->routine].total += w->time;
	g->routines[c->routine].total_ticks += w->ticks;
	overhead_evidence_add(&g->routines[c->routine].total_evidence, &w->evidence);
	return true;
}

bool history_model_attribute(struct graph *g, struct arcs *arcs, const struct weight *w, struct error *err)
{
	for (uint32_t i = 1; i < g->ncontexts; i++) {
		const struct graph_context *c = g->contexts + i;

		if (!c->live)
			continue;
		if (!(c->parent == GRAPH_NONE ? charge_spelled(g, arcs, c, w + i) : charge_added(g, arcs, i, w + i)))
			return build_no_memory(err);
	}
	return true;
}
