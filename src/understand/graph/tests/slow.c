/* slow.c - see slow.h. */
#include "understand/graph/tests/slow.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

size_t slow_normalise(const struct graph *g, const history_entry *s, size_t n, history_entry *out)
{
	size_t length = 0, kept = 0;

	for (size_t i = 0; i < n; i++)		/* without what is left out */
		if (!g->routines[g->routine_of[history_routine(s[i])]].left_out)
			out[kept++] = g->routine_of[history_routine(s[i])] << 1 | history_is_marked(s[i]);
	n = kept;
	for (size_t i = 0; i < n; i++)		/* only the last mark of a routine stays */
		for (size_t j = i + 1; j < n; j++)
			if (history_is_marked(out[j]) && history_routine(out[i]) == history_routine(out[j]))
				out[i] &= ~1u;
	for (size_t i = 0; i < n; i++)		/* adjacent equals collapse */
		if (length > 0 && history_routine(out[length - 1]) == history_routine(out[i]))
			out[length - 1] = out[i];
		else
			out[length++] = out[i];
	for (bool again = true; again;) {	/* A4 and A5, one deletion at a time */
		again = false;
		for (size_t i = 0; i + 1 < length && !again; i++) {
			bool a4 = i > 0 && !history_is_marked(out[i - 1]) && !history_is_marked(out[i])
				&& !history_is_marked(out[i + 1]);
			bool a5 = !history_is_marked(out[i]) && out[i] == out[i + 1];

			if (!a4 && !a5)
				continue;
			memmove(out + i, out + i + 1, (length - i - 1) * sizeof *out);
			length--;
			again = true;
		}
	}
	return length;
}

const struct slow_line *slow_find(const struct slow_lines *lines, const char *words)
{
	for (uint32_t i = 0; i < lines->n; i++)
		if (strcmp(lines->lines[i].words, words) == 0)
			return lines->lines + i;
	return NULL;
}

static void add_line(struct slow_lines *lines, const char *words, uint64_t calls, uint64_t time)
{
	struct slow_line *line = (struct slow_line *)slow_find(lines, words);

	if (!line) {
		lines->lines = reallocarray(lines->lines, lines->n + 1, sizeof *lines->lines);
		assert(lines->lines);
		line = lines->lines + lines->n++;
		*line = (struct slow_line){ .words = strdup(words) };
	}
	line->calls += calls;
	line->time += time;
}

/* The cycle s[i] .. s[j - 1], in words: the rotation whose numbers come first, an entry with an unknown link before the same with
 * a known one. */
static void add_cycle(struct slow *slow, const history_entry *s, size_t i, size_t j, uint64_t calls, uint64_t time)
{
	size_t n = j - i;
	char best[2000] = "", words[2000];

	for (size_t r = 0; r < n; r++) {
		size_t used = 0;

		for (size_t k = 0; k < n; k++) {
			const history_entry *e = s + i + (r + k) % n;

			used += sprintf(words + used, "%03u%s ", history_routine(e[0]),
				history_is_marked(e[0]) || history_is_marked(e[1]) ? "--" : "..");
		}
		for (size_t k = 0; words[k]; k++)	/* '.' sorts behind '-': turn it round */
			words[k] = words[k] == '-' ? '~' : words[k];
		if (!best[0] || strcmp(words, best) < 0)
			strcpy(best, words);
	}
	add_line(&slow->cycles, best, calls, time);
}

static void find_cycle(struct slow *slow, const history_entry *s, size_t n, uint64_t entries, uint64_t time)
{
	for (size_t j = n; j-- > 0;)
		for (size_t i = j; i-- > 0 && history_is_marked(s[j]);)
			if (s[i] == (s[j] & ~1u)) {
				add_cycle(slow, s, i, j, j + 1 == n ? entries : 0, time);
				return;
			}
}

static void add_paths(struct slow *slow, const history_entry *s, size_t n, uint64_t entries, uint64_t time)
{
	char words[2000];
	size_t used = 0;

	for (size_t i = 0; i < n; i++) {
		bool gap = i > 0 && !history_is_marked(s[i]) && !history_is_marked(s[i - 1]);

		used += sprintf(words + used, "%s%u/", gap ? ".." : "", history_routine(s[i]));
		add_line(&slow->down, words, i + 1 == n ? entries : 0, time);
	}
	used = 0;
	for (size_t i = n; i-- > 0 && time + entries > 0;) {
		bool gap = i + 1 < n && !history_is_marked(s[i]) && !history_is_marked(s[i + 1]);

		used += sprintf(words + used, "%s%u/", gap ? ".." : "", history_routine(s[i]));
		add_line(&slow->up, words, entries, time);
	}
}

static void add_items(struct slow *slow, const history_entry *s, size_t n, uint64_t time)
{
	uint32_t none = slow->n, p = history_routine(s[n - 1]);

	slow->self[p] += time;
	for (size_t i = 0; i < n; i++) {
		uint32_t a = i > 0 ? history_routine(s[i - 1]) : none, b = history_routine(s[i]);
		struct slow_arc *in = slow->arcs + a * (slow->n + 1) + b;

		if (!history_is_marked(s[i]))
			continue;
		in->exists = true;
		slow->total[b] += time;
		*(b == p ? &in->self2 : &in->child2) += time;
		if (i + 1 < n) {
			uint32_t c = history_routine(s[i + 1]);
			struct slow_arc *out = slow->arcs + b * (slow->n + 1) + c;

			out->exists = true;
			*(c == p ? &out->self1 : &out->child1) += time;
		}
	}
}

static bool is_active(const history_entry *s, size_t n, uint32_t routine)
{
	for (size_t i = 0; i < n; i++)
		if (s[i] == history_marked(routine))
			return true;
	return false;
}

/* Is context INDEX of the profile entered from the routine that it runs? */
static bool is_own(const struct made *m, const struct graph *g, uint32_t index)
{
	const struct profile_context *c = m->p.contexts + index;
	history_entry s[c->length + 1], before[m->p.longest + 1];
	size_t n = slow_normalise(g, m->histories[index], c->length, s);
	size_t nbefore = slow_normalise(g, m->histories[c->parent], m->p.contexts[c->parent].length, before);

	return n > 0 && nbefore > 0 && s[n - 1] == before[nbefore - 1];
}

/* Is the routine of context INDEX left out? */
static bool is_left_out(const struct made *m, const struct graph *g, uint32_t index)
{
	return g->routines[g->routine_of[m->p.contexts[index].routine]].left_out;
}

/* Entries from other routines of all contexts with the history of context INDEX: of pieces, or of what is none. */
static uint64_t entries_like(const struct made *m, const struct graph *g, uint32_t index, bool pieces)
{
	uint64_t sum = 0;

	for (uint32_t i = 1; i < m->p.ncontexts; i++)
		if (g->context_of[i] == g->context_of[index] && m->names[m->p.contexts[i].routine].part == pieces && !is_own(m, g, i) && !is_left_out(m, g, i))
			sum += m->p.contexts[i].entries;
	return sum;
}

/* The part of context C of the profile in the calls and times. */
static void add_context(struct slow *slow, const struct made *m, const struct graph *g, uint32_t index, uint32_t focus)
{
	const struct profile_context *c = m->p.contexts + index;
	history_entry s[c->length + 1];
	size_t n = slow_normalise(g, m->histories[index], c->length, s);
	uint64_t time = overhead_charged(&m->o, index), entries = c->entries;

	if (focus != GRAPH_NONE && !is_active(s, n, focus))
		return;
	slow->hooks += c->time - time;
	slow->hooks_unplaced += (uint64_t)m->o.hooks[index] - (c->time - time);
	if (n == 0) {
		slow->outside += time;
		return;
	}
	slow->time += time;
	slow->recursive[history_routine(s[n - 1])] += is_left_out(m, g, index) ? 0 : c->recursive;
	if (is_left_out(m, g, index)) {
		entries = 0;
	} else if (is_own(m, g, index)) {
		slow->recursive[history_routine(s[n - 1])] += m->names[c->routine].part ? 0 : entries;
		entries = 0;
	} else if (m->names[c->routine].part != (entries_like(m, g, index, true) > entries_like(m, g, index, false))) {
		entries = 0;		/* the larger counts */
	}
	slow->calls[history_routine(s[n - 1])] += entries;
	slow->arcs[(n > 1 ? history_routine(s[n - 2]) : slow->n) * (slow->n + 1) + history_routine(s[n - 1])].calls += entries;
	add_items(slow, s, n, time);
	find_cycle(slow, s, n, entries, time);
	add_paths(slow, s, n, entries, time);
}

struct slow *slow_build(const struct made *m, const struct graph *g, uint32_t focus)
{
	struct slow *slow = calloc(1, sizeof *slow);

	assert(slow);
	slow->n = g->nroutines;
	slow->self = calloc(slow->n + 1, sizeof (uint64_t));
	slow->total = calloc(slow->n + 1, sizeof (uint64_t));
	slow->calls = calloc(slow->n + 1, sizeof (uint64_t));
	slow->recursive = calloc(slow->n + 1, sizeof (uint64_t));
	slow->arcs = calloc((slow->n + 1) * (slow->n + 1), sizeof *slow->arcs);
	assert(slow->self && slow->total && slow->calls && slow->recursive && slow->arcs);
	for (uint32_t i = 0; i < m->p.ncontexts; i++)
		add_context(slow, m, g, i, focus);
	return slow;
}

static void free_lines(struct slow_lines *lines)
{
	for (uint32_t i = 0; i < lines->n; i++)
		free(lines->lines[i].words);
	free(lines->lines);
}

void slow_free(struct slow *s)
{
	free(s->self);
	free(s->total);
	free(s->calls);
	free(s->recursive);
	free(s->arcs);
	free_lines(&s->cycles);
	free_lines(&s->down);
	free_lines(&s->up);
	free(s);
}
