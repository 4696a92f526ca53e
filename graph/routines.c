/* routines.c - which addresses are one routine: the profile's routines folded by key.
 *
 * Routines of the graph are numbered in the order in which the profile first names them, and then those that only the
 * static arcs name. The name shown is that of
 * the first piece that is no .part or .cold. */
#include <stdlib.h>
#include <string.h>

#include "graph/build.h"

/* FNV-1a. */
static uint64_t hash_key(const char *key)
{
	uint64_t hash = UINT64_C(0xcbf29ce484222325);

	for (; *key; key++)
		hash = (hash ^ (unsigned char)*key) * UINT64_C(0x100000001b3);
	return hash ^ hash >> 32;
}

static uint32_t *slot_of(const struct graph *g, uint32_t *slots, size_t nslots, const char *key)
{
	size_t i = hash_key(key) & (nslots - 1);

	while (slots[i] != 0 && strcmp(g->routines[slots[i] - 1].name.key, key) != 0)
		i = (i + 1) & (nslots - 1);
	return slots + i;
}

/* The routine called NAME, made when new. */
static uint32_t settle_name(struct graph *g, const struct graph_name *name, uint32_t *slots, size_t nslots)
{
	uint32_t *slot = slot_of(g, slots, nslots, name->key);
	struct graph_routine *r;

	if (*slot == 0) {
		*slot = ++g->nroutines;
		g->routines[*slot - 1].name = *name;
	}
	r = g->routines + *slot - 1;
	if (r->name.part && !name->part)
		r->name = *name;
	return *slot - 1;
}

static void settle(struct graph *g, const struct graph_name *names, uint32_t *slots, size_t nslots)
{
	for (uint32_t i = 0; i < g->profile->nroutines; i++) {
		g->routine_of[i] = settle_name(g, names + i, slots, nslots);
		g->routines[g->routine_of[i]].pseudo |= g->profile->routines[i].pseudo != 0;
	}
	for (size_t i = 0; i < g->options.nstatic_arcs; i++) {
		g->static_ends[2 * i] = settle_name(g, &g->options.static_arcs[i].from, slots, nslots);
		g->static_ends[2 * i + 1] = settle_name(g, &g->options.static_arcs[i].to, slots, nslots);
	}
}

bool routines_settle(struct graph *g, const struct graph_name *names, struct error *err)
{
	size_t n = g->profile->nroutines + 2 * g->options.nstatic_arcs, nslots = build_table_size(n);
	uint32_t *slots = calloc(nslots, sizeof *slots);

	g->routines = calloc(n + 1, sizeof *g->routines);
	g->routine_of = calloc(n + 1, sizeof *g->routine_of);
	g->static_ends = calloc(2 * g->options.nstatic_arcs + 1, sizeof *g->static_ends);
	if (!slots || !g->routines || !g->routine_of || !g->static_ends) {
		free(slots);
		return build_no_memory(err);
	}
	settle(g, names, slots, nslots);
	free(slots);
	return true;
}
