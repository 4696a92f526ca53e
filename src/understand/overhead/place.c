/* place.c - where each program counter was, seen from the routine that ran in its context.
 *
 * A routine is known by the key of its symbol, which its clones and pieces share; of several routines of a key the one of the very
 * symbol is meant.  Program counters are asked for by address, since symbols_in_hooks likes it so. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "understand/overhead/steps.h"

/* A routine of the profile, by its symbol. */
struct called {
	const struct symbol *symbol;
	uint32_t routine;
};

/* What it takes to place a sample. */
struct placing {
	const struct profile *p;
	struct symbols *symbols;
	struct called *called;		/* routines that have symbols, by key, then by symbol */
	size_t ncalled;
	const struct symbol **symbol_of; /* by routine; NULL: it has none */
	bool of_stacks;			/* call stacks were sampled, and each sample is of the routine whose code it is in */
	bool has_monitor;		/* its library is among the modules, so that others may have hooks */
};

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* Whether the module is the monitor's library, by its name: its file may be gone. */
static bool is_monitor(const struct profile_module *m)
{
	static const char begins[] = "libaprof";
	const char *name = base_name(m->path);

	return strncmp(name, begins, sizeof begins - 1) == 0 && name[sizeof begins - 1] && strchr(".-_", name[sizeof begins - 1]);
}

/* Whether there may be code of hooks in the module: it has routines with hooks, or the monitor may be in it. Others need not be opened. */
static bool may_have_hooks(const struct profile_module *m)
{
	return m->hooked || m->main_program || is_monitor(m);
}

static int by_key(const void *left, const void *right)
{
	const struct called *a = left, *b = right;
	int c = strcmp(a->symbol->key, b->symbol->key);

	return c ? c : (a->symbol > b->symbol) - (a->symbol < b->symbol);
}

static bool placing_start(struct placing *w)
{
	uint32_t n = w->p->nroutines;

	w->called = calloc((size_t)n + 1, sizeof *w->called);
	w->symbol_of = calloc((size_t)n + 1, sizeof *w->symbol_of);
	if (!w->called || !w->symbol_of)
		return false;
	for (uint32_t i = 0; i < n; i++) {
		const struct profile_routine *r = w->p->routines + i;

		if (!r->pseudo)
			w->symbol_of[i] = symbols_find(w->symbols, r->module, r->address);
		if (w->symbol_of[i])
			w->called[w->ncalled++] = (struct called){ w->symbol_of[i], i };
	}
	qsort(w->called, w->ncalled, sizeof *w->called, by_key);
	return true;
}

/* The routine of SYMBOL, or else the first of its key; PROFILE_NONE: there is none. */
static uint32_t routine_of(const struct placing *w, const struct symbol *symbol)
{
	const struct called wanted = { symbol, 0 };
	size_t low = 0, high = w->ncalled;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (strcmp(w->called[middle].symbol->key, symbol->key) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	assert(low == 0 || strcmp(w->called[low - 1].symbol->key, symbol->key) < 0);
	if (low == w->ncalled || strcmp(w->called[low].symbol->key, symbol->key) != 0)
		return PROFILE_NONE;
	for (size_t i = low; i < w->ncalled && by_key(w->called + i, &wanted) <= 0; i++)
		if (w->called[i].symbol == symbol)
			return w->called[i].routine;
	return w->called[low].routine;
}

/* Whether SYMBOL is the routine that runs in CONTEXT. */
static bool is_own(const struct placing *w, uint32_t context, const struct symbol *symbol)
{
	uint32_t routine = w->p->contexts[context].routine;
	const struct symbol *own = routine < w->p->nroutines ? w->symbol_of[routine] : NULL;

	return own && strcmp(own->key, symbol->key) == 0;
}

static struct overhead_spot spot_of(const struct placing *w, const struct profile_pc *pc)
{
	const struct profile_module *m = pc->module < w->p->nmodules ? w->p->modules + pc->module : NULL;
	struct overhead_spot spot = { OVERHEAD_NOWHERE, PROFILE_NONE };
	const struct symbol *symbol;
	bool own;

	if (!m)
		return spot;
	if (!may_have_hooks(m))
		return (struct overhead_spot){ OVERHEAD_PLAIN, PROFILE_NONE };
	symbol = symbols_find(w->symbols, pc->module, pc->address);
	own = is_own(w, pc->context, symbol);
	spot.routine = own ? w->p->contexts[pc->context].routine : routine_of(w, symbol);
	if (is_monitor(m) || symbols_in_hooks(w->symbols, pc->module, pc->address))
		spot.place = own ? OVERHEAD_OWN_HOOK : OVERHEAD_HOOK_OF_CALLEE;
	else if (own)
		spot.place = OVERHEAD_OWN;
	else if (spot.routine != PROFILE_NONE || (!symbol->known && m->hooked))
		spot.place = OVERHEAD_EDGE;	/* stripped: most likely the routine itself */
	else
		spot.place = OVERHEAD_PLAIN;
	return spot;
}

/* The same where call stacks were sampled: a sample is in its routine's own code, or in hooks. */
static struct overhead_spot spot_of_stack(const struct placing *w, const struct profile_pc *pc)
{
	const struct profile_module *m = pc->module < w->p->nmodules ? w->p->modules + pc->module : NULL;
	bool asked = m && (may_have_hooks(m) || w->has_monitor);
	bool in_hooks = asked && (is_monitor(m) || symbols_in_hooks(w->symbols, pc->module, pc->address));

	return (struct overhead_spot){ in_hooks ? OVERHEAD_OWN_HOOK : OVERHEAD_OWN, PROFILE_NONE };
}

static bool stacks_start(struct placing *w)
{
	for (uint32_t i = 0; i < w->p->nmodules; i++)
		w->has_monitor |= is_monitor(w->p->modules + i);
	return true;
}

static int by_address(const void *left, const void *right, void *arg)
{
	const struct profile_pc *pcs = arg, *a = pcs + *(const size_t *)left, *b = pcs + *(const size_t *)right;

	if (a->module != b->module)
		return a->module < b->module ? -1 : 1;
	return (a->address > b->address) - (a->address < b->address);
}

bool place_samples(struct overhead *o, struct symbols *symbols)
{
	struct placing w = { .p = o->profile, .symbols = symbols, .of_stacks = !profile_counts_calls(o->profile) || profile_is_imported(o->profile) };
	size_t n = w.p->npcs, *order;
	bool done;

	if (n == 0)
		return true;
	assert(!o->spots);
	o->spots = calloc(n, sizeof *o->spots);
	order = calloc(n, sizeof *order);
	done = o->spots && order && (w.of_stacks ? stacks_start(&w) : placing_start(&w));
	for (size_t i = 0; done && i < n; i++)
		order[i] = i;
	if (done)
		qsort_r(order, n, sizeof *order, by_address, w.p->pcs);
	for (size_t i = 0; done && i < n; i++)
		o->spots[order[i]] = w.of_stacks ? spot_of_stack(&w, w.p->pcs + order[i]) : spot_of(&w, w.p->pcs + order[i]);
	free(order);
	free(w.called);
	free(w.symbol_of);
	return done;
}
