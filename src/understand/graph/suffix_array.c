/* suffix_array.c - the ends of all histories, found and sorted (suffix_array.h). */
#include "understand/graph/suffix_array.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/pair_table.h"

uint64_t suffix_array_weight(const struct suffix_array *a, const struct sums *sums)
{
	return a->g->time > 0 ? sums->time : sums->calls;
}

/* Was anything ever in C?  A sum has contexts that only others come from (read/profile/sum.h).  Of call stacks nobody knows. */
static bool was_entered(const struct graph *g, const struct graph_context *c)
{
	return c->entries || c->recursive || c->time || c->ticks || !profile_counts_calls(g->profile);
}

/* Whether the context that END brings something of ends there. */
static bool suffix_array_is_last(const struct suffix_array *a, uint32_t end)
{
	return a->end_of[a->ends[end].context] == end;
}

static uint64_t suffix_array_time_of(const struct suffix_array *a, uint32_t end)
{
	return a->ends[end].context ? a->weights[a->ends[end].context].time : 0;
}

/* Whether END is that of a context, and not only on the way to one. */
static bool ends_context(const struct suffix_array *a, uint32_t end)
{
	const struct graph_context *c = a->g->contexts + a->ends[end].context;

	return a->ends[end].context && suffix_array_is_last(a, end) && c->kept && was_entered(a->g, c);
}

uint64_t suffix_array_end_weight(const struct suffix_array *a, uint32_t end)
{
	uint32_t context = a->ends[end].context;

	if (a->g->time > 0)
		return suffix_array_time_of(a, end);
	return context && suffix_array_is_last(a, end) ? a->g->contexts[context].entries : 0;
}

struct sums suffix_array_sums(const struct suffix_array *a, uint32_t end)
{
	const struct weight *w = a->weights + a->ends[end].context;
	double weight = (double)suffix_array_end_weight(a, end);

	if (a->ends[end].context == 0)
		return (struct sums){ 0 };
	return (struct sums){ .time = w->time, .ticks = w->ticks, .evidence = w->evidence, .squares = weight * weight,
		.calls = suffix_array_is_last(a, end) ? a->g->contexts[a->ends[end].context].entries : 0, .contexts = ends_context(a, end) };
}

/* ---- all ends ---- */

/* A new end of ROUTINE below UP, for CONTEXT.  0: out of memory. */
static uint32_t end_add(struct suffix_array *a, uint32_t routine, uint32_t up, uint32_t context)
{
	if (!array_grow(&a->ends, &a->room, a->n, sizeof *a->ends))
		return 0;
	assert(up < a->n);
	a->ends[a->n] = (struct end){ .label = routine + 1, .up = up, .length = a->ends[up].length + 1, .context = context };
	return a->n++;
}

/* What can be read above an entry whose caller is E, which is at END.  False: out of memory. */
static bool end_above(struct suffix_array *a, history_entry e, uint32_t *end)
{
	uint32_t routine = history_routine(e);

	if (*end == 0 || history_is_marked(e))
		return true;
	if (a->bare[routine] == 0)
		a->bare[routine] = end_add(a, routine, 0, 0);
	*end = a->bare[routine];
	return *end != 0;
}

/* The ends of a context that is spelled out. */
static bool add_spelled(struct suffix_array *a, uint32_t index)
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
		end = end_add(a, routine, end, index);
		if (end == 0)
			return false;
	}
	a->end_of[index] = end;
	return true;
}

static bool suffix_array_add_context(struct suffix_array *a, uint32_t index)
{
	const struct graph_context *c = a->g->contexts + index;

	if (c->parent == GRAPH_NONE)
		return add_spelled(a, index);
	if (a->g->routines[c->routine].pseudo)
		return true;
	a->end_of[index] = end_add(a, c->routine, a->end_of[c->parent], index);
	return a->end_of[index] != 0;
}

/* Fill weights[].  False: out of memory. */
static bool suffix_array_weigh(struct suffix_array *a)
{
	const struct graph *g = a->g;
	struct weight *w = calloc(g->ncontexts, sizeof *w);

	a->weights = w;
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
	return w != NULL;
}

/* Room for the ends of all contexts, as most of them have one each. */
static bool add_none(struct suffix_array *a)
{
	const struct graph *g = a->g;

	a->end_of = calloc(g->ncontexts, sizeof *a->end_of);
	a->bare = calloc((size_t)g->nroutines + 1, sizeof *a->bare);
	if (!a->end_of || !a->bare || !array_reserve(&a->ends, &a->room, (size_t)g->ncontexts + 1, sizeof *a->ends))
		return false;
	a->ends[0] = (struct end){ 0 };
	a->n = 1;
	return true;
}

static bool add_ends(struct suffix_array *a)
{
	bool done = add_none(a);

	for (uint32_t i = 1; done && i < a->g->ncontexts; i++)
		done = !a->g->contexts[i].live || suffix_array_add_context(a, i);
	return done;
}

/* ---- which ends matter ---- */

/* What the ends that read the same first entries have together. */
struct shared {
	uint64_t time;
	uint32_t contexts;
};

static bool is_enough(const struct shared *s, uint64_t min_time)
{
	return s->time >= min_time && s->contexts > 1;
}

/* NUMBERS, up to COUNT, say by end which first entries it reads.  Those ends that have too little, together with all that read the same, get 0.  False: out of
 * memory. */
static bool leave_out(const struct suffix_array *a, uint64_t min_time, uint32_t *numbers, uint32_t count)
{
	struct shared *all = calloc((size_t)count + 1, sizeof *all);

	for (uint32_t i = 1; all && i < a->n; i++)
		if (numbers[i]) {
			all[numbers[i]].time += suffix_array_time_of(a, i);
			all[numbers[i]].contexts += ends_context(a, i);
		}
	for (uint32_t i = 1; all && i < a->n; i++)
		if (numbers[i] && !is_enough(&all[numbers[i]], min_time))
			numbers[i] = 0;
	free(all);
	return all != NULL;
}

/* From now on NUMBERS, but for those that are 0, are of one entry more, which is N above the last.  Returns how many there are, in *COUNT; false: out of memory. */
static bool read_on(const struct suffix_array *a, uint32_t n, uint32_t *numbers, uint32_t *count)
{
	struct pair_table pairs = { 0 };
	bool done = true;

	for (uint32_t i = 1; done && i < a->n; i++) {
		uint32_t *number = numbers[i] ? pair_table_at(&pairs, numbers[i], a->ends[suffix_array_climb(a, i, n)].label) : NULL;

		if (number && !*number)
			*number = pairs.n;
		done = number || !numbers[i];
		numbers[i] = number ? *number : 0;
	}
	*count = pairs.n;
	pair_table_free(&pairs);
	return done;
}

/* Write the ends that matter to sorted[], by number.  False: out of memory. */
static bool choose_ends(struct suffix_array *a, uint64_t min_time)
{
	uint32_t *numbers = calloc(a->n, sizeof *numbers), count = a->g->nroutines;
	bool done = numbers != NULL;

	for (uint32_t i = 1; done && i < a->n; i++)
		numbers[i] = a->ends[i].length < SUFFIX_SHORTEST ? 0 : a->ends[i].label;
	for (uint32_t n = 0; done && n < SUFFIX_SHORTEST; n++)
		done = (n == 0 || read_on(a, n, numbers, &count)) && leave_out(a, min_time, numbers, count);
	a->sorted = done ? calloc(a->n, sizeof *a->sorted) : NULL;
	for (uint32_t i = 1; a->sorted && i < a->n; i++)
		if (numbers[i])
			a->sorted[a->nsorted++] = i;
	free(numbers);
	return a->sorted != NULL;
}

/* ---- their order ---- */

/* An end that is being sorted, and where it has been read to. */
struct reader {
	uint32_t end;
	uint32_t at;
};

static void swap(struct reader *x, struct reader *y)
{
	struct reader kept = *x;

	*x = *y;
	*y = kept;
}

static int by_end(const void *x, const void *y)
{
	const struct reader *a = x, *b = y;

	return a->end < b->end ? -1 : a->end > b->end;
}

static uint32_t label_at(const struct suffix_array *a, const struct reader *r)
{
	return a->ends[r->at].label;
}

static uint32_t median(uint32_t x, uint32_t y, uint32_t z)
{
	return x < y ? (y < z ? y : x < z ? z : x) : (x < z ? x : y < z ? z : y);
}

/* Some readers in a row. */
struct span {
	uint32_t first;
	uint32_t n;
};

/* Part the N readers R by the label where they are: to PARTS those that are less than one of them, like it, and more. */
static void suffix_array_part(const struct suffix_array *a, struct reader *r, uint32_t n, struct span parts[3])
{
	uint32_t pivot = median(label_at(a, r), label_at(a, r + n / 2), label_at(a, r + n - 1)), less = 0, more = n;

	for (uint32_t i = 0; i < more;) {
		uint32_t label = label_at(a, r + i);

		if (label < pivot)
			swap(r + less++, r + i++);
		else if (label > pivot)
			swap(r + --more, r + i);
		else
			i++;
	}
	parts[0] = (struct span){ 0, less };
	parts[1] = (struct span){ less, more - less };
	parts[2] = (struct span){ more, n - more };
}

/* The readers of LIKE are at one label: they go on, or, where that is nothing, are ordered by number. */
static void go_on(const struct suffix_array *a, struct reader *r, struct span *like)
{
	if (label_at(a, r + like->first) == 0) {
		qsort(r + like->first, like->n, sizeof *r, by_end);
		like->n = 0;
	}
	for (uint32_t i = 0; i < like->n; i++)
		r[like->first + i].at = a->ends[r[like->first + i].at].up;
}

static uint32_t largest_of(const struct span parts[3])
{
	uint32_t largest = 0;

	for (uint32_t i = 1; i < 3; i++)
		if (parts[i].n > parts[largest].n)
			largest = i;
	return largest;
}

/* Sort the N readers R by what they read from where they are on.  It calls itself for the two smaller parts: less than log2(n) deep. */
static void sort_readers(const struct suffix_array *a, struct reader *r, uint32_t n)
{
	struct span parts[3];
	uint32_t largest;

	while (n > 1) {
		suffix_array_part(a, r, n, parts);
		go_on(a, r, &parts[1]);
		largest = largest_of(parts);
		for (uint32_t i = 0; i < 3; i++)
			if (i != largest)
				sort_readers(a, r + parts[i].first, parts[i].n);
		r += parts[largest].first;
		n = parts[largest].n;
	}
}

static bool sort_ends(struct suffix_array *a)
{
	struct reader *readers = calloc((size_t)a->nsorted + 1, sizeof *readers);

	if (!readers)
		return false;
	for (uint32_t i = 0; i < a->nsorted; i++)
		readers[i] = (struct reader){ a->sorted[i], a->sorted[i] };
	sort_readers(a, readers, a->nsorted);
	for (uint32_t i = 0; i < a->nsorted; i++)
		a->sorted[i] = readers[i].end;
	free(readers);
	return true;
}

/* Fill place[], and below[]: the ends by where their up is in sorted[]. */
static bool find_below(struct suffix_array *a)
{
	uint32_t *next = calloc((size_t)a->nsorted + 1, sizeof *next), n = 0;
	bool done;

	a->place = malloc(a->n * sizeof *a->place);
	a->first_below = calloc((size_t)a->nsorted + 1, sizeof *a->first_below);
	done = next && a->place && a->first_below;
	for (uint32_t i = 0; done && i < a->n; i++)
		a->place[i] = SUFFIX_NOWHERE;
	for (uint32_t i = 0; done && i < a->nsorted; i++)
		a->place[a->sorted[i]] = i;
	for (uint32_t i = 1; done && i < a->n; i++)
		if (a->place[a->ends[i].up] != SUFFIX_NOWHERE)
			next[a->place[a->ends[i].up]]++;
	for (uint32_t i = 0; done && i < a->nsorted; i++) {
		a->first_below[i] = n;
		n += next[i];
		next[i] = a->first_below[i];
	}
	a->below = done ? calloc((size_t)n + 1, sizeof *a->below) : NULL;
	done = a->below != NULL;
	for (uint32_t i = 1; done && i < a->n; i++)
		if (a->place[a->ends[i].up] != SUFFIX_NOWHERE)
			a->below[next[a->place[a->ends[i].up]]++] = i;
	if (done)
		a->first_below[a->nsorted] = n;
	free(next);
	return done;
}

bool suffix_array_make(struct suffix_array *a, const struct graph *g, uint64_t min_time)
{
	*a = (struct suffix_array){ .g = g };
	return suffix_array_weigh(a) && add_ends(a) && choose_ends(a, min_time) && sort_ends(a) && find_below(a);
}

uint32_t suffix_array_common(const struct suffix_array *a, uint32_t x, uint32_t y)
{
	uint32_t n = 0;

	for (; x && y && a->ends[x].label == a->ends[y].label; n++) {
		x = a->ends[x].up;
		y = a->ends[y].up;
	}
	return n;
}

uint32_t suffix_array_climb(const struct suffix_array *a, uint32_t end, uint32_t n)
{
	while (n-- > 0)
		end = a->ends[end].up;
	return end;
}

void suffix_array_free(struct suffix_array *a)
{
	free(a->ends);
	free(a->weights);
	free(a->end_of);
	free(a->bare);
	free(a->sorted);
	free(a->place);
	free(a->below);
	free(a->first_below);
}
