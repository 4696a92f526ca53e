/* find_cycles.c - the cycles that were really traversed, each once (graph.h defines them).
 *
 * Only a step that unmarks an entry makes a cycle, so only contexts that are spelled out are looked at; those that extend
 * them have the same innermost cycle, and their time is in the weight. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/table.h"
#include "understand/graph/build.h"

/* Where a cycle lies in a history: entries first .. end - 1, closed by entry end. */
struct span {
	uint32_t first;
	uint32_t end;		/* 0: the history holds no cycle */
};

/* The search. */
struct finder {
	struct graph *g;	/* whose cycles are found */
	uint32_t *unmarked;	/* by routine: position of its last unmarked entry in the history at hand */
	uint32_t *seen;		/* by routine: 1 + the context for which `unmarked` holds */
	cycle_entry *entries;	/* the cycle at hand, twice over */
	size_t room;		/* how many fit in g->cycles */
	uint32_t nkept;		/* entries in g->cycle_entries */
	size_t kept_room;	/* how many fit there */
	struct table table;	/* finds g->cycles */
};

/* The innermost cycle of the history S of N entries of context C. */
static struct span innermost(struct finder *f, uint32_t c, const history_entry *s, uint32_t n)
{
	struct span span = { 0 };

	for (uint32_t i = 0; i < n; i++) {
		uint32_t r = history_routine(s[i]);

		if (!history_is_marked(s[i])) {
			f->unmarked[r] = i;
			f->seen[r] = c + 1;
		} else if (f->seen[r] == c + 1) {
			span = (struct span){ .first = f->unmarked[r], .end = i };
		}
	}
	return span;
}

/* Where the lexicographically least rotation of E, N entries written twice, begins.  Two candidates race: where they differ
 * after K equal entries, the greater one and the K starts after it are out.  Linear. */
static uint32_t least_rotation(const cycle_entry *e, uint32_t n)
{
	uint32_t i = 0, j = 1, k = 0;

	while (i < n && j < n && k < n) {
		if (e[i + k] == e[j + k]) {
			k++;
			continue;
		}
		if (e[i + k] > e[j + k])
			i += k + 1;
		else
			j += k + 1;
		j += i == j;
		k = 0;
	}
	assert((i < j ? i : j) < n);
	return i < j ? i : j;
}

/* Write the cycle at SPAN of S to f->entries, in its canonical rotation.  Returns where it begins there. */
static const cycle_entry *canonical(struct finder *f, const history_entry *s, struct span span)
{
	uint32_t n = span.end - span.first;

	assert(span.first < span.end && n <= f->g->longest);
	for (uint32_t i = 0; i < n; i++) {
		const history_entry *e = s + span.first + i;

		f->entries[i] = cycle_entry_of(history_routine(e[0]), history_is_marked(e[0]) || history_is_marked(e[1]));
		f->entries[n + i] = f->entries[i];
	}
	return f->entries + least_rotation(f->entries, n);
}

static uint64_t find_cycles_hash_of(const void *owner, uint32_t position)
{
	const struct graph *g = owner;

	return history_hash(g->cycle_entries + g->cycles[position].first, g->cycles[position].length);
}

static struct graph_cycle *find_cycles_find(const struct finder *f, uint64_t hash, const cycle_entry *e, uint32_t n)
{
	uint32_t found;

	for (uint64_t i = hash; (found = table_next(&f->table, &i)) != UINT32_MAX;) {
		struct graph_cycle *cycle = f->g->cycles + found;

		if (cycle->length == n && memcmp(f->g->cycle_entries + cycle->first, e, n * sizeof *e) == 0)
			return cycle;
	}
	return NULL;
}

static bool find_cycles_add(struct finder *f, const cycle_entry *e, uint32_t n)
{
	struct graph *g = f->g;

	if (!array_grow(&g->cycles, &f->room, g->ncycles, sizeof *g->cycles))
		return false;
	g->cycles[g->ncycles] = (struct graph_cycle){ .first = f->nkept, .length = n };
	for (uint32_t i = 0; i < n; i++) {
		if (!array_grow(&g->cycle_entries, &f->kept_room, f->nkept, sizeof *e))
			return false;
		g->cycle_entries[f->nkept++] = e[i];
	}
	g->ncycles++;
	return true;
}

/* The cycle of N entries at E, made when new.  NULL: out of memory. */
static struct graph_cycle *cycle_at(struct finder *f, const cycle_entry *e, uint32_t n)
{
	uint64_t hash = history_hash(e, n);
	struct graph_cycle *cycle = find_cycles_find(f, hash, e, n);

	if (cycle)
		return cycle;
	if (!table_reserve(&f->table, (uint64_t)f->g->ncycles + 1, find_cycles_hash_of, f->g) || !find_cycles_add(f, e, n))
		return NULL;
	table_add(&f->table, hash, f->g->ncycles - 1);
	return f->g->cycles + (f->g->ncycles - 1);
}

/* Count context C, spelled out, for its innermost cycle. */
static bool visit(struct finder *f, uint32_t index, const struct weight *w)
{
	const struct graph_context *c = f->g->contexts + index;
	const history_entry *s = f->g->spelled + c->spelled;
	struct span span = innermost(f, index, s, c->length);
	struct graph_cycle *cycle;

	if (span.end == 0)
		return true;
	cycle = cycle_at(f, canonical(f, s, span), span.end - span.first);
	if (!cycle)
		return false;
	cycle->time += w->time;
	overhead_evidence_add(&cycle->evidence, &w->evidence);
	if (span.end + 1 == c->length) {
		cycle->calls += c->entries;
		cycle->closed |= c->entries > 0 || !graph_counts(f->g, c->routine);
	}
	return true;
}

/* Largest time first, then calls; then by entries, so that the order is the same each time. */
static int find_cycles_by_time(const void *x, const void *y, void *arg)
{
	const struct graph_cycle *a = x, *b = y;
	const cycle_entry *entries = arg;

	if (a->time != b->time)
		return a->time > b->time ? -1 : 1;
	if (a->calls != b->calls)
		return a->calls > b->calls ? -1 : 1;
	for (uint32_t i = 0; i < a->length && i < b->length; i++)
		if (entries[a->first + i] != entries[b->first + i])
			return entries[a->first + i] < entries[b->first + i] ? -1 : 1;
	return a->length < b->length ? -1 : a->length > b->length;
}

static bool visit_all(struct finder *f, const struct weight *w)
{
	struct graph *g = f->g;

	f->unmarked = calloc((size_t)g->nroutines + 1, sizeof *f->unmarked);
	f->seen = calloc((size_t)g->nroutines + 1, sizeof *f->seen);
	f->entries = calloc(2 * ((size_t)g->longest + 1), sizeof *f->entries);
	if (!f->unmarked || !f->seen || !f->entries)
		return false;
	for (uint32_t i = 1; i < g->ncontexts; i++)
		if (g->contexts[i].live && g->contexts[i].parent == GRAPH_NONE && !visit(f, i, w + i))
			return false;
	return true;
}

/* What no call closed is what is left of a cycle, once others were squeezed out of it: it was never traversed as it stands there. */
static void remnants_drop(struct graph *g)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < g->ncycles; i++)
		if (g->cycles[i].closed)
			g->cycles[kept++] = g->cycles[i];
	g->ncycles = kept;
}

bool cycles_find(struct graph *g, const struct weight *w, struct error *err)
{
	struct finder f = { .g = g };
	bool done = visit_all(&f, w);

	free(f.unmarked);
	free(f.seen);
	free(f.entries);
	table_free(&f.table);
	remnants_drop(g);
	if (done && g->ncycles > 1)
		qsort_r(g->cycles, g->ncycles, sizeof *g->cycles, find_cycles_by_time, g->cycle_entries);
	return done || build_no_memory(err);
}
