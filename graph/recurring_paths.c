/* recurring_paths.c - call sequences that recur, by sorting the ends of all histories.
 *
 * An end is a place in a history that a sequence can end at, read upwards to the caller, its caller, and so on.  Ends form a
 * forest by `up`, since most histories are their parent's and one entry more:
 *
 *     context Main P Q R      end R, up: the end of context Main P Q
 *     spelled  Main P' Q R P  ends at all its entries; what is above an unmarked entry does not count, as
 *                             that entry would be inside the sequence: Q, up: a P that has nothing above
 *
 * The ends are sorted by what they read, by doubling: two steps of length 2^j by the ranks of one make a step of 2^(j+1).
 * Then each sequence is a range of ends, those that have a common beginning longer than their neighbours are the
 * sequences that no one caller extends, and one walk with a stack adds up all of them. */
#include "graph/recurring_paths.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "graph/build.h"

enum { LEVELS = 33 };		/* 2^32 entries are more than a history has */

/* What is counted for one end, or a range of them. */
struct sums {
	uint64_t time;		/* ns */
	uint64_t ticks;		/* samples */
	uint64_t calls;		/* entries of the contexts that end here */
	uint32_t contexts;	/* how many of these */
	double squares;		/* sum of the squares of the weights of single ends */
};

/* An end; [0] stands for nothing. */
struct end {
	uint32_t label;		/* routine + 1; 0: nothing */
	uint32_t up;		/* the end before it; 0: none */
	uint32_t length;	/* entries that can be read upwards, itself included */
	struct sums sums;	/* what it brings */
};

/* A sequence: the first LENGTH entries that each of the sorted ends FIRST .. LAST reads. */
struct range {
	uint32_t first;
	uint32_t last;
	uint32_t length;
	struct sums sums;	/* of the ends */
	double rank;		/* see recurring_paths.h */
};

struct search {
	const struct graph *g;		/* whose sequences are looked for */
	const struct paths_options *options;
	struct end *ends;		/* all of them */
	uint32_t n;			/* how many */
	size_t room;			/* how many fit */
	uint32_t *end_of;		/* context -> the end at its last entry; 0: none */
	uint32_t *bare;			/* routine -> its end with nothing above; 0: not made yet */
	uint32_t *rank[LEVELS];		/* by end: its place among all, by the first 2^level entries it reads; equal ones have one */
	uint32_t *above[LEVELS];	/* by end: the end 2^level entries above */
	uint32_t levels;		/* how many of these there are */
	uint32_t *sorted;		/* ends by what they read */
	uint32_t *place;		/* by end: where it is in sorted[] */
	uint32_t *below;		/* all ends, by the place of their up in sorted[] */
	uint32_t *first_below;		/* place in sorted[] -> where those begin whose up is there; one more at the end */
	struct range *ranges;		/* sequences that may be listed */
	uint32_t nranges;		/* how many */
	size_t ranges_room;		/* how many fit */
	struct range *open;		/* stack of ranges that are being added up */
	uint32_t *counts;		/* for sorting: n + 1 buckets */
	uint64_t *by_label;		/* weight by label, for one range at a time */
	uint32_t *listed;		/* by place in sorted[]: length of the listed sequence that the end there begins with; 0: none */
	uint32_t *parts;		/* by place in sorted[]: of the parts of listed sequences that an end there reads, the longest */
	struct paths *found;		/* the result */
	size_t paths_room;		/* how many fit */
	uint32_t nroutines;		/* entries in found->routines */
	size_t routines_room;		/* how many fit */
};

static void add_sums(struct sums *to, const struct sums *more)
{
	to->time += more->time;
	to->ticks += more->ticks;
	to->calls += more->calls;
	to->contexts += more->contexts;
	to->squares += more->squares;
}

/* What ranks: time, or calls in a run that took none. */
static uint64_t weight_of(const struct search *s, const struct sums *sums)
{
	return s->g->time > 0 ? sums->time : sums->calls;
}

/* A new end of ROUTINE below UP.  0: out of memory. */
static uint32_t end_add(struct search *s, uint32_t routine, uint32_t up)
{
	if (!array_grow(&s->ends, &s->room, s->n, sizeof *s->ends))
		return 0;
	s->ends[s->n] = (struct end){ .label = routine + 1, .up = up, .length = s->ends[up].length + 1 };
	return s->n++;
}

/* What can be read above an entry whose caller is E, which is at END.  False: out of memory. */
static bool end_above(struct search *s, history_entry e, uint32_t *end)
{
	uint32_t routine = history_routine(e);

	if (*end == 0 || history_is_marked(e))
		return true;
	if (s->bare[routine] == 0)
		s->bare[routine] = end_add(s, routine, 0);
	*end = s->bare[routine];
	return *end != 0;
}

/* Count context C, with the time WEIGHT and TICKS in it and in all that extend it, for END; LAST: C ends there. */
static void end_count(struct search *s, uint32_t end, const struct graph_context *c, const struct weight *w, bool last)
{
	struct sums *sums = &s->ends[end].sums;
	double weight;

	sums->time += w->time;
	sums->ticks += w->ticks;
	if (last) {
		sums->calls += c->entries;
		sums->contexts += c->kept;
	}
	weight = (double)weight_of(s, sums);
	sums->squares = weight * weight;
}

/* The ends of a context that is spelled out. */
static bool add_spelled(struct search *s, uint32_t index, const struct weight *w)
{
	const struct graph_context *c = s->g->contexts + index;
	const history_entry *e = s->g->spelled + c->spelled;
	uint32_t end = 0;

	for (uint32_t i = 0; i < c->length; i++) {
		uint32_t routine = history_routine(e[i]);

		if (i > 0 && !end_above(s, e[i - 1], &end))
			return false;
		if (s->g->routines[routine].pseudo) {
			end = 0;
			continue;
		}
		end = end_add(s, routine, end);
		if (end == 0)
			return false;
		end_count(s, end, c, w, i + 1 == c->length);
	}
	s->end_of[index] = end;
	return true;
}

static bool add_context(struct search *s, uint32_t index, const struct weight *w)
{
	const struct graph_context *c = s->g->contexts + index;

	if (c->parent == GRAPH_NONE)
		return add_spelled(s, index, w);
	if (s->g->routines[c->routine].pseudo)
		return true;
	s->end_of[index] = end_add(s, c->routine, s->end_of[c->parent]);
	if (s->end_of[index] == 0)
		return false;
	end_count(s, s->end_of[index], c, w, true);
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
		if (c->parent != GRAPH_NONE) {
			w[c->parent].time += w[i].time;
			w[c->parent].ticks += w[i].ticks;
		}
	}
	return w;
}

static bool add_ends(struct search *s)
{
	const struct graph *g = s->g;
	struct weight *w = weigh(g);
	bool done;

	s->end_of = calloc(g->ncontexts, sizeof *s->end_of);
	s->bare = calloc((size_t)g->nroutines + 1, sizeof *s->bare);
	done = w && s->end_of && s->bare && array_grow(&s->ends, &s->room, 0, sizeof *s->ends);
	if (done) {
		s->ends[0] = (struct end){ 0 };
		s->n = 1;
	}
	for (uint32_t i = 1; done && i < g->ncontexts; i++)
		done = !g->contexts[i].live || add_context(s, i, w + i);
	free(w);
	return done;
}

/* Write FROM[0..n) to TO by ascending KEYS, which are below BUCKETS; stable. */
static void sort_by(struct search *s, const uint32_t *from, uint32_t *to, const uint32_t *keys, uint32_t buckets)
{
	memset(s->counts, 0, ((size_t)buckets + 1) * sizeof *s->counts);
	for (uint32_t i = 0; i < s->n; i++)
		s->counts[keys[i] + 1]++;
	for (uint32_t i = 0; i < buckets; i++)
		s->counts[i + 1] += s->counts[i];
	for (uint32_t i = 0; i < s->n; i++)
		to[s->counts[keys[from[i]]]++] = from[i];
}

/* Ranks at LEVEL of the sorted ends: equal where both halves have equal ranks one level below.  Returns how many there are. */
static uint32_t rank_sorted(struct search *s, uint32_t level)
{
	const uint32_t *half = s->rank[level - 1], *above = s->above[level - 1];
	uint32_t rank = 0;

	for (uint32_t i = 0; i < s->n; i++) {
		uint32_t end = s->sorted[i], last = s->sorted[i ? i - 1 : 0];

		rank += half[end] != half[last] || half[above[end]] != half[above[last]];
		s->rank[level][end] = rank;
	}
	return rank + 1;
}

/* One more level, not filled in.  False: out of memory, or too many. */
static bool level_new(struct search *s)
{
	if (s->levels == LEVELS)
		return false;
	s->rank[s->levels] = calloc(s->n, sizeof **s->rank);
	s->above[s->levels] = calloc(s->n, sizeof **s->above);
	s->levels++;
	return s->rank[s->levels - 1] && s->above[s->levels - 1];
}

/* Level 0: single entries. */
static bool rank_labels(struct search *s)
{
	if (!level_new(s))
		return false;
	for (uint32_t i = 0; i < s->n; i++) {
		s->rank[0][i] = s->ends[i].label;
		s->above[0][i] = s->ends[i].up;
	}
	return true;
}

/* From the last level to the next, through the rooms HALF and KEYS.  Returns the number of different ranks; 0: out of memory. */
static uint32_t double_ranks(struct search *s, uint32_t *half, uint32_t *keys, uint32_t buckets)
{
	const uint32_t *rank = s->rank[s->levels - 1], *above = s->above[s->levels - 1];

	if (!level_new(s))
		return 0;
	for (uint32_t i = 0; i < s->n; i++) {
		keys[i] = rank[above[i]];
		s->above[s->levels - 1][i] = above[above[i]];
		s->sorted[i] = i;
	}
	sort_by(s, s->sorted, half, keys, buckets);
	sort_by(s, half, s->sorted, rank, buckets);
	return rank_sorted(s, s->levels - 1);
}

/* Sort the ends by all they read: until a level tells no more of them apart than the one before. */
static bool sort_ends(struct search *s)
{
	uint32_t buckets = s->n > s->g->nroutines + 1 ? s->n : s->g->nroutines + 1, ranks = 0, before;
	uint32_t *half = calloc(s->n, sizeof *half), *keys = calloc(s->n, sizeof *keys);
	bool done;

	s->counts = calloc((size_t)buckets + 1, sizeof *s->counts);
	s->sorted = calloc(s->n, sizeof *s->sorted);
	done = half && keys && s->counts && s->sorted && rank_labels(s);
	while (done) {
		before = ranks;
		ranks = double_ranks(s, half, keys, buckets);
		done = ranks > 0;
		if (ranks == before)
			break;
	}
	free(half);
	free(keys);
	return done;
}

/* How many entries ends X and Y read alike. */
static uint32_t common(const struct search *s, uint32_t x, uint32_t y)
{
	uint32_t shorter = s->ends[x].length < s->ends[y].length ? s->ends[x].length : s->ends[y].length;
	uint64_t n = 0;

	for (uint32_t level = s->levels; level-- > 0 && n < shorter;)
		if (s->rank[level][x] == s->rank[level][y]) {
			n += UINT64_C(1) << level;
			x = s->above[level][x];
			y = s->above[level][y];
		}
	return n < shorter ? n : shorter;
}

/* Contexts weighed by the time under them.  A context that others were spelled out from has an end in each of them, so that there
 * can be more ends than contexts. */
static double effective_of(const struct search *s, const struct sums *sums)
{
	double weight = (double)weight_of(s, sums);
	double ends = sums->squares > 0 ? weight * weight / sums->squares : 1;

	return ends < sums->contexts ? ends : sums->contexts;
}

/* time * log2(effective contexts)^2. */
static double rank_of(const struct search *s, const struct sums *sums)
{
	double doublings = log2(effective_of(s, sums));

	return (double)weight_of(s, sums) * doublings * doublings;
}

/* A range is whole: keep it if it may be listed. */
static bool range_close(struct search *s, struct range *range)
{
	if (range->length < 3 || range->sums.contexts < 2 || range->sums.time < s->options->min_time)
		return true;
	range->rank = rank_of(s, &range->sums);
	if (range->rank <= 1e-9 * (double)weight_of(s, &range->sums))	/* one context has all of it */
		return true;
	if (!array_grow(&s->ranges, &s->ranges_room, s->nranges, sizeof *s->ranges))
		return false;
	s->ranges[s->nranges++] = *range;
	return true;
}

/* All ranges of ends that read a common beginning, each closed when it is left: the stack holds those around the end
 * at hand, each longer than the one below. */
static bool find_ranges(struct search *s)
{
	uint32_t depth = 1;

	s->open = calloc((size_t)s->g->longest + 3, sizeof *s->open);
	if (!s->open)
		return false;
	for (uint32_t i = 0; i < s->n; i++) {
		uint32_t length = i + 1 < s->n ? common(s, s->sorted[i], s->sorted[i + 1]) : 0;
		struct range range = { .first = i, .last = i, .sums = s->ends[s->sorted[i]].sums };

		for (; s->open[depth - 1].length > length; depth--) {
			struct range *top = s->open + depth - 1;

			add_sums(&top->sums, &range.sums);
			top->last = i;
			if (!range_close(s, top))
				return false;
			range = *top;
		}
		if (s->open[depth - 1].length < length) {
			range.length = length;
			s->open[depth++] = range;
		} else {
			add_sums(&s->open[depth - 1].sums, &range.sums);
		}
	}
	return true;
}

/* Fill place[], and below[]: the ends by where their up is in sorted[]. */
static bool find_below(struct search *s)
{
	uint32_t *keys = calloc(s->n, sizeof *keys), *all = calloc(s->n, sizeof *all);
	bool done;

	s->place = calloc(s->n, sizeof *s->place);
	s->below = calloc(s->n, sizeof *s->below);
	s->first_below = calloc((size_t)s->n + 1, sizeof *s->first_below);
	done = keys && all && s->place && s->below && s->first_below;
	for (uint32_t i = 0; done && i < s->n; i++)
		s->place[s->sorted[i]] = i;
	for (uint32_t i = 0; done && i < s->n; i++) {
		keys[i] = s->place[s->ends[i].up];
		all[i] = i;
	}
	if (done) {
		sort_by(s, all, s->below, keys, s->n);
		for (uint32_t i = 0; i < s->n; i++)
			s->first_below[keys[i] + 1]++;
		for (uint32_t i = 0; i < s->n; i++)
			s->first_below[i + 1] += s->first_below[i];
	}
	free(keys);
	free(all);
	return done;
}

/* The end N entries above END. */
static uint32_t climb(const struct search *s, uint32_t end, uint32_t n)
{
	for (uint32_t level = 0; n > 0; level++, n >>= 1) {
		if (level == s->levels)
			return 0;	/* no end reads so far */
		if (n & 1)
			end = s->above[level][end];
	}
	return end;
}

/* Count END for its label; true when that label has nine tenths of WHOLE. */
static bool prevails(struct search *s, uint32_t label, const struct end *end, uint64_t whole)
{
	if (label == 0)
		return false;
	s->by_label[label] += weight_of(s, &end->sums);
	return (double)s->by_label[label] >= 0.9 * (double)whole;
}

/* Whether one caller above RANGE, or one callee below, has nine tenths of its time. */
static bool is_extended(struct search *s, const struct range *range)
{
	uint64_t whole = weight_of(s, &range->sums);
	bool found = false;

	memset(s->by_label, 0, ((size_t)s->g->nroutines + 1) * sizeof *s->by_label);
	for (uint32_t i = range->first; i <= range->last && !found; i++)
		found = prevails(s, s->ends[climb(s, s->sorted[i], range->length)].label, s->ends + s->sorted[i], whole);
	memset(s->by_label, 0, ((size_t)s->g->nroutines + 1) * sizeof *s->by_label);
	for (uint32_t i = s->first_below[range->first]; i < s->first_below[range->last + 1] && !found; i++)
		found = prevails(s, s->ends[s->below[i]].label, s->ends + s->below[i], whole);
	return found;
}

/* Whether RANGE is part of a listed sequence, or holds one. */
static bool is_redundant(const struct search *s, const struct range *range)
{
	uint32_t end = s->sorted[range->first];

	for (uint32_t left = range->length; left >= 3; left--, end = s->ends[end].up) {
		uint32_t listed = s->listed[s->place[end]];

		if (listed != 0 && listed <= left)
			return true;
	}
	for (uint32_t i = range->first; i <= range->last; i++)
		if (s->parts[i] >= range->length)
			return true;
	return false;
}

/* Note RANGE and its parts for is_redundant. */
static void note_listed(struct search *s, const struct range *range)
{
	uint32_t end = s->sorted[range->first];

	for (uint32_t i = range->first; i <= range->last; i++)
		s->listed[i] = range->length;
	for (uint32_t left = range->length; left >= 3; left--, end = s->ends[end].up)
		if (s->parts[s->place[end]] < left)
			s->parts[s->place[end]] = left;
}

/* Append the routines of RANGE, the caller first.  False: out of memory. */
static bool spell(struct search *s, const struct range *range)
{
	uint32_t end = s->sorted[range->first], first = s->nroutines;

	for (uint32_t i = 0; i < range->length; i++)
		if (!array_grow(&s->found->routines, &s->routines_room, s->nroutines++, sizeof *s->found->routines))
			return false;
	for (uint32_t i = range->length; i-- > 0; end = s->ends[end].up)
		s->found->routines[first + i] = s->ends[end].label - 1;
	return true;
}

/* Put RANGE into the result.  False: out of memory. */
static bool list(struct search *s, const struct range *range)
{
	const struct sums *sums = &range->sums;
	uint32_t first = s->nroutines;

	if (!array_grow(&s->found->paths, &s->paths_room, s->found->n, sizeof *s->found->paths) || !spell(s, range))
		return false;
	note_listed(s, range);
	s->found->paths[s->found->n++] = (struct graph_path){ .first = first, .length = range->length, .contexts = sums->contexts,
		.calls = sums->calls, .time = sums->time, .ticks = sums->ticks, .effective = effective_of(s, sums) };
	return true;
}

/* Highest rank first; then more contexts, longer, and by routines, so that the order is the same each time. */
static int by_rank(const void *x, const void *y)
{
	const struct range *a = x, *b = y;

	if (a->rank != b->rank)
		return a->rank > b->rank ? -1 : 1;
	if (a->sums.contexts != b->sums.contexts)
		return a->sums.contexts > b->sums.contexts ? -1 : 1;
	if (a->length != b->length)
		return a->length > b->length ? -1 : 1;
	return a->first < b->first ? -1 : a->first > b->first;
}

/* Go through the ranges by rank and list what is maximal and not redundant. */
static bool choose(struct search *s)
{
	s->by_label = calloc((size_t)s->g->nroutines + 1, sizeof *s->by_label);
	s->listed = calloc(s->n, sizeof *s->listed);
	s->parts = calloc(s->n, sizeof *s->parts);
	if (!s->by_label || !s->listed || !s->parts)
		return false;
	if (s->nranges > 1)
		qsort(s->ranges, s->nranges, sizeof *s->ranges, by_rank);
	for (uint32_t i = 0; i < s->nranges && (s->options->most == 0 || s->found->n < s->options->most); i++) {
		const struct range *range = s->ranges + i;

		if (!is_redundant(s, range) && !is_extended(s, range) && !list(s, range))
			return false;
	}
	return true;
}

static void search_free(struct search *s)
{
	for (uint32_t i = 0; i < s->levels; i++) {
		free(s->rank[i]);
		free(s->above[i]);
	}
	free(s->ends);
	free(s->end_of);
	free(s->bare);
	free(s->sorted);
	free(s->place);
	free(s->below);
	free(s->first_below);
	free(s->ranges);
	free(s->open);
	free(s->counts);
	free(s->by_label);
	free(s->listed);
	free(s->parts);
}

struct paths *paths_find(const struct graph *g, const struct paths_options *options, struct error *err)
{
	struct search s = { .g = g, .options = options, .found = calloc(1, sizeof *s.found) };
	bool done = s.found && add_ends(&s) && sort_ends(&s) && find_ranges(&s) && find_below(&s) && choose(&s);
	struct paths *found = s.found;

	search_free(&s);
	if (done)
		return found;
	build_no_memory(err);
	paths_free(found);
	return NULL;
}

void paths_free(struct paths *p)
{
	if (!p)
		return;
	free(p->paths);
	free(p->routines);
	free(p);
}
