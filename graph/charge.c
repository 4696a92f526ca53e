/* charge.c - the counters of the graph's contexts from those of the profile.
 *
 * Several contexts of the profile may be one of the graph: their counters add up.  Entries of a .part or .cold piece are
 * no calls; the step from one clone of a routine to another is a direct recursive call (A1).  The cost of the hooks is
 * subtracted per context of the profile, or of one thread's share in it, never below zero; what exceeds its time is
 * hooks_unplaced. */
#include <stdlib.h>

#include "build.h"

/* What one context of the profile brings. */
struct part {
	uint64_t entries;	/* calls */
	uint64_t recursive;	/* direct recursive calls */
	uint64_t time;		/* raw, ns */
	uint64_t ticks;		/* samples */
	uint64_t hooks;		/* estimated cost of hooks, ns */
};

/* Entries and direct recursive calls of context INDEX of the profile, which is C of the graph. */
static void add_calls(struct graph *g, const struct graph_name *names, uint32_t index,
		      struct graph_context *c, const struct part *part)
{
	const struct profile_context *from = g->profile->contexts + index;

	bool again;

	if (index == 0)
		return;
	again = g->contexts[g->context_of[from->parent]].routine == c->routine;
	if (names[from->routine].part) {
		c->pieces += again ? 0 : part->entries;
		return;
	}
	*(again ? &c->recursive : &c->entries) += part->entries;
	c->recursive += part->recursive;
}

static void add_part(struct graph *g, const struct graph_name *names, uint32_t index, const struct part *part)
{
	struct graph_context *c = g->contexts + g->context_of[index];
	uint64_t hooks = g->options.raw ? 0 : part->hooks;
	uint64_t subtracted = hooks < part->time ? hooks : part->time;

	c->kept = true;
	c->time += part->time - subtracted;
	c->ticks += part->ticks;
	g->hooks += subtracted;
	g->hooks_unplaced += hooks - subtracted;
	add_calls(g, names, index, c, part);
}

static void charge_all(struct graph *g, const struct graph_name *names)
{
	for (uint32_t i = 0; i < g->profile->ncontexts; i++) {
		const struct profile_context *c = g->profile->contexts + i;

		add_part(g, names, i, &(struct part){ .entries = c->entries, .recursive = c->recursive,
			.time = c->time, .ticks = c->ticks, .hooks = c->hooks });
	}
	g->monitor = g->profile->monitor;
	g->unplaced = g->profile->unplaced;
}

static void charge_thread(struct graph *g, const struct graph_name *names)
{
	const struct profile *p = g->profile;

	for (uint32_t i = 0; i < g->ncontexts; i++)
		g->contexts[i].kept = false;
	for (size_t i = 0; i < p->nshares; i++) {
		const struct profile_share *s = p->shares + i;

		if (s->thread == g->options.thread)
			add_part(g, names, s->context, &(struct part){ .entries = s->entries,
				.recursive = s->recursive, .time = s->time, .ticks = s->ticks,
				.hooks = profile_hooks(p, s) });
	}
	g->monitor = p->threads[g->options.thread].record.monitor;
	g->unplaced = p->threads[g->options.thread].record.unplaced;
}

bool charge_contexts(struct graph *g, const struct graph_name *names, struct error *err)
{
	if (g->options.thread == GRAPH_NONE)
		charge_all(g, names);
	else if (g->options.thread < g->profile->nthreads)
		charge_thread(g, names);
	else
		return error_set(err, ERROR_USAGE, ERROR_NO_OFFSET, "no thread %u: the profile has %u",
				 g->options.thread, g->profile->nthreads);
	return true;
}
