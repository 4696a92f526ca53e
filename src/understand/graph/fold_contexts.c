/* fold_contexts.c - the profile's contexts on the folded routines.
 *
 * A history whose routines were renamed is normalised: only the last mark of a routine stays, adjacent equals
 * collapse, A4 and A5 again.
 *
 *     Main P X P.part.0      renamed Main P X P       gives Main P' X P
 *     Main P P.part.0        renamed Main P P         gives Main P
 *
 * Routines that are left out (leave_out.c) are entries without a name: a call of one leads back to its caller's
 * context, which has its time, and what it calls was called by that caller.
 *
 *     Main run f run g       without Main and run     gives f g
 *
 * After a step that added an entry and unmarked nothing, that is what A1-A5 make of the context before it.  After one that
 * unmarked, the machine has squeezed out entries by the old names, so the old history is what must be renamed.
 * What was squeezed out can have been the caller of a routine whose clones now collapse behind it: on random programs with
 * clones and pieces 0.01 % of the arcs' time has a wrong caller.  To replay the step on the new names misplaces a
 * tenth of that, but its result depends on which of several ways to the context came first.
 *
 * Most steps unmark nothing under either names; their contexts are (parent, routine).  The others are spelled out.
 * Contexts of a profile have distinct histories, so equal ones are looked for only when something was renamed: by hash,
 * then compared (B2), for either kind can equal the other. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/table.h"
#include "understand/graph/build.h"

/* The machine that is run again. */
struct folding {
	struct graph *g;	/* whose contexts are made */
	bool *several;		/* by routine of the graph: several of the profile's are folded in it */
	bool renamed;		/* some routine has several, or is left out */
	uint32_t *seen;		/* by routine of the graph: 1 + the context in whose history it was seen last */
	history_entry *old;	/* histories of the profile after steps that unmarked, by its routines; if renamed */
	uint32_t *old_at;	/* by context of the profile: where its history begins in old[], if its step unmarked */
	uint32_t nold;		/* entries in old[] */
	size_t old_room;	/* how many fit there */
	uint64_t *hashes;	/* by context: of its history; if renamed */
	struct table table;	/* finds contexts, if renamed; has room for all */
	history_entry *made;	/* history after the step; one more entry fits than in any of the profile */
	history_entry *other;	/* history that it is compared with */
	uint32_t nspelled;	/* entries in g->spelled */
	size_t room;		/* how many fit there */
};

size_t graph_history(const struct graph *g, uint32_t context, history_entry *out)
{
	const struct graph_context *c = g->contexts + context;
	size_t length = c->length;

	for (; c->parent != GRAPH_NONE; c = g->contexts + c->parent) {
		assert(c->length == g->contexts[c->parent].length + 1);
		out[c->length - 1] = history_marked(c->routine);
	}
	if (c->length > 0)
		memcpy(out, g->spelled + c->spelled, c->length * sizeof *out);
	return length;
}

uint32_t contexts_caller(const struct graph *g, uint32_t context)
{
	const struct graph_context *c = g->contexts + context;

	if (c->parent != GRAPH_NONE)
		return g->contexts[c->parent].routine;
	return c->length > 1 ? history_routine(g->spelled[c->spelled + c->length - 2]) : GRAPH_NONE;
}

/* Whether context C has the history that context PARENT and ROUTINE make; f->made is filled if it must be. */
static bool is_child(struct folding *f, uint32_t c, uint32_t parent, uint32_t routine)
{
	const struct graph_context *context = f->g->contexts + c;
	size_t n;

	if (context->parent != GRAPH_NONE && context->parent == parent && context->routine == routine)
		return true;
	if (context->length != f->g->contexts[parent].length + 1 || context->routine != routine)
		return false;
	n = graph_history(f->g, parent, f->made);
	f->made[n] = history_marked(routine);
	graph_history(f->g, c, f->other);
	return memcmp(f->made, f->other, (n + 1) * sizeof *f->made) == 0;
}

/* Whether context C has the history of N entries in f->made. */
static bool is_made(struct folding *f, uint32_t c, size_t n)
{
	return f->g->contexts[c].length == n && graph_history(f->g, c, f->other) == n
		&& memcmp(f->made, f->other, n * sizeof *f->made) == 0;
}

static uint32_t fold_contexts_add(struct folding *f, const struct graph_context *context)
{
	struct graph *g = f->g;
	uint32_t c = g->ncontexts++;

	g->contexts[c] = *context;
	g->contexts[c].kept = true;
	if (context->length > g->longest)
		g->longest = context->length;
	return c;
}

static uint64_t fold_contexts_hash_of(const void *owner, uint32_t position)
{
	const struct folding *f = owner;

	return f->hashes[position];
}

/* Enter CONTEXT with HASH in the table. */
static uint32_t add_hashed(struct folding *f, uint64_t hash, const struct graph_context *context)
{
	f->hashes[f->g->ncontexts] = hash;
	table_add(&f->table, hash, f->g->ncontexts);
	return fold_contexts_add(f, context);
}

/* The context after a step that unmarks nothing. */
static uint32_t fold_contexts_append(struct folding *f, uint32_t parent, uint32_t routine)
{
	struct graph_context context = { .parent = parent, .routine = routine,
		.length = f->g->contexts[parent].length + 1 };
	uint64_t hash;
	uint32_t found;

	if (!f->renamed)
		return fold_contexts_add(f, &context);
	hash = history_hash_add(f->hashes[parent], history_marked(routine));
	for (uint64_t i = hash; (found = table_next(&f->table, &i)) != GRAPH_NONE;)
		if (f->hashes[found] == hash && is_child(f, found, parent, routine))
			return found;
	return add_hashed(f, hash, &context);
}

/* Append the N entries of f->made to the array *TO that has *COUNT. False: out of memory. */
static bool copy_made(struct folding *f, size_t n, history_entry **to, uint32_t *count, size_t *room)
{
	for (size_t i = 0; i < n; i++) {
		if (!array_grow(to, room, *count, sizeof **to))
			return false;
		(*to)[(*count)++] = f->made[i];
	}
	return true;
}

/* Whether the N entries of f->made are the history of PARENT and one more. */
static bool extends(struct folding *f, uint32_t parent, size_t n)
{
	return f->g->contexts[parent].length + 1 == n && graph_history(f->g, parent, f->other) == n - 1
		&& memcmp(f->made, f->other, (n - 1) * sizeof *f->made) == 0;
}

/* The context with the history of N entries in f->made, spelled out; GRAPH_NONE: out of memory. */
static uint32_t fold_contexts_spell(struct folding *f, size_t n)
{
	struct graph_context context = { .parent = GRAPH_NONE, .routine = history_routine(f->made[n - 1]),
		.length = n, .spelled = f->nspelled };

	return copy_made(f, n, &f->g->spelled, &f->nspelled, &f->room) ? fold_contexts_add(f, &context) : GRAPH_NONE;
}

/* The context with the history of N entries in f->made, which a step from PARENT led to; GRAPH_NONE: out of memory. */
static uint32_t fold_contexts_enter(struct folding *f, uint32_t parent, size_t n)
{
	uint64_t hash = history_hash(f->made, n);
	uint32_t c;

	for (uint64_t i = hash; (c = table_next(&f->table, &i)) != GRAPH_NONE;)
		if (f->hashes[c] == hash && is_made(f, c, n))
			return c;
	if (extends(f, parent, n))
		return add_hashed(f, hash, &(struct graph_context){ .parent = parent,
			.routine = history_routine(f->made[n - 1]), .length = n });
	c = fold_contexts_spell(f, n);
	if (c != GRAPH_NONE) {
		f->hashes[c] = hash;
		table_add(&f->table, hash, c);
	}
	return c;
}

static bool is_active(const history_entry *s, size_t n, uint32_t routine)
{
	for (size_t i = 0; i < n; i++)
		if (s[i] == history_marked(routine))
			return true;
	return false;
}

/* Steps A1-A5: the context after ROUTINE was called in PARENT; MAY_UNMARK if it can be active there already.
 * GRAPH_NONE: out of memory. */
static uint32_t fold_contexts_step(struct folding *f, uint32_t parent, uint32_t routine, bool may_unmark)
{
	size_t n;

	if (f->g->contexts[parent].routine == routine)
		return parent;					/* A1 */
	if (!may_unmark)
		return fold_contexts_append(f, parent, routine);		/* A2 alone */
	n = graph_history(f->g, parent, f->made);
	if (!is_active(f->made, n, routine))
		return fold_contexts_append(f, parent, routine);
	n = history_next(f->made, n, routine);
	return f->renamed ? fold_contexts_enter(f, parent, n) : fold_contexts_spell(f, n);
}

/* Write the history that context INDEX has in the profile to f->made; returns its length. */
static size_t old_history(struct folding *f, uint32_t index)
{
	const struct profile_context *contexts = f->g->profile->contexts;
	size_t length = contexts[index].length;

	for (; index > 0 && !contexts[index].folded; index = contexts[index].parent)
		f->made[contexts[index].length - 1] = history_marked(contexts[index].routine);
	if (index > 0)
		memcpy(f->made, f->old + f->old_at[index], contexts[index].length * sizeof *f->made);
	return length;
}

#define LEFT_OUT ((history_entry)-1)	/* no routine has this number */

/* Rename and normalise the history of N entries in f->made, which is that of context INDEX of the profile.
 * Returns the new length. */
static size_t normalise(struct folding *f, uint32_t index, size_t n)
{
	history_entry *s = f->made;
	size_t length = 0;

	for (size_t i = n; i-- > 0;) {
		uint32_t r = f->g->routine_of[history_routine(s[i])];
		bool last = history_is_marked(s[i]) && f->seen[r] != index + 1;

		s[i] = f->g->routines[r].left_out ? LEFT_OUT : r << 1 | last;
		if (last)
			f->seen[r] = index + 1;
	}
	for (size_t i = 0; i < n; i++)
		if (s[i] == LEFT_OUT)
			continue;
		else if (length > 0 && history_routine(s[length - 1]) == history_routine(s[i]))
			s[length - 1] = s[i];		/* of equals only the last can be marked */
		else
			s[length++] = s[i];
	return history_squeeze(s, length);
}

/* The context after a step that unmarked an entry under the old names; GRAPH_NONE: out of memory. */
static uint32_t renamed_step(struct folding *f, uint32_t index, uint32_t parent)
{
	const struct profile_context *c = f->g->profile->contexts + index;
	size_t n = old_history(f, c->parent);

	n = history_next(f->made, n, c->routine);
	assert(n == c->length);
	f->old_at[index] = f->nold;
	if (!copy_made(f, n, &f->old, &f->nold, &f->old_room))
		return GRAPH_NONE;
	return fold_contexts_enter(f, parent, normalise(f, index, n));
}

/* Replay all steps.  One of a routine that stands for itself alone unmarks what it unmarked in the profile. */
static bool fold_contexts_replay(struct folding *f)
{
	const struct profile *p = f->g->profile;

	for (uint32_t i = 1; i < p->ncontexts; i++) {
		const struct profile_context *c = p->contexts + i;
		uint32_t routine = f->g->routine_of[c->routine], parent;

		assert(c->parent < i);
		parent = f->g->context_of[c->parent];
		f->g->context_of[i] = c->folded && f->renamed ? renamed_step(f, i, parent)
			: f->g->routines[routine].left_out ? parent
			: fold_contexts_step(f, parent, routine, c->folded || f->several[routine]);
		if (f->g->context_of[i] == GRAPH_NONE)
			return false;
	}
	return true;
}

static void find_several(struct folding *f)
{
	const struct graph *g = f->g;
	const uint32_t *of = g->routine_of;
	uint32_t next = 0;

	/* Routines are numbered by first appearance: one that is not new has been there before. */
	for (uint32_t i = 0; i < g->profile->nroutines; i++)
		if (of[i] == next)
			next++;
		else
			f->several[of[i]] = f->renamed = true;
}

/* What is needed if something was renamed. */
static bool renaming_start(struct folding *f)
{
	size_t n = f->g->profile->ncontexts;

	f->hashes = calloc(n + 1, sizeof *f->hashes);
	f->seen = calloc((size_t)f->g->nroutines + 1, sizeof *f->seen);
	f->old_at = calloc(n + 1, sizeof *f->old_at);
	return f->hashes && f->seen && f->old_at && table_reserve(&f->table, (uint64_t)n + 1, fold_contexts_hash_of, f);
}

/* Everything, and the root. */
static bool folding_start(struct folding *f)
{
	struct graph *g = f->g;
	size_t n = g->profile->ncontexts, longest = (size_t)g->profile->longest + 1;
	const struct graph_context root = { .parent = GRAPH_NONE, .routine = GRAPH_NONE };

	f->several = calloc((size_t)g->nroutines + 1, sizeof *f->several);
	f->made = calloc(longest + 1, sizeof *f->made);
	f->other = calloc(longest + 1, sizeof *f->other);
	g->contexts = calloc(n + 1, sizeof *g->contexts);
	g->context_of = calloc(n + 1, sizeof *g->context_of);
	if (!f->several || !f->made || !f->other || !g->contexts || !g->context_of)
		return false;
	find_several(f);
	for (uint32_t r = 0; r < g->nroutines; r++)
		f->renamed |= g->routines[r].left_out;
	if (f->renamed && !renaming_start(f))
		return false;
	if (f->renamed)
		add_hashed(f, HISTORY_HASH_EMPTY, &root);
	else
		fold_contexts_add(f, &root);
	return true;
}

static void folding_end(struct folding *f)
{
	free(f->several);
	free(f->made);
	free(f->other);
	table_free(&f->table);
	free(f->hashes);
	free(f->seen);
	free(f->old);
	free(f->old_at);
}

bool contexts_fold(struct graph *g, struct error *err)
{
	struct folding f = { .g = g };
	bool done = folding_start(&f) && fold_contexts_replay(&f);

	folding_end(&f);
	return done || build_no_memory(err);
}

struct weight *contexts_weigh(struct graph *g, struct error *err)
{
	struct weight *w = calloc(g->ncontexts, sizeof *w);

	if (!w) {
		build_no_memory(err);
		return NULL;
	}
	for (uint32_t i = g->ncontexts; i-- > 0;) {
		struct graph_context *c = g->contexts + i;

		w[i].time += c->time;
		w[i].ticks += c->ticks;
		overhead_evidence_add(&w[i].evidence, &c->evidence);
		c->live |= c->kept;
		if (c->parent == GRAPH_NONE)
			continue;
		assert(c->parent < i);		/* parents before children */
		if (g->options.nspecs == 0 || narrow_passes(g, g->contexts[c->parent].routine, c->routine)) {
			w[c->parent].time += w[i].time;
			w[c->parent].ticks += w[i].ticks;
			overhead_evidence_add(&w[c->parent].evidence, &w[i].evidence);
		}
		g->contexts[c->parent].live |= c->live;
	}
	return w;
}
