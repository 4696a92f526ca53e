/* charge.c - the counters of the graph's contexts from those of the profile.
 *
 * Several contexts of the profile may be one of the graph: their counters add up.  The step from
 * one clone of a routine to another is a direct recursive call (A1), but not the step to a .part or .cold piece.  A piece that another routine
 * enters was called by it, past a beginning that was inlined there; or the routine itself was called and jumped to its piece, an entry of
 * either.  So of both numbers the larger is that of the calls, at least.  The cost of the hooks is
 * subtracted per context of the profile, or in proportion from one thread's share in it, never below zero; what exceeds its time is
 * hooks_unplaced. */
#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "understand/graph/build.h"

/* What one context of the profile brings. */
struct part {
	uint64_t entries;	/* calls */
	uint64_t recursive;	/* direct recursive calls */
	uint64_t time;		/* raw, ns */
	uint64_t ticks;		/* samples */
	uint64_t bytes;		/* moved */
	int64_t hooks;		/* estimated cost of hooks, ns */
	struct overhead_evidence evidence; /* what samples say of time without hooks, or of time */
};

/* What the entries of a context of the profile are. */
enum kind {
	NONE,			/* of the root, of a routine left out, or of a piece of the very routine that ran: no calls */
	CALLS,			/* calls from another routine */
	RECURSIVE,		/* direct recursive calls */
	PIECES,			/* of a piece, from another routine */
};

static bool charge_is_left_out(const struct graph *g, uint32_t index)
{
	return index > 0 && g->routines[g->routine_of[g->profile->contexts[index].routine]].left_out;
}

static enum kind charge_kind_of(const struct graph *g, uint32_t index)
{
	const struct profile_context *from = g->profile->contexts + index;
	bool again;

	if (index == 0 || charge_is_left_out(g, index))
		return NONE;
	again = g->contexts[g->context_of[from->parent]].routine == g->contexts[g->context_of[index]].routine;
	if (g->names[from->routine].part)
		return again ? NONE : PIECES;
	return again ? RECURSIVE : CALLS;
}

static int64_t subtracted(const struct graph *g, const struct part *part)
{
	if (g->options.raw)
		return 0;
	return part->hooks < 0 || (uint64_t)part->hooks < part->time ? part->hooks : (int64_t)part->time;
}

/* Add the hooks' cost in PART to that of the graph. */
static void add_hooks(struct graph *g, const struct part *part)
{
	int64_t less = subtracted(g, part);

	g->hooks = (int64_t)((uint64_t)g->hooks + (uint64_t)less);
	g->hooks_unplaced += g->options.raw ? 0 : (uint64_t)(part->hooks - less);
}

/* Where entries of KIND count in C. */
static uint64_t *charge_counter_of(struct graph_context *c, enum kind kind)
{
	switch (kind) {
	case CALLS:
		return &c->entries;
	case RECURSIVE:
		return &c->recursive;
	case PIECES:
		return &c->pieces;
	case NONE:
		break;
	}
	return NULL;
}

/* Whether the entries of C are those of pieces. */
static bool entered_by_pieces(const struct graph_context *c)
{
	return c->pieces > 0 && c->entries == c->pieces;
}

static void settle_entries(struct graph *g)
{
	for (uint32_t i = 0; i < g->ncontexts; i++) {
		struct graph_context *c = g->contexts + i;

		if (c->entries < c->pieces)
			c->entries = c->pieces;
		if (c->pieces > 0)
			g->routines[c->routine].partly = true;
	}
}

static void add_part(struct graph *g, uint32_t index, const struct part *part)
{
	struct graph_context *c = g->contexts + g->context_of[index];
	int64_t less = subtracted(g, part);
	enum kind kind = charge_kind_of(g, index);

	assert(less <= 0 || (uint64_t)less <= part->time);	/* never below zero */
	c->kept = true;
	c->time += part->time - (uint64_t)less;
	c->ticks += part->ticks;
	c->bytes += part->bytes;
	overhead_evidence_add(&c->evidence, &part->evidence);
	add_hooks(g, part);
	if (kind != NONE)
		*charge_counter_of(c, kind) += part->entries;
	c->recursive += part->recursive;
}

/* What context INDEX of the profile brings. */
static struct part part_of_context(const struct graph *g, uint32_t index)
{
	const struct profile_context *c = g->profile->contexts + index;

	return (struct part){ .entries = c->entries, .recursive = charge_is_left_out(g, index) ? 0 : c->recursive, .time = c->time, .ticks = c->ticks,
		.bytes = c->bytes,
		.hooks = g->overhead->hooks[index], .evidence = overhead_evidence(g->overhead, index, g->options.raw) };
}

static struct part part_of_share(const struct graph *g, const struct profile_share *s)
{
	const struct profile_context *c = g->profile->contexts + s->context;
	struct overhead_evidence evidence = overhead_evidence(g->overhead, s->context, g->options.raw);
	double share = c->time ? (double)s->time / (double)c->time : c->entries ? (double)s->entries / (double)c->entries : 0;

	return (struct part){ .entries = s->entries, .recursive = charge_is_left_out(g, s->context) ? 0 : s->recursive, .time = s->time,
		.ticks = s->ticks,
		.bytes = s->bytes,
		.hooks = overhead_of_share(g->overhead, s), .evidence = { share * evidence.measured, share * evidence.variance } };
}

struct graph_share graph_share(const struct graph *g, size_t i)
{
	const struct profile_share *s = g->profile->shares + i;
	struct part part = part_of_share(g, s);
	struct graph_share share = { .context = g->context_of[s->context], .thread = s->thread, .ticks = part.ticks,
		.evidence = part.evidence, .time = part.time - (uint64_t)subtracted(g, &part) };
	enum kind kind = charge_kind_of(g, s->context);

	if (kind == (entered_by_pieces(g->contexts + share.context) ? PIECES : CALLS))
		share.entries = part.entries;
	share.recursive = part.recursive + (kind == RECURSIVE ? part.entries : 0);
	return share;
}

uint64_t graph_time(const struct graph *g, uint32_t context)
{
	return g->options.raw ? g->profile->contexts[context].time : overhead_charged(g->overhead, context);
}

static void charge_all(struct graph *g)
{
	for (uint32_t i = 0; i < g->profile->ncontexts; i++) {
		struct part part = part_of_context(g, i);

		add_part(g, i, &part);
	}
	g->monitor = g->profile->monitor;
	g->unplaced = g->profile->unplaced;
}

static void charge_thread(struct graph *g)
{
	const struct profile *p = g->profile;

	for (uint32_t i = 0; i < g->ncontexts; i++)
		g->contexts[i].kept = false;
	for (size_t i = 0; i < p->nshares; i++) {
		struct part part = part_of_share(g, p->shares + i);

		if (p->shares[i].thread == g->options.thread)
			add_part(g, p->shares[i].context, &part);
	}
	g->monitor = p->threads[g->options.thread].record.monitor;
	g->unplaced = p->threads[g->options.thread].record.unplaced;
}

/* Of the routines whose own the contexts are, where some are left out: as much as they have of the time of each.  LEFT is room for a number a routine. */
static bool pass_kernel(struct graph *g, double *left)
{
	double *kernel = calloc((size_t)g->nroutines + 1, sizeof *kernel);

	if (!kernel)
		return false;
	for (uint32_t r = 0; r < g->nroutines; r++)
		left[r] = 0;
	for (uint32_t i = 0; i < g->profile->ncontexts; i++) {
		uint32_t owner = graph_owner(g, i);

		if (owner == GRAPH_NONE)
			continue;
		left[owner] += (double)graph_time(g, i);
		kernel[owner] += (double)graph_time(g, i) * g->routines[g->routine_of[g->profile->contexts[i].routine]].kernel;
	}
	for (uint32_t r = 0; r < g->nroutines; r++)
		g->routines[r].kernel = left[r] > 0 ? fmin(kernel[r] / left[r], 1) : 0;
	free(kernel);
	return true;
}

/* The kernel's shares, of the whole run's times. */
static bool charge_kernel(struct graph *g, struct error *err)
{
	double *left = calloc((size_t)g->nroutines + 1, sizeof *left);
	bool ok;

	if (!left)
		return build_no_memory(err);
	for (uint32_t i = 0; i < g->profile->ncontexts; i++)
		if (g->profile->contexts[i].routine != PROFILE_NONE)
			left[g->routine_of[g->profile->contexts[i].routine]] += (double)graph_time(g, i);
	for (uint32_t i = 0; i < g->profile->nroutines; i++)
		g->routines[g->routine_of[i]].kernel += g->overhead->kernel[i];
	for (uint32_t r = 0; r < g->nroutines; r++)
		g->routines[r].kernel = left[r] > 0 ? fmin(g->routines[r].kernel / left[r], 1) : 0;
	ok = pass_kernel(g, left) || build_no_memory(err);
	free(left);
	return ok;
}

bool charge_contexts(struct graph *g, struct error *err)
{
	if (g->options.thread == GRAPH_NONE)
		charge_all(g);
	else if (g->options.thread < g->profile->nthreads)
		charge_thread(g);
	else
		return error_set(err, ERROR_USAGE, ERROR_NO_OFFSET, "no thread %u: the profile has %u",
				 g->options.thread, g->profile->nthreads);
	settle_entries(g);
	return !g->overhead->kernel_known || charge_kernel(g, err);
}

void charge_hooks(struct graph *g)
{
	const struct profile *p = g->profile;
	struct part part;

	g->hooks = 0;
	g->hooks_unplaced = 0;
	for (uint32_t i = 0; g->options.thread == GRAPH_NONE && i < p->ncontexts; i++) {
		part = part_of_context(g, i);
		if (g->contexts[g->context_of[i]].kept)
			add_hooks(g, &part);
	}
	for (size_t i = 0; g->options.thread != GRAPH_NONE && i < p->nshares; i++) {
		part = part_of_share(g, p->shares + i);
		if (p->shares[i].thread == g->options.thread && g->contexts[g->context_of[p->shares[i].context]].kept)
			add_hooks(g, &part);
	}
}
