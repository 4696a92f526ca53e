/* join.c - what symbols and samples tell of the routines of call stacks, for the join with exact contexts. */
#include "understand/input/join.h"

#include <stdlib.h>
#include <string.h>

#include "read/profile/parts.h"
#include "understand/overhead/split.h"

bool input_is_split(const struct input *in)
{
	const struct profile *p = in->profile;

	return in->leaves != INPUT_WHOLE && p->sampled && p->nruns && p->time > 0 && p->runs[0].header.clock != AMON_CLOCK_COUNT && profile_has_contexts(p);
}

/* The module M of the stacks, in P. */
static uint32_t module_in(struct profile *p, const struct profile_module *m)
{
	struct profile_module bare = *m;

	bare.also = NULL;
	bare.nalso = 0;
	return parts_module(p, &bare);
}

bool input_adopt(struct input *in, struct error *err)
{
	struct profile *p = in->profile;
	const struct profile *stacks = p->sampled;
	bool ok = true;

	for (uint32_t m = 0; ok && m < stacks->nmodules; m++)
		ok = module_in(p, &stacks->modules[m]) != PROFILE_NONE;
	for (size_t i = 0; ok && i < stacks->nsymbols; i++) {
		struct profile_symbols s = stacks->symbols[i];

		s.module = module_in(p, &stacks->modules[s.module]);
		ok = profile_add_symbols(p, &s);
	}
	return ok || error_no_memory(err, "joining call stacks with contexts");
}

/* A routine with hooks, by the key of its function. */
struct hooked {
	const char *key;
	uint32_t routine;
};

struct given {
	struct stack_join_given below;	/* its arrays are those that follow */
	uint32_t *routine_of, *alike, *leaf_of;
	double *counts;
	bool *own;			/* by routine of the stacks: it is the monitor's */
	bool *monitors;			/* by context of the stacks: below the monitor's own code */
	struct hooked *hooked;		/* by key */
	size_t nhooked;
};

static int join_by_key(const void *left, const void *right)
{
	const struct hooked *a = left, *b = right;
	int c = strcmp(a->key, b->key);

	return c ? c : (a->routine > b->routine) - (a->routine < b->routine);
}

/* The routines of P, all of which have hooks so far. */
static void hooked_find(struct given *g, const struct profile *p, struct symbols *s)
{
	for (uint32_t i = 0; i < p->nroutines; i++) {
		g->alike[i] = PROFILE_NONE;
		if (!p->routines[i].pseudo)
			g->hooked[g->nhooked++] = (struct hooked){ symbols_find(s, p->routines[i].module, p->routines[i].address)->key, i };
	}
	if (g->nhooked)
		qsort(g->hooked, g->nhooked, sizeof *g->hooked, join_by_key);
	for (size_t i = 1; i < g->nhooked; i++)
		if (strcmp(g->hooked[i - 1].key, g->hooked[i].key) == 0)
			g->alike[g->hooked[i - 1].routine] = g->hooked[i].routine;
}

/* The first routine with hooks of the function KEY; PROFILE_NONE: it has none. */
static uint32_t hooked_of(const struct given *g, const char *key)
{
	size_t low = 0, high = g->nhooked;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (strcmp(g->hooked[middle].key, key) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low < g->nhooked && strcmp(g->hooked[low].key, key) == 0 ? g->hooked[low].routine : PROFILE_NONE;
}

/* What routine I of the stacks is of the exact profile: it is added if it has no hooks, and PLAIN ones are wanted.  False: out of memory. */
static bool join_routine_find(struct given *g, struct profile *p, struct symbols *s, uint32_t i, bool plain)
{
	struct profile_routine r = p->sampled->routines[i];
	uint32_t found = PROFILE_NONE;

	r.script = 0;
	if (r.module != PROFILE_NONE)
		r.module = module_in(p, &p->sampled->modules[r.module]);
	if (!r.pseudo)
		found = hooked_of(g, symbols_find(s, r.module, r.address)->key);
	g->own[i] = found == PROFILE_NONE && !r.pseudo && symbols_in_hooks(s, r.module, r.address);
	g->routine_of[i] = found == PROFILE_NONE && plain ? parts_routine(p, &r, NULL) : found;
	return !plain || g->routine_of[i] != PROFILE_NONE;
}

static bool join_routines_find(struct given *g, struct profile *p, struct symbols *s, bool plain)
{
	g->below.hooked = p->nroutines;
	hooked_find(g, p, s);
	for (uint32_t i = 0; i < p->sampled->nroutines; i++)
		if (!join_routine_find(g, p, s, i, plain))
			return false;
	return true;
}

/* What of the samples of each context is not aprof's own, nor of what that calls. */
static bool join_counts_find(struct given *g, const struct profile *p, const char *program, struct error *err)
{
	const struct profile *stacks = p->sampled;
	struct symbols *own = symbols_open(stacks, program, err);
	struct overhead *o = own ? overhead_make(stacks, own, err) : NULL;

	for (uint32_t i = 1; o && i < stacks->ncontexts; i++) {
		const struct profile_context *c = &stacks->contexts[i];

		g->monitors[i] = g->monitors[c->parent] || g->own[c->routine];
		g->counts[i] = c->time && !g->monitors[i] ? (double)overhead_charged(o, i) / (double)c->time : 0;
	}
	overhead_free(o);
	symbols_free(own);
	return o != NULL;
}

/* The plain routine in whose code program counter I of IN was.  PROFILE_NONE, which is BELOW_OWN: its own, or, with *FAILED, out of memory. */
static uint32_t leaf_at(const struct input *in, size_t i, bool *failed)
{
	const struct profile_pc *pc = &in->profile->pcs[i];
	struct profile_routine r = { .module = pc->module };
	uint32_t routine;

	switch (in->overhead->spots[i].place) {
	case OVERHEAD_OWN:
	case OVERHEAD_EDGE:
		return BELOW_OWN;
	case OVERHEAD_PLAIN:
		r.address = symbols_find(in->symbols, pc->module, pc->address)->start;
		routine = parts_routine(in->profile, &r, NULL);
		*failed |= routine == PROFILE_NONE;
		return routine;
	default:
		return BELOW_NOTHING;
	}
}

/* False: out of memory. */
static bool leaves_find(struct given *g, const struct input *in)
{
	bool failed = false;

	for (size_t i = 0; in->overhead->spots && i < in->profile->npcs; i++)
		g->leaf_of[i] = leaf_at(in, i, &failed);
	g->below.leaf_of = in->overhead->spots ? g->leaf_of : NULL;
	return !failed;
}

static void given_free(struct given *g)
{
	free(g->leaf_of);
	free(g->routine_of);
	free(g->alike);
	free(g->counts);
	free(g->own);
	free(g->monitors);
	free(g->hooked);
}

/* False: out of memory. */
static bool join_given_make(struct given *g, const struct profile *p)
{
	const struct profile *stacks = p->sampled;

	*g = (struct given){ 0 };
	g->below.routine_of = g->routine_of = calloc((size_t)stacks->nroutines + 1, sizeof *g->routine_of);
	g->below.alike = g->alike = calloc((size_t)p->nroutines + 1, sizeof *g->alike);
	g->below.counts = g->counts = calloc((size_t)stacks->ncontexts + 1, sizeof *g->counts);
	g->own = calloc((size_t)stacks->nroutines + 1, sizeof *g->own);
	g->monitors = calloc((size_t)stacks->ncontexts + 1, sizeof *g->monitors);
	g->hooked = calloc((size_t)p->nroutines + 1, sizeof *g->hooked);
	g->leaf_of = calloc(p->npcs + 1, sizeof *g->leaf_of);
	return g->leaf_of && g->routine_of && g->alike && g->counts && g->own && g->monitors && g->hooked;
}

bool input_split(struct input *in, const char *program, struct error *err)
{
	struct profile *p = in->profile;
	struct given g;
	struct stack_join b = { 0 };
	bool ok = (join_given_make(&g, p) && join_routines_find(&g, p, in->symbols, true) && leaves_find(&g, in)) || error_no_memory(err, "joining call stacks with contexts");

	ok = ok && join_counts_find(&g, p, program, err) && stack_join_make(&b, p, &g.below, err) &&
		overhead_split(in->overhead, p, &b, err);
	in->below = b;
	in->below.parts = NULL;
	stack_join_free(&b);
	given_free(&g);
	return ok;
}

bool input_charge(struct input *in, const char *program, struct error *err)
{
	struct profile *p = in->profile;
	struct given g;
	bool split = in->leaves != INPUT_WHOLE;
	bool ok = (join_given_make(&g, p) && join_routines_find(&g, p, in->symbols, split)) || error_no_memory(err, "joining call stacks with contexts");

	ok = ok && join_counts_find(&g, p, program, err) && stack_join_charge(&in->below, p, &g.below, split, err);
	given_free(&g);
	return ok;
}
