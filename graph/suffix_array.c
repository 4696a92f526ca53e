/* suffix_array.c - the ends of all histories, found and sorted (suffix_array.h). */
#include "graph/suffix_array.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "graph/build.h"

uint64_t suffix_array_weight(const struct suffix_array *a, const struct sums *sums)
{
	return a->g->time > 0 ? sums->time : sums->calls;
}

/* A new end of ROUTINE below UP.  0: out of memory. */
static uint32_t end_add(struct suffix_array *a, uint32_t routine, uint32_t up)
{
	if (!array_grow(&a->ends, &a->room, a->n, sizeof *a->ends))
		return 0;
	assert(up < a->n);
	a->ends[a->n] = (struct end){ .label = routine + 1, .up = up, .length = a->ends[up].length + 1 };
	return a->n++;
}

/* What can be read above an entry whose caller is E, which is at END.  False: out of memory. */
static bool end_above(struct suffix_array *a, history_entry e, uint32_t *end)
{
	uint32_t routine = history_routine(e);

	if (*end == 0 || history_is_marked(e))
		return true;
	if (a->bare[routine] == 0)
		a->bare[routine] = end_add(a, routine, 0);
	*end = a->bare[routine];
	return *end != 0;
}

/* Was anything ever in C?  A sum has contexts that only others come from (profile/sum.h).  Of call stacks nobody knows. */
static bool was_entered(const struct graph *g, const struct graph_context *c)
{
	return c->entries || c->recursive || c->time || c->ticks || !profile_counts_calls(g->profile);
}

/* Count context C, with the time WEIGHT and TICKS in it and in all that extend it, for END; LAST: C ends there. */
static void end_count(struct suffix_array *a, uint32_t end, const struct graph_context *c, const struct weight *w, bool last)
{
	struct sums *sums = &a->ends[end].sums;
	double weight;

	sums->time += w->time;
	sums->ticks += w->ticks;
	overhead_evidence_add(&sums->evidence, &w->evidence);
	if (last) {
		sums->calls += c->entries;
		sums->contexts += c->kept && was_entered(a->g, c);
	}
	weight = (double)suffix_array_weight(a, sums);
	sums->squares = weight * weight;
}

/* The ends of a context that is spelled out. */
static bool add_spelled(struct suffix_array *a, uint32_t index, const struct weight *w)
{
	const struct graph_context *c = a->g->contexts + index;
	const history_entry *e = a->g->spelled + c->spelled;
	uint32_t end = 0;

	for (uint32_t i = 0; i < c->length; i++) {
		uint32_t routine = history_routine(e[i]);

		if (i > 0 && !end_above(a, e[i - 1], &end))
			return false;
		if (a->g->routines[routine].pseudo) {
			end = 0;
			continue;
		}
		end = end_add(a, routine, end);
		if (end == 0)
			return false;
		end_count(a, end, c, w, i + 1 == c->length);
	}
	a->end_of[index] = end;
	return true;
}

static bool add_context(struct suffix_array *a, uint32_t index, const struct weight *w)
{
	const struct graph_context *c = a->g->contexts + index;

	if (c->parent == GRAPH_NONE)
		return add_spelled(a, index, w);
	if (a->g->routines[c->routine].pseudo)
		return true;
	a->end_of[index] = end_add(a, c->routine, a->end_of[c->parent]);
	if (a->end_of[index] == 0)
		return false;
	end_count(a, a->end_of[index], c, w, true);
	return true;
}

/* Time and samples of each context and all that extend it by parent links, malloc'ed; NULL: out of memory. */
static struct weight *weigh(const struct graph *g)
{
	struct weight *w = calloc(g->ncontexts, sizeof *w);

	for (uint32_t i = g->ncontexts; w && i-- > 0;) {
		const struct graph_context *c = g->contexts + i;

		w[i].time += c->time;
		w[i].ticks += c->ticks;
		overhead_evidence_add(&w[i].evidence, &c->evidence);
		if (c->parent != GRAPH_NONE) {
			w[c->parent].time += w[i].time;
			w[c->parent].ticks += w[i].ticks;
			overhead_evidence_add(&w[c->parent].evidence, &w[i].evidence);
		}
	}
	return w;
}

static bool add_ends(struct suffix_array *a)
{
	const struct graph *g = a->g;
	struct weight *w = weigh(g);
	bool done;

	a->end_of = calloc(g->ncontexts, sizeof *a->end_of);
	a->bare = calloc((size_t)g->nroutines + 1, sizeof *a->bare);
	done = w && a->end_of && a->bare && array_grow(&a->ends, &a->room, 0, sizeof *a->ends);
	if (done) {
		a->ends[0] = (struct end){ 0 };
		a->n = 1;
	}
	for (uint32_t i = 1; done && i < g->ncontexts; i++)
		done = !g->contexts[i].live || add_context(a, i, w + i);
	free(w);
	return done;
}

/* Write FROM[0..n) to TO by ascending KEYS, which are below BUCKETS; stable. */
static void sort_by(struct suffix_array *a, const uint32_t *from, uint32_t *to, const uint32_t *keys, uint32_t buckets)
{
	memset(a->counts, 0, ((size_t)buckets + 1) * sizeof *a->counts);
	for (uint32_t i = 0; i < a->n; i++)
		a->counts[keys[i] + 1]++;
	for (uint32_t i = 0; i < buckets; i++)
		a->counts[i + 1] += a->counts[i];
	for (uint32_t i = 0; i < a->n; i++)
		to[a->counts[keys[from[i]]]++] = from[i];
}

/* Ranks at LEVEL of the sorted ends: equal where both halves have equal ranks one level below.  Returns how many there are. */
static uint32_t rank_sorted(struct suffix_array *a, uint32_t level)
{
	const uint32_t *half = a->rank[level - 1], *above = a->above[level - 1];
	uint32_t rank = 0;

	for (uint32_t i = 0; i < a->n; i++) {
		uint32_t end = a->sorted[i], last = a->sorted[i ? i - 1 : 0];

		rank += half[end] != half[last] || half[above[end]] != half[above[last]];
		a->rank[level][end] = rank;
	}
	return rank + 1;
}

/* One more level, not filled in.  False: out of memory, or too many. */
static bool level_new(struct suffix_array *a)
{
	if (a->levels == SUFFIX_LEVELS)
		return false;
	a->rank[a->levels] = calloc(a->n, sizeof **a->rank);
	a->above[a->levels] = calloc(a->n, sizeof **a->above);
	a->levels++;
	return a->rank[a->levels - 1] && a->above[a->levels - 1];
}

/* Level 0: single entries. */
static bool rank_labels(struct suffix_array *a)
{
	if (!level_new(a))
		return false;
	for (uint32_t i = 0; i < a->n; i++) {
		a->rank[0][i] = a->ends[i].label;
		a->above[0][i] = a->ends[i].up;
	}
	return true;
}

/* From the last level to the next, through the rooms HALF and KEYS.  Returns the number of different ranks; 0: out of memory. */
static uint32_t double_ranks(struct suffix_array *a, uint32_t *half, uint32_t *keys, uint32_t buckets)
{
	const uint32_t *rank = a->rank[a->levels - 1], *above = a->above[a->levels - 1];

	if (!level_new(a))
		return 0;
	for (uint32_t i = 0; i < a->n; i++) {
		keys[i] = rank[above[i]];
		a->above[a->levels - 1][i] = above[above[i]];
		a->sorted[i] = i;
	}
	sort_by(a, a->sorted, half, keys, buckets);
	sort_by(a, half, a->sorted, rank, buckets);
	return rank_sorted(a, a->levels - 1);
}

/* Sort the ends by all they read: until a level tells no more of them apart than the one before. */
static bool sort_ends(struct suffix_array *a)
{
	uint32_t buckets = a->n > a->g->nroutines + 1 ? a->n : a->g->nroutines + 1, ranks = 0, before;
	uint32_t *half = calloc(a->n, sizeof *half), *keys = calloc(a->n, sizeof *keys);
	bool done;

	a->counts = calloc((size_t)buckets + 1, sizeof *a->counts);
	a->sorted = calloc(a->n, sizeof *a->sorted);
	done = half && keys && a->counts && a->sorted && rank_labels(a);
	while (done) {
		before = ranks;
		ranks = double_ranks(a, half, keys, buckets);
		done = ranks > 0;
		if (ranks == before)
			break;
	}
	free(half);
	free(keys);
	return done;
}

/* Fill place[], and below[]: the ends by where their up is in sorted[]. */
static bool find_below(struct suffix_array *a)
{
	uint32_t *keys = calloc(a->n, sizeof *keys), *all = calloc(a->n, sizeof *all);
	bool done;

	a->place = calloc(a->n, sizeof *a->place);
	a->below = calloc(a->n, sizeof *a->below);
	a->first_below = calloc((size_t)a->n + 1, sizeof *a->first_below);
	done = keys && all && a->place && a->below && a->first_below;
	for (uint32_t i = 0; done && i < a->n; i++)
		a->place[a->sorted[i]] = i;
	for (uint32_t i = 0; done && i < a->n; i++) {
		keys[i] = a->place[a->ends[i].up];
		all[i] = i;
	}
	if (done) {
		sort_by(a, all, a->below, keys, a->n);
		for (uint32_t i = 0; i < a->n; i++)
			a->first_below[keys[i] + 1]++;
		for (uint32_t i = 0; i < a->n; i++)
			a->first_below[i + 1] += a->first_below[i];
	}
	free(keys);
	free(all);
	return done;
}

bool suffix_array_make(struct suffix_array *a, const struct graph *g)
{
	*a = (struct suffix_array){ .g = g };
	return add_ends(a) && sort_ends(a) && find_below(a);
}

uint32_t suffix_array_common(const struct suffix_array *a, uint32_t x, uint32_t y)
{
	uint32_t shorter = a->ends[x].length < a->ends[y].length ? a->ends[x].length : a->ends[y].length;
	uint64_t n = 0;

	for (uint32_t level = a->levels; level-- > 0 && n < shorter;)
		if (a->rank[level][x] == a->rank[level][y]) {
			n += UINT64_C(1) << level;
			x = a->above[level][x];
			y = a->above[level][y];
		}
	return n < shorter ? n : shorter;
}

uint32_t suffix_array_climb(const struct suffix_array *a, uint32_t end, uint32_t n)
{
	for (uint32_t level = 0; n > 0; level++, n >>= 1) {
		if (level == a->levels)
			return 0;	/* no end reads so far */
		if (n & 1)
			end = a->above[level][end];
	}
	return end;
}

void suffix_array_free(struct suffix_array *a)
{
	for (uint32_t i = 0; i < a->levels; i++) {
		free(a->rank[i]);
		free(a->above[i]);
	}
	free(a->ends);
	free(a->end_of);
	free(a->bare);
	free(a->sorted);
	free(a->place);
	free(a->below);
	free(a->first_below);
	free(a->counts);
}
