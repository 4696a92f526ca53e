/* recurring_paths.c - call sequences that recur, from the sorted ends of all histories.
 *
 * A sequence is a range of ends; those ranges that have a common beginning longer than their neighbours are the
 * sequences that no one caller extends, and one walk with a stack adds up all of them. */
#include "understand/graph/recurring_paths.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "understand/graph/build.h"
#include "understand/graph/suffix_array.h"

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
	struct suffix_array a;		/* the ends of its histories */
	struct range *ranges;		/* sequences that may be listed */
	uint32_t nranges;		/* how many */
	size_t ranges_room;		/* how many fit */
	struct range *open;		/* stack of ranges that are being added up */
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
	overhead_evidence_add(&to->evidence, &more->evidence);
	to->calls += more->calls;
	to->contexts += more->contexts;
	to->squares += more->squares;
}

/* Contexts weighed by the time under them.  A context that others were spelled out from has an end in each of them, so that there
 * can be more ends than contexts. */
static double effective_of(const struct search *s, const struct sums *sums)
{
	double weight = (double)suffix_array_weight(&s->a, sums);
	double ends = sums->squares > 0 ? weight * weight / sums->squares : 1;

	return ends < sums->contexts ? ends : sums->contexts;
}

/* time * log2(effective contexts)^2. */
static double recurring_paths_rank_of(const struct search *s, const struct sums *sums)
{
	double doublings = log2(effective_of(s, sums));

	return (double)suffix_array_weight(&s->a, sums) * doublings * doublings;
}

/* A range is whole: keep it if it may be listed. */
static bool range_close(struct search *s, struct range *range)
{
	if (range->length < SUFFIX_SHORTEST || range->sums.contexts < 2 || range->sums.time < s->options->min_time)
		return true;
	range->rank = recurring_paths_rank_of(s, &range->sums);
	if (range->rank <= 1e-9 * (double)suffix_array_weight(&s->a, &range->sums))	/* one context has all of it */
		return true;
	if (!array_grow(&s->ranges, &s->ranges_room, s->nranges, sizeof *s->ranges))
		return false;
	s->ranges[s->nranges++] = *range;
	return true;
}

/* All ranges of ends that read a common beginning, each closed when it is left: the stack holds those around the end
 * at hand, each longer than the one below. */
static bool recurring_paths_find_ranges(struct search *s)
{
	uint32_t depth = 1;

	s->open = calloc((size_t)s->g->longest + 3, sizeof *s->open);
	if (!s->open)
		return false;
	for (uint32_t i = 0; i < s->a.nsorted; i++) {
		uint32_t length = i + 1 < s->a.nsorted ? suffix_array_common(&s->a, s->a.sorted[i], s->a.sorted[i + 1]) : 0;
		struct range range = { .first = i, .last = i, .sums = suffix_array_sums(&s->a, s->a.sorted[i]) };

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
			assert(depth < s->g->longest + 3);	/* the room of open[] */
			s->open[depth++] = range;
		} else {
			add_sums(&s->open[depth - 1].sums, &range.sums);
		}
	}
	return true;
}

/* Count END for its label; true when that label has nine tenths of WHOLE. */
static bool prevails(struct search *s, uint32_t label, uint32_t end, uint64_t whole)
{
	if (label == 0)
		return false;
	s->by_label[label] += suffix_array_end_weight(&s->a, end);
	return (double)s->by_label[label] >= 0.9 * (double)whole;
}

/* Whether one caller above RANGE, or one callee below, has nine tenths of its time. */
static bool is_extended(struct search *s, const struct range *range)
{
	uint64_t whole = suffix_array_weight(&s->a, &range->sums);
	bool found = false;

	memset(s->by_label, 0, ((size_t)s->g->nroutines + 1) * sizeof *s->by_label);
	for (uint32_t i = range->first; i <= range->last && !found; i++)
		found = prevails(s, s->a.ends[suffix_array_climb(&s->a, s->a.sorted[i], range->length)].label, s->a.sorted[i], whole);
	memset(s->by_label, 0, ((size_t)s->g->nroutines + 1) * sizeof *s->by_label);
	for (uint32_t i = s->a.first_below[range->first]; i < s->a.first_below[range->last + 1] && !found; i++)
		found = prevails(s, s->a.ends[s->a.below[i]].label, s->a.below[i], whole);
	return found;
}

/* Whether RANGE is part of a listed sequence, or holds one. */
static bool is_redundant(const struct search *s, const struct range *range)
{
	uint32_t end = s->a.sorted[range->first];

	for (uint32_t left = range->length; left >= SUFFIX_SHORTEST; left--, end = s->a.ends[end].up) {
		uint32_t place = s->a.place[end], listed = place == SUFFIX_NOWHERE ? 0 : s->listed[place];

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
	uint32_t end = s->a.sorted[range->first];

	for (uint32_t i = range->first; i <= range->last; i++)
		s->listed[i] = range->length;
	for (uint32_t left = range->length; left >= SUFFIX_SHORTEST; left--, end = s->a.ends[end].up)
		if (s->a.place[end] != SUFFIX_NOWHERE && s->parts[s->a.place[end]] < left)
			s->parts[s->a.place[end]] = left;
}

/* Append the routines of RANGE, the caller first.  False: out of memory. */
static bool recurring_paths_spell(struct search *s, const struct range *range)
{
	uint32_t end = s->a.sorted[range->first], first = s->nroutines;

	for (uint32_t i = 0; i < range->length; i++)
		if (!array_grow(&s->found->routines, &s->routines_room, s->nroutines++, sizeof *s->found->routines))
			return false;
	for (uint32_t i = range->length; i-- > 0; end = s->a.ends[end].up)
		s->found->routines[first + i] = s->a.ends[end].label - 1;
	return true;
}

/* Put RANGE into the result.  False: out of memory. */
static bool recurring_paths_list(struct search *s, const struct range *range)
{
	const struct sums *sums = &range->sums;
	uint32_t first = s->nroutines;

	if (!array_grow(&s->found->paths, &s->paths_room, s->found->n, sizeof *s->found->paths) || !recurring_paths_spell(s, range))
		return false;
	note_listed(s, range);
	s->found->paths[s->found->n++] = (struct graph_path){ .first = first, .length = range->length, .contexts = sums->contexts,
		.calls = sums->calls, .time = sums->time, .ticks = sums->ticks, .evidence = sums->evidence,
		.effective = effective_of(s, sums) };
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
static bool recurring_paths_choose(struct search *s)
{
	s->by_label = calloc((size_t)s->g->nroutines + 1, sizeof *s->by_label);
	s->listed = calloc((size_t)s->a.nsorted + 1, sizeof *s->listed);
	s->parts = calloc((size_t)s->a.nsorted + 1, sizeof *s->parts);
	if (!s->by_label || !s->listed || !s->parts)
		return false;
	if (s->nranges > 1)
		qsort(s->ranges, s->nranges, sizeof *s->ranges, by_rank);
	for (uint32_t i = 0; i < s->nranges && (s->options->most == 0 || s->found->n < s->options->most); i++) {
		const struct range *range = s->ranges + i;

		if (!is_redundant(s, range) && !is_extended(s, range) && !recurring_paths_list(s, range))
			return false;
	}
	return true;
}

static void search_free(struct search *s)
{
	suffix_array_free(&s->a);
	free(s->ranges);
	free(s->open);
	free(s->by_label);
	free(s->listed);
	free(s->parts);
}

struct paths *paths_find(const struct graph *g, const struct paths_options *options, struct error *err)
{
	struct search s = { .g = g, .options = options, .found = calloc(1, sizeof *s.found) };
	bool done = s.found && suffix_array_make(&s.a, g, options->min_time) && recurring_paths_find_ranges(&s) && recurring_paths_choose(&s);
	struct paths *found = s.found;

	search_free(&s);
	if (done) {
		found->options = *options;
		return found;
	}
	build_no_memory(err);
	paths_free(found);
	return NULL;
}

bool paths_answer(const struct paths *p, const struct paths_options *options)
{
	return p->options.min_time == options->min_time && (p->options.most == 0 || (options->most > 0 && options->most <= p->options.most));
}

void paths_free(struct paths *p)
{
	if (!p)
		return;
	free(p->paths);
	free(p->routines);
	free(p);
}
