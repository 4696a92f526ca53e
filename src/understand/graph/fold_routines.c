/* fold_routines.c - which addresses are one routine: the profile's routines folded by key.
 *
 * Routines of the graph are numbered in the order in which the profile first names them, then those that only the
 * static arcs name, and then those that only stand in the code. The name shown is that of the first piece that is no .part or .cold. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/short_names.h"
#include "base/table.h"
#include "understand/graph/build.h"

/* FNV-1a. */
static uint64_t hash_key(const char *key)
{
	uint64_t hash = UINT64_C(0xcbf29ce484222325);

	for (; *key; key++)
		hash = (hash ^ (unsigned char)*key) * UINT64_C(0x100000001b3);
	return hash ^ hash >> 32;
}

static uint64_t fold_routines_hash_of(const void *owner, uint32_t position)
{
	const struct graph *g = owner;

	return hash_key(g->routines[position].name.key);
}

/* The routine with KEY, made when new, without a name then; the table has room. */
static uint32_t fold_routines_routine_at(struct graph *g, const char *key, struct table *t)
{
	uint64_t hash = hash_key(key);
	uint32_t found;

	for (uint64_t i = hash; (found = table_next(t, &i)) != GRAPH_NONE;)
		if (strcmp(g->routines[found].name.key, key) == 0)
			return found;
	table_add(t, hash, g->nroutines);
	return g->nroutines++;
}

/* The routine called NAME, made when new. */
static uint32_t settle_name(struct graph *g, const struct graph_name *name, struct table *t)
{
	uint32_t found = fold_routines_routine_at(g, name->key, t);
	struct graph_routine *r = g->routines + found;

	assert(found < g->nroutines);
	if (!r->name.key || (r->name.part && !name->part))
		r->name = *name;
	return found;
}

/* A routine is plain if it has contexts of plain code alone. */
static void plain_find(struct graph *g)
{
	const struct profile *p = g->profile;

	for (uint32_t i = p->plain ? p->plain : p->ncontexts; i < p->ncontexts; i++)
		g->routines[g->routine_of[p->contexts[i].routine]].plain = true;
	for (uint32_t i = 1; i < p->plain; i++)
		g->routines[g->routine_of[p->contexts[i].routine]].plain = false;
}

static void fold_routines_settle(struct graph *g, const struct graph_name *names, struct table *t)
{
	for (uint32_t i = 0; i < g->profile->nroutines; i++) {
		g->routine_of[i] = settle_name(g, names + i, t);
		g->routines[g->routine_of[i]].pseudo |= g->profile->routines[i].pseudo != 0;
	}
	plain_find(g);
	for (size_t i = 0; i < g->options.nstatic_arcs; i++) {
		g->static_ends[2 * i] = settle_name(g, &g->options.static_arcs[i].from, t);
		g->static_ends[2 * i + 1] = settle_name(g, &g->options.static_arcs[i].to, t);
	}
	for (size_t i = 0; i < g->options.nunused; i++)
		settle_name(g, &g->options.unused[i], t);
}

static bool fold_routines_names_shorten(struct graph *g)
{
	const char **names = calloc((size_t)g->nroutines + 1, sizeof *names);
	bool ok = names;

	for (uint32_t r = 0; ok && r < g->nroutines; r++)
		names[r] = g->routines[r].name.name;
	ok = ok && short_names(names, names, g->nroutines, &g->briefs);
	for (uint32_t r = 0; ok && r < g->nroutines; r++)
		g->routines[r].brief = names[r];
	free(names);
	return ok;
}

bool routines_fold(struct graph *g, const struct graph_name *names, struct error *err)
{
	size_t n = g->profile->nroutines + 2 * g->options.nstatic_arcs + g->options.nunused;
	struct table t = { 0 };
	bool done;

	g->routines = calloc(n + 1, sizeof *g->routines);
	g->routine_of = calloc(n + 1, sizeof *g->routine_of);
	g->static_ends = calloc(2 * g->options.nstatic_arcs + 1, sizeof *g->static_ends);
	done = g->routines && g->routine_of && g->static_ends && table_reserve(&t, n, fold_routines_hash_of, g);
	if (done)
		fold_routines_settle(g, names, &t);
	table_free(&t);
	done = done && fold_routines_names_shorten(g);
	return done || build_no_memory(err);
}
