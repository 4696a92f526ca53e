/* ranks.c - what the ranks of an MPI job with the most have beyond the mean, by context and by routine. */
#include "understand/graph/build.h"

double graph_beyond(const struct graph *g, uint32_t context)
{
	const struct profile *p = g->profile;
	const struct profile_context *c = &p->contexts[context];
	struct profile_spread s = profile_spread_of(p, context);
	double ranks = profile_ranks(p);

	if (s.ranks == 0 || ranks == 0)
		return 0;
	if (p->time > 0)
		return (double)s.time_most - (double)c->time / ranks;
	return (double)s.calls_most - ((double)c->entries + (double)c->recursive) / ranks;
}

void ranks_sum(struct graph *g)
{
	for (uint32_t i = 1; i < g->profile->nspreads; i++) {
		const struct graph_context *c = &g->contexts[g->context_of[i]];

		if (c->kept && c->routine != GRAPH_NONE)
			g->routines[c->routine].beyond += graph_beyond(g, i);
	}
}
