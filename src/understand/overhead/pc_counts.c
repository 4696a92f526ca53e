/* pc_counts.c - how many program counters were found in each context, where its routine's code, or plain code for it, ran.
 *
 * Nothing is drawn or estimated here: it is what was seen, for who wants to hold it against another source. */
#include "base/pair_table.h"
#include "understand/overhead/overhead.h"

/* Number the context that each one leads to by the routine called there.  False: out of memory. */
static bool steps_add(struct pair_table *steps, const struct profile *p)
{
	uint32_t *slot;

	for (uint32_t i = 1; i < p->ncontexts; i++) {
		slot = pair_table_at(steps, p->contexts[i].parent, p->contexts[i].routine);
		if (!slot)
			return false;
		*slot = i;
	}
	for (size_t i = 0; i < p->ndetours; i++) {
		slot = pair_table_at(steps, p->detours[i].from, p->contexts[p->detours[i].to].routine);
		if (!slot)
			return false;
		*slot = p->detours[i].to;
	}
	return true;
}

/* The context that the code at SPOT runs in: that of a routine which is not entered yet, or left already, is the one that it is called in. */
static uint32_t context_of(const struct pair_table *steps, uint32_t context, const struct overhead_spot *spot)
{
	uint32_t entered = spot->place == OVERHEAD_EDGE ? pair_table_find(steps, context, spot->routine) : 0;

	return entered ? entered : context;
}

bool overhead_count_pcs(const struct overhead *o, uint64_t *counts)
{
	const struct profile *p = o->profile;
	struct pair_table steps = { 0 };
	bool ok = !o->spots || steps_add(&steps, p);

	for (size_t i = 0; ok && o->spots && i < p->npcs; i++)
		if (!overhead_is_hook(o->spots[i].place))
			counts[context_of(&steps, p->pcs[i].context, o->spots + i)] += p->pcs[i].count;
	pair_table_free(&steps);
	return ok;
}
