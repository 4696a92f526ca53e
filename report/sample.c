/* sample.c - placing program counters. */
#include "report/sample.h"

#include <stdlib.h>
#include <string.h>

#include "report/print.h"

static int by_key(const void *left, const void *right)
{
	return strcmp(*(const char *const *)left, *(const char *const *)right);
}

bool samples_make(struct samples *s, const struct report_input *in, struct error *err)
{
	const struct graph *g = in->graph;

	*s = (struct samples){ .in = in, .keys = calloc((size_t)g->nroutines + 1, sizeof *s->keys) };
	if (!s->keys)
		return error_set(err, ERROR_MEMORY, ERROR_NO_OFFSET, "out of memory");
	for (uint32_t i = 0; i < g->nroutines; i++)
		s->keys[i] = g->routines[i].name.key;
	qsort(s->keys, g->nroutines, sizeof *s->keys, by_key);
	return true;
}

void samples_free(struct samples *s)
{
	free(s->keys);
	*s = (struct samples){ 0 };
}

/* Whether PC, in a module, was among hooks, or in what else is aprof's: its library. */
static bool is_hook(const struct samples *s, const struct profile_pc *pc)
{
	const struct profile *p = s->in->graph->profile;
	enum profile_place place = s->in->spots[pc - p->pcs].place;

	return place == PROFILE_OWN_HOOK || place == PROFILE_HOOK_OF_CALLEE ||
	       strncmp(print_basename(p->modules[pc->module].path), "libaprof", 8) == 0;
}

/* Whether SYMBOL is the routine that runs in CONTEXT. */
static bool is_own(const struct graph *g, uint32_t context, const struct symbol *symbol)
{
	uint32_t routine = g->profile->contexts[context].routine;

	return routine != PROFILE_NONE && strcmp(g->routines[g->routine_of[routine]].name.key, symbol->key) == 0;
}

enum sample_place sample_place(const struct samples *s, const struct profile_pc *pc, const struct symbol **symbol)
{
	const struct graph *g = s->in->graph;

	if (pc->module >= g->profile->nmodules)
		return SAMPLE_NOWHERE;
	*symbol = symbols_find(s->in->symbols, pc->module, pc->address);
	if (is_hook(s, pc))
		return SAMPLE_HOOK;
	if (is_own(g, pc->context, *symbol))
		return SAMPLE_OWN;
	if (!(*symbol)->known && g->profile->modules[pc->module].hooked)
		return SAMPLE_EDGE;		/* stripped: most likely the routine itself */
	if (bsearch(&(*symbol)->key, s->keys, g->nroutines, sizeof *s->keys, by_key))
		return SAMPLE_EDGE;
	return SAMPLE_PLAIN;
}

uint64_t samples_explained(const struct samples *samples, size_t i)
{
	const struct graph *g = samples->in->graph;
	const struct profile *p = g->profile;
	const struct symbol *symbol;
	uint64_t counted = 0;

	for (size_t j = i; j < p->npcs && p->pcs[j].context == p->pcs[i].context; j++)
		if (g->options.raw || sample_place(samples, &p->pcs[j], &symbol) != SAMPLE_HOOK)
			counted += p->pcs[j].count;
	return counted;
}
