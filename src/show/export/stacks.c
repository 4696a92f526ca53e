/* stacks.c - the contexts' counters, put on the nodes of the tree and split among threads. */
#include "show/export/stacks.h"

#include <stdlib.h>

/* What is split. */
enum { TIME, TICKS, CALLS, QUANTITIES };

/* How far the split of one context has come.  A context without samples has time nevertheless, if calls made from it are charged less than
 * their hooks cost (understand/overhead/); it is split like its calls then, and if there are none evenly.  Invariant: given = whole * seen / raw, rounded down; so nothing is
 * left when the last thread had its part. */
struct split {
	uint64_t whole[QUANTITIES];	/* as the graph has it */
	uint64_t raw[QUANTITIES];	/* sums over its shares */
	uint64_t seen[QUANTITIES];	/* of the shares that had their part */
	uint64_t given[QUANTITIES];	/* to them */
	enum { BY_TIME, BY_CALLS, EVENLY } time_goes;
};

static bool counts(const struct stack_sample *sample)
{
	return sample->time || sample->ticks || sample->calls;
}

/* Whether G looks at SHARE at all. */
static bool stacks_is_seen(const struct graph *g, const struct profile_share *share)
{
	return (g->options.thread == GRAPH_NONE || g->options.thread == share->thread)
		&& g->contexts[g->context_of[share->context]].kept;
}

/* The parts that SHARE, of the context of S, has in what is split. */
static void quantities(uint64_t q[QUANTITIES], const struct profile_share *share, const struct split *s)
{
	uint64_t calls = share->entries + share->recursive;

	q[TIME] = s->time_goes == BY_TIME ? share->time : s->time_goes == BY_CALLS ? calls : 1;
	q[TICKS] = share->ticks;
	q[CALLS] = calls;
}

/* Add what the shares have. */
static void splits_sum(struct split *splits, const struct graph *g)
{
	uint64_t q[QUANTITIES];

	for (size_t i = 0; i < g->profile->nshares; i++) {
		const struct profile_share *share = &g->profile->shares[i];
		struct split *s = &splits[g->context_of[share->context]];

		quantities(q, share, s);
		for (int k = 0; k < QUANTITIES && stacks_is_seen(g, share); k++)
			s->raw[k] += q[k];
	}
}

/* See that no time is left where no share has any. */
static void splits_turn(struct split *splits, const struct graph *g)
{
	for (uint32_t i = 0; i < g->ncontexts; i++)
		if (splits[i].whole[TIME] && !splits[i].raw[TIME])
			splits[i].time_goes = splits[i].raw[CALLS] ? BY_CALLS : EVENLY;
	for (size_t i = 0; i < g->profile->nshares; i++) {
		const struct profile_share *share = &g->profile->shares[i];
		struct split *s = &splits[g->context_of[share->context]];
		uint64_t q[QUANTITIES];

		quantities(q, share, s);
		if (s->time_goes != BY_TIME && stacks_is_seen(g, share))
			s->raw[TIME] += q[TIME];
	}
}

static struct split *splits_make(const struct graph *g)
{
	struct split *splits = calloc(g->ncontexts, sizeof *splits);

	for (uint32_t i = 0; splits && i < g->ncontexts; i++) {
		const struct graph_context *c = &g->contexts[i];

		splits[i] = (struct split){ .whole = { c->time, c->ticks, c->entries + c->recursive } };
	}
	if (splits) {
		splits_sum(splits, g);
		splits_turn(splits, g);
	}
	return splits;
}

/* The part of quantity K for a share that has RAW of it. */
static uint64_t stacks_part(struct split *s, int k, uint64_t raw)
{
	uint64_t upto, mine;

	if (raw == 0)
		return 0;
	s->seen[k] += raw;
	upto = (uint64_t)((unsigned __int128)s->whole[k] * s->seen[k] / s->raw[k]);
	mine = upto - s->given[k];
	s->given[k] = upto;
	return mine;
}

/* Samples by thread, one for each share; several may be of one node. */
static bool collect_threads(struct stacks *s, const struct graph *g)
{
	const struct profile *p = g->profile;
	struct split *splits = splits_make(g);
	uint64_t q[QUANTITIES];

	s->samples = calloc(p->nshares + 1, sizeof *s->samples);
	for (size_t i = 0; splits && s->samples && i < p->nshares; i++) {
		const struct profile_share *share = &p->shares[i];
		uint32_t context = g->context_of[share->context];

		if (!stacks_is_seen(g, share))
			continue;
		quantities(q, share, &splits[context]);
		s->samples[s->n++] = (struct stack_sample){ .node = s->tree->node_of[context], .thread = share->thread,
			.time = stacks_part(&splits[context], TIME, q[TIME]), .ticks = stacks_part(&splits[context], TICKS, q[TICKS]),
			.calls = stacks_part(&splits[context], CALLS, q[CALLS]) };
	}
	free(splits);
	return splits && s->samples;
}

static bool collect_all(struct stacks *s, const struct graph *g)
{
	s->samples = calloc((size_t)g->ncontexts + 1, sizeof *s->samples);
	for (uint32_t i = 0; s->samples && i < g->ncontexts; i++) {
		const struct graph_context *c = &g->contexts[i];

		if (c->kept)
			s->samples[s->n++] = (struct stack_sample){ .node = s->tree->node_of[i], .thread = GRAPH_NONE,
				.time = c->time, .ticks = c->ticks, .calls = c->entries + c->recursive };
	}
	return s->samples != NULL;
}

/* The place of each node of T when parents are walked before children, depth first.  NULL: out of memory. */
static uint32_t *ranks_make(const struct tree *t)
{
	uint32_t *size = calloc(t->nnodes, sizeof *size), *rank = calloc(t->nnodes, sizeof *rank);

	for (size_t i = t->nnodes; size && rank && i-- > 0;) {
		size[i]++;
		if (i > 0)
			size[t->nodes[i].parent] += size[i];
	}
	for (size_t i = 0; size && rank && i < t->nnodes; i++) {
		uint32_t next = rank[i] + 1;

		for (uint32_t c = t->nodes[i].first; c < t->nodes[i].first + t->nodes[i].nchildren; c++) {
			rank[c] = next;
			next += size[c];
		}
	}
	free(size);
	if (!size) {
		free(rank);
		return NULL;
	}
	return rank;
}

static int stacks_by_place(const void *left, const void *right, void *arg)
{
	const struct stack_sample *a = left, *b = right;
	const uint32_t *rank = arg;
	int c = (a->thread > b->thread) - (a->thread < b->thread);

	return c ? c : (rank[a->node] > rank[b->node]) - (rank[a->node] < rank[b->node]);
}

/* Sort, and make one sample of those of one thread and node. */
static bool export_stacks_join(struct stacks *s)
{
	uint32_t *rank = ranks_make(s->tree);
	size_t kept = 0;

	if (!rank)
		return false;
	qsort_r(s->samples, s->n, sizeof *s->samples, stacks_by_place, rank);
	for (size_t i = 0; i < s->n; i++) {
		struct stack_sample *last = &s->samples[kept ? kept - 1 : 0], *next = &s->samples[i];

		if (!counts(next))
			continue;
		if (kept && stacks_by_place(last, next, rank) == 0) {
			last->time += next->time;
			last->ticks += next->ticks;
			last->calls += next->calls;
		} else {
			s->samples[kept++] = *next;
		}
	}
	s->n = kept;
	free(rank);
	return true;
}

bool stacks_make(struct stacks *s, const struct graph *g, bool by_thread, struct error *err)
{
	*s = (struct stacks){ .tree = tree_build(g, &(struct tree_options){ 0 }, err) };
	if (!s->tree)
		return false;
	if ((by_thread ? collect_threads : collect_all)(s, g) && export_stacks_join(s))
		return true;
	stacks_free(s);
	return error_no_memory(err, NULL);
}

void stacks_free(struct stacks *s)
{
	tree_free(s->tree);
	free(s->samples);
	*s = (struct stacks){ 0 };
}
