/* spreads.c - how a context differs over the ranks of an MPI job: made of one rank's profile, added up, in the file.
 *
 * Adding up is associative and commutative, so the ranks may be added along any tree.  What a context has in the least of the ranks is kept over those
 * that have it at all; how many these are tells whether another one has nothing. */
#include <stdlib.h>
#include <string.h>

#include "read/profile/private.h"
#include "read/profile/reader.h"
#include "read/profile/writer.h"

/* See that there is room for a spread of each context. */
static bool spreads_cover_contexts(struct profile *p)
{
	if (!array_reserve(&p->spreads, &p->private->spreads, p->ncontexts, sizeof *p->spreads))
		return false;
	for (; p->nspreads < p->ncontexts; p->nspreads++)
		p->spreads[p->nspreads] = (struct profile_spread){ 0 };
	return true;
}

/* Of two ranks, or more, the largest value and whose it is; the lower rank if it is both's. */
static void most_add(uint64_t *most, uint32_t *rank, uint64_t other, uint32_t other_rank)
{
	if (other < *most || (other == *most && other_rank > *rank))
		return;
	*most = other;
	*rank = other_rank;
}

static void spread_add(struct profile_spread *to, const struct profile_spread *s)
{
	if (to->ranks == 0) {
		*to = *s;
		return;
	}
	to->calls_least = s->calls_least < to->calls_least ? s->calls_least : to->calls_least;
	to->time_least = s->time_least < to->time_least ? s->time_least : to->time_least;
	most_add(&to->calls_most, &to->calls_rank, s->calls_most, s->calls_rank);
	most_add(&to->time_most, &to->time_rank, s->time_most, s->time_rank);
	to->ranks = s->ranks < UINT32_MAX - to->ranks ? to->ranks + s->ranks : UINT32_MAX;
}

bool profile_cover_spreads(struct profile *p)
{
	return p->nspreads == 0 || spreads_cover_contexts(p);
}

bool profile_add_spreads(struct profile *p, const struct profile *q, const uint32_t *context_of)
{
	if (q->nspreads && !spreads_cover_contexts(p))
		return false;
	for (uint32_t i = 0; i < q->nspreads; i++)
		if (q->spreads[i].ranks)
			spread_add(&p->spreads[context_of[i]], &q->spreads[i]);
	return true;
}

bool profile_set_rank(struct profile *p, uint32_t rank)
{
	if (!spreads_cover_contexts(p))
		return false;
	for (uint32_t i = 0; i < p->ncontexts; i++) {
		const struct profile_context *c = &p->contexts[i];
		uint64_t calls = c->entries;

		add_capped(&calls, c->recursive);
		if (i > 0 && !calls && !c->time)
			continue;
		p->spreads[i] = (struct profile_spread){ .ranks = 1, .calls_rank = rank, .time_rank = rank, .calls_least = calls, .calls_most = calls,
							 .time_least = c->time, .time_most = c->time };
	}
	for (uint32_t i = 0; i < p->nthreads; i++)
		p->threads[i].origin.rank = rank;
	for (uint32_t i = 0; i < p->nruns; i++)
		p->runs[i].ranks = i == 0;
	return true;
}

uint32_t profile_ranks(const struct profile *p)
{
	uint64_t ranks = 0;

	for (uint32_t i = 0; i < p->nruns; i++) {
		if (p->runs[i].ranks == 0)
			return 0;
		ranks += p->runs[i].ranks;
	}
	return ranks < UINT32_MAX ? (uint32_t)ranks : UINT32_MAX;
}

struct profile_spread profile_spread_of(const struct profile *p, uint32_t context)
{
	struct profile_spread s = context < p->nspreads ? p->spreads[context] : (struct profile_spread){ 0 };

	if (s.ranks < profile_ranks(p))
		s.calls_least = s.time_least = 0;
	return s;
}

/* ---- in the file ---- */

bool read_spreads(struct reader *r, const struct chunk *c)
{
	for (uint32_t i = 0; i < c->items; i++) {
		uint64_t at = c->at + c->head.first + (uint64_t)i * sizeof(struct amon_spread);
		struct amon_spread item;

		memcpy(&item, r->data + at, sizeof item);
		if (item.item >= r->nitems && r->run.truncated)
			continue;
		if (item.item >= r->nitems || item.ranks == 0)
			return reader_corrupt(r, at, "%u ranks of item %u, there are %zu", item.ranks, item.item, r->nitems);
		if (!array_reserve(&r->spreads, &r->spread_room, r->nspreads + 1, sizeof *r->spreads))
			return reader_no_memory(r);
		r->spreads[r->nspreads++] = (struct file_spread){ .context = r->items[item.item], .spread = {
			.ranks = item.ranks, .calls_rank = item.calls_rank, .time_rank = item.time_rank,
			.calls_least = item.calls_least, .calls_most = item.calls_most,
			.time_least = reader_nsec(r, item.time_least), .time_most = reader_nsec(r, item.time_most) } };
	}
	return true;
}

bool spreads_prepare(struct reader *r)
{
	if (r->p->private->phase)
		r->nspreads = 0;		/* they are of all phases */
	return r->nspreads == 0 || spreads_cover_contexts(r->p) || reader_no_memory(r);
}

void spreads_commit(struct reader *r)
{
	for (size_t i = 0; i < r->nspreads; i++) {
		const struct file_spread *f = &r->spreads[i];

		spread_add(&r->p->spreads[f->context], &f->spread);
		if (f->context == 0)
			r->run.ranks = f->spread.ranks > r->run.ranks ? f->spread.ranks : r->run.ranks;
	}
}

/* The contexts of the thread at hand that no earlier thread has. */
bool write_spreads(struct writer *w, uint32_t thread)
{
	const struct profile *p = w->p;
	size_t n = 0, at;

	if (profile_ranks(p) == 0)
		return true;
	for (size_t i = 0; i < w->norder; i++) {
		struct profile_spread s = w->order[i] < p->nspreads ? p->spreads[w->order[i]] : (struct profile_spread){ 0 };

		if (s.ranks == 0 || w->spread[w->order[i]])
			continue;
		if (!array_reserve(&w->spreads, &w->spread_room, n + 1, sizeof *w->spreads))
			return writer_no_memory(w);
		w->spread[w->order[i]] = true;
		w->spreads[n++] = (struct amon_spread){ w->item_of[w->order[i]], s.ranks, s.calls_rank, s.time_rank,
			s.calls_least, s.calls_most, s.time_least, s.time_most };
	}
	return n == 0 || writer_chunk(w, AMON_SPREADS, thread, w->spreads, n, sizeof *w->spreads, &at);
}
