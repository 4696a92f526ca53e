/* some_threads.c - the part of a profile that is of some of its threads.
 *
 * Program counters are kept by context: those of contexts in which a thread that is left out has anything are gone. */
#include <stdlib.h>

#include "base/array.h"
#include "read/profile/private.h"

/* Forget what all contexts have; of what KEEPS not, each context that it has a share in is marked in OTHERS. */
static void some_threads_clear(struct profile *p, const bool *keeps, bool *others)
{
	for (uint32_t i = 0; i < p->ncontexts; i++) {
		struct profile_context *c = &p->contexts[i];

		c->entries = c->recursive = c->calls_out = c->time = c->ticks = c->squares[0] = c->squares[1] = c->bytes = 0;
	}
	for (size_t i = 0; i < p->nshares; i++)
		others[p->shares[i].context] |= !keeps[p->shares[i].thread] && (p->shares[i].time || p->shares[i].ticks);
	for (uint32_t i = 0; i < p->nthreads; i++)
		if (!keeps[i])
			p->threads[i].record = (struct amon_thread){ .tid = p->threads[i].record.tid, .state = p->threads[i].record.state };
	p->time = p->monitor = p->unplaced = 0;
}

/* Keep of the N ITEMS those whose thread is kept; N becomes how many. */
#define KEEP(items, n) \
	do { \
		size_t kept_ = 0; \
		for (size_t i_ = 0; i_ < (n); i_++) \
			if ((items)[i_].thread == PROFILE_NONE || keeps[(items)[i_].thread]) \
				(items)[kept_++] = (items)[i_]; \
		(n) = kept_; \
	} while (0)

bool profile_take_threads(struct profile *p, const bool *keeps)
{
	bool *others = calloc((size_t)p->ncontexts + 1, sizeof *others);
	size_t kept = 0;

	if (!others)
		return false;
	some_threads_clear(p, keeps, others);
	KEEP(p->shares, p->nshares);
	KEEP(p->slices, p->nslices);
	KEEP(p->detours, p->ndetours);
	KEEP(p->sites, p->nsites);
	KEEP(p->amounts, p->namounts);
	for (size_t i = 0; i < p->nshares; i++)
		profile_add_share(p, &p->shares[i]);
	for (uint32_t i = 0; i < p->nthreads; i++) {
		add_capped(&p->monitor, p->threads[i].record.monitor);
		add_capped(&p->unplaced, p->threads[i].record.unplaced);
	}
	for (size_t i = 0; i < p->npcs; i++)
		if (!others[p->pcs[i].context] && p->contexts[p->pcs[i].context].ticks)
			p->pcs[kept++] = p->pcs[i];
	p->npcs = kept;
	free(others);
	return true;
}
