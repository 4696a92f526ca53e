/* made.c - see made.h. */
#include "understand/graph/tests/made.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct graph_name name_of(const char *name)
{
	size_t length = strcspn(name, ".");
	char *key = strndup(name, length);

	return (struct graph_name){ .name = key, .key = key, .part = strstr(name, ".part") || strstr(name, ".cold"),
		.aliases = name };
}

static uint32_t *slot_of(const struct made *m, const history_entry *s, size_t n)
{
	uint64_t i = history_hash(s, n) & (m->nslots - 1);

	for (; m->slots[i]; i = (i + 1) & (m->nslots - 1)) {
		uint32_t c = m->slots[i] - 1;

		if (m->p.contexts[c].length == n
		    && (n == 0 || memcmp(m->histories[c], s, n * sizeof *s) == 0))
			break;
	}
	return m->slots + i;
}

static void rehash(struct made *m)
{
	m->nslots = m->nslots ? 2 * m->nslots : 1024;
	free(m->slots);
	m->slots = calloc(m->nslots, sizeof *m->slots);
	assert(m->slots);
	for (uint32_t c = 0; c < m->p.ncontexts; c++)
		*slot_of(m, m->histories[c], m->p.contexts[c].length) = c + 1;
}

static uint32_t add(struct made *m, const history_entry *s, size_t n, struct profile_context context)
{
	uint32_t c = m->p.ncontexts;

	if (2 * ((uint64_t)c + 1) > m->nslots)
		rehash(m);
	if (c == m->room) {
		m->room = m->room ? 2 * m->room : 64;
		m->p.contexts = reallocarray(m->p.contexts, m->room, sizeof *m->p.contexts);
		m->histories = reallocarray(m->histories, m->room, sizeof *m->histories);
		m->o.hooks = reallocarray(m->o.hooks, m->room, sizeof *m->o.hooks);
		assert(m->p.contexts && m->histories && m->o.hooks);
	}
	context.length = n;
	m->p.contexts[c] = context;
	m->o.hooks[c] = 0;
	m->histories[c] = calloc(n + 1, sizeof *s);
	assert(m->histories[c]);
	if (n > 0)
		memcpy(m->histories[c], s, n * sizeof *s);
	*slot_of(m, s, n) = c + 1;
	m->p.ncontexts++;
	if (n > m->p.longest)
		m->p.longest = n;
	return c;
}

struct made *made_new(const char *const *names, uint32_t n)
{
	struct made *m = calloc(1, sizeof *m);

	assert(m);
	m->names = calloc(n + 1, sizeof *m->names);
	m->p.routines = calloc(n + 1, sizeof *m->p.routines);
	assert(m->names && m->p.routines);
	m->p.nroutines = n;
	m->o.profile = &m->p;
	for (uint32_t i = 0; i < n; i++) {
		m->names[i] = name_of(names[i]);
		m->p.routines[i].pseudo = names[i][0] == '(' ? AMON_ROUTINE_ELIDED : 0;
	}
	add(m, NULL, 0, (struct profile_context){ .parent = PROFILE_NONE, .routine = PROFILE_NONE });
	return m;
}

void made_free(struct made *m)
{
	for (uint32_t i = 0; i < m->p.nroutines; i++)
		free((char *)m->names[i].key);
	for (uint32_t c = 0; c < m->p.ncontexts; c++)
		free(m->histories[c]);
	free(m->names);
	free(m->histories);
	free(m->slots);
	free(m->p.routines);
	free(m->p.contexts);
	free(m->o.hooks);
	free(m);
}

uint32_t made_routine(const struct made *m, const char *name)
{
	for (uint32_t i = 0; i < m->p.nroutines; i++)
		if (strcmp(m->names[i].aliases, name) == 0)
			return i;
	fprintf(stderr, "no routine %s\n", name);
	abort();
}

static bool is_active(const history_entry *s, size_t n, uint32_t routine)
{
	for (size_t i = 0; i < n; i++)
		if (s[i] == history_marked(routine))
			return true;
	return false;
}

uint32_t made_call(struct made *m, uint32_t context, uint32_t routine, uint64_t count)
{
	size_t n = m->p.contexts[context].length, next;
	history_entry s[n + 1];
	bool folded;
	uint32_t c;

	if (n > 0)
		memcpy(s, m->histories[context], n * sizeof *s);
	folded = is_active(s, n, routine);
	next = history_next(s, n, routine);
	m->p.contexts[context].calls_out += count;
	if (m->p.contexts[context].routine == routine) {
		m->p.contexts[context].recursive += count;
		return context;
	}
	c = *slot_of(m, s, next);
	c = c ? c - 1 : add(m, s, next, (struct profile_context){ .parent = context, .routine = routine, .folded = folded });
	m->p.contexts[c].entries += count;
	return c;
}

void made_spend(struct made *m, uint32_t context, uint64_t nsec, uint64_t hooks)
{
	m->p.contexts[context].time += nsec;
	m->o.hooks[context] += (int64_t)hooks;
	m->p.contexts[context].ticks++;
	m->p.time += nsec;
}

static uint32_t play(struct made *m, const char *stack, uint64_t count, uint64_t nsec)
{
	char *words = strdup(stack), *rest = words, *word;
	uint32_t c = 0;

	while ((word = strsep(&rest, " ")))
		c = made_call(m, c, made_routine(m, word), count);
	free(words);
	made_spend(m, c, nsec, 0);
	return c;
}

uint32_t made_play(struct made *m, const char *stack, uint64_t nsec)
{
	return play(m, stack, 1, nsec);
}

uint32_t made_spend_in(struct made *m, const char *stack, uint64_t nsec)
{
	return play(m, stack, 0, nsec);
}

struct graph *made_graph(const struct made *m, const struct graph_options *options)
{
	struct graph_options usual = { .thread = GRAPH_NONE };
	struct error err = { 0 };
	struct graph *g = graph_build(&m->o, m->names, options ? options : &usual, &err);

	if (!g)
		fprintf(stderr, "%s: %s\n", error_name(err.code), err.text);
	assert(g);
	return g;
}

uint32_t named(const struct graph *g, const char *name)
{
	for (uint32_t r = 0; r < g->nroutines; r++)
		if (strcmp(g->routines[r].name.name, name) == 0)
			return r;
	return GRAPH_NONE;
}

const struct graph_arc *arc_between(const struct graph *g, const char *from, const char *to)
{
	uint32_t caller = from ? named(g, from) : GRAPH_NONE, callee = named(g, to);

	for (uint32_t i = 0; i < g->narcs; i++)
		if (g->arcs[i].from == caller && g->arcs[i].to == callee)
			return g->arcs + i;
	fprintf(stderr, "no arc %s -> %s\n", from ? from : "<spontaneous>", to);
	abort();
}

const char *history_words(const struct graph *g, uint32_t c)
{
	static char words[1000];
	history_entry s[g->longest + 1];
	size_t n = graph_history(g, c, s), used = 0;

	words[0] = '\0';
	for (size_t i = 0; i < n; i++)
		used += snprintf(words + used, sizeof words - used, "%s%s%s", i ? " " : "",
			g->routines[history_routine(s[i])].name.name, history_is_marked(s[i]) ? "" : "'");
	return words;
}

uint32_t random_below(uint64_t *state, uint32_t n)
{
	*state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (*state >> 33) % n;
}
