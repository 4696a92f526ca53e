/* hot_cases.c - looks for the cases of hot_cases.h. */
#include "understand/findings/hot_cases.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/print.h"
#include "understand/findings/recurring.h"

enum {
	MANY = 4,		/* contexts that are many */
	SEEN = 1000,		/* what takes a part of that of the run is looked at */
	OFTEN = 100,		/* calls below which nobody is asked whether all are needed */
	ERRAND_RUN = 10,	/* percent of the run that a routine of case 4 has at least */
	ERRAND_OWN = 25,	/* percent of its total that are its own at most */
	ERRAND_CALLEE = 50,	/* percent of its total that are the callee's at least */
};

static int hot_cases_by_time(const void *x, const void *y)
{
	const struct hot *a = x, *b = y;

	if (a->time != b->time)
		return a->time > b->time ? -1 : 1;
	return strcmp(a->name, b->name);
}

static int by_callers_time(const void *x, const void *y)
{
	const struct hot_caller *a = x, *b = y;

	if (a->time != b->time)
		return a->time > b->time ? -1 : 1;
	return (a->calls < b->calls) - (a->calls > b->calls);
}

/* Whether TIME is more than chance may make of nothing. */
static bool is_news(const struct graph *g, uint64_t time, const struct overhead_evidence *evidence)
{
	return graph_share_is_news(print_percent(time, g->time + g->outside) / 100, graph_run_error(g, time, evidence));
}

/* Sort H, and leave out what may be chance. */
static void hots_settle(const struct graph *g, struct hot_list *h)
{
	size_t kept = 0;

	for (size_t i = 0; i < h->n; i++)
		if (is_news(g, h->hot[i].time, &h->hot[i].evidence))
			h->hot[kept++] = h->hot[i];
		else
			free(h->hot[i].callers);
	h->unsure = kept < h->n;
	h->n = kept;
	if (h->n > 1)
		qsort(h->hot, h->n, sizeof *h->hot, hot_cases_by_time);
	for (size_t i = 0; i < h->n; i++)
		if (h->hot[i].ncallers > 1)
			qsort(h->hot[i].callers, h->hot[i].ncallers, sizeof *h->hot[i].callers, by_callers_time);
}

/* Add C to the callers of H.  False: out of memory. */
static bool caller_add(struct hot *h, const struct hot_caller *c)
{
	for (uint32_t i = 0; i < h->ncallers; i++)
		if (h->callers[i].routine == c->routine) {
			h->callers[i].time += c->time;
			overhead_evidence_add(&h->callers[i].evidence, &c->evidence);
			return true;
		}
	if (!array_grow(&h->callers, &h->room, h->ncallers, sizeof *h->callers))
		return false;
	h->callers[h->ncallers++] = *c;
	return true;
}

/* The callers of a routine with hooks are parts of its total.  False: out of memory. */
static bool hot_cases_callers_find(const struct graph *g, struct hot *h)
{
	const struct graph_routine *r = g->routines + h->routine;
	bool ok = true;

	h->whole = r->total;
	h->whole_evidence = r->total_evidence;
	for (uint32_t i = r->first_in; ok && i < r->first_in + r->nin; i++) {
		const struct graph_arc *arc = g->arcs + g->in_arcs[i];

		if (arc->calls > 0 || arc->self2 + arc->child2 > 0)
			ok = caller_add(h, &(struct hot_caller){ .routine = arc->from, .time = arc->self2 + arc->child2, .calls = arc->calls,
				.evidence = arc->evidence2 });
	}
	return ok;
}

/* Path of the module that is the program; NULL: not known. */
static const char *hot_cases_program_of(const struct graph *g)
{
	for (uint32_t i = 0; i < g->profile->nmodules; i++)
		if (g->profile->modules[i].main_program)
			return g->profile->modules[i].path;
	return NULL;
}

/* The file name of a routine's module, if it is another one than PROGRAM. */
static const char *hot_cases_place_of(const struct graph_routine *r, const char *program)
{
	return program && r->name.module && strcmp(r->name.module, program) != 0 ? print_basename(r->name.module) : NULL;
}

/* ---- code without hooks ---- */

/* Of a library, so that what is called there is known by another name: also of one that was linked into the program, whose source nothing tells. */
static bool hot_cases_is_foreign(const struct hot_cases *c, const struct leaf *l, const char *program)
{
	if (l->kind != LEAF_PLAIN)
		return false;
	if (!program || strcmp(l->place, print_basename(program)) != 0)
		return true;
	return l->pc && leaves_has_no_source(c->in, l->pc);
}

/* Give the leaves of ROUTINE the names by which they were called, if that is worth a look at its code.  False: out of memory. */
static bool routine_name_leaves(struct hot_cases *c, const struct plain_calls_hooked *hooked, uint32_t routine)
{
	struct leaf *leaf = c->leaves.leaf + c->leaves.first[routine], *end = c->leaves.leaf + c->leaves.first[routine + 1];
	const char *program = hot_cases_program_of(c->g);
	uint64_t time = 0;

	for (const struct leaf *l = leaf; l < end; l++)
		time += hot_cases_is_foreign(c, l, program) ? l->time : 0;
	if (time * SEEN < c->whole || time == 0)
		return true;
	if (!plain_calls_find(c->called + routine, c->in, hooked, routine))
		return false;
	for (; leaf < end; leaf++)
		if (hot_cases_is_foreign(c, leaf, program))
			leaf->name = plain_call_name(c->called + routine, c->in->symbols, leaf->name, leaf->pc);
	return true;
}

static bool hot_cases_leaves_name(struct hot_cases *c)
{
	struct plain_calls_hooked hooked;
	bool ok = plain_calls_hooked_find(&hooked, c->g);

	c->called = calloc((size_t)c->g->nroutines + 1, sizeof *c->called);
	ok = ok && c->called;
	for (uint32_t r = 0; ok && r < c->g->nroutines; r++)
		ok = routine_name_leaves(c, &hooked, r);
	plain_calls_hooked_free(&hooked);
	return ok;
}

/* What samples say of a leaf's time; the kernel's has none of its own. */
static struct overhead_evidence leaf_evidence(const struct graph *g, const struct leaf *l)
{
	const struct overhead_evidence *self = &g->routines[l->routine].self_evidence;
	double time = (double)l->time, sample = self->measured > 0 ? self->variance / self->measured : 0;

	return (struct overhead_evidence){ time, l->ticks ? time * time / (double)l->ticks : time * sample };
}

/* Leaves of one function without hooks, the heaviest caller first. */
static int by_function(const void *x, const void *y)
{
	const struct leaf *a = x, *b = y;
	int c = strcmp(a->place, b->place);

	if (c == 0)
		c = strcmp(a->name, b->name);
	return c ? c : (a->time < b->time) - (a->time > b->time);
}

/* Add the functions without hooks of the N leaves at LEAF, which are sorted by function.  False: out of memory. */
static bool plain_add(struct hot_cases *c, const struct leaf *leaf, size_t n)
{
	struct hot_list *h = &c->library;
	struct hot *hot = NULL;

	for (size_t i = 0; i < n; i++) {
		const struct leaf *l = leaf + i;
		struct hot_caller caller = { .routine = l->routine, .time = l->time, .evidence = leaf_evidence(c->g, l) };

		if (l->kind == LEAF_HOOKS)
			continue;
		if (!hot || strcmp(hot->place, l->place) != 0 || strcmp(hot->name, l->name) != 0) {
			hot = h->hot + h->n++;
			*hot = (struct hot){ .routine = GRAPH_NONE, .name = l->name, .place = l->place };
		}
		hot->time += l->time;
		hot->whole = hot->time;
		overhead_evidence_add(&hot->evidence, &caller.evidence);
		hot->whole_evidence = hot->evidence;
		if (!caller_add(hot, &caller))
			return false;
	}
	return true;
}

/* ---- the cases ---- */

/* Fill own[]. */
static bool own_find(struct hot_cases *c)
{
	c->own = calloc((size_t)c->g->nroutines + 1, sizeof *c->own);
	for (uint32_t r = 0; c->own && r < c->g->nroutines; r++) {
		c->own[r] = c->g->routines[r].self;
		for (size_t i = c->leaves.first[r]; i < c->leaves.first[r + 1]; i++)
			c->own[r] -= c->leaves.leaf[i].time < c->own[r] ? c->leaves.leaf[i].time : c->own[r];
	}
	return c->own != NULL;
}

struct overhead_evidence hot_own_evidence(const struct hot_cases *c, uint32_t routine)
{
	const struct graph_routine *r = c->g->routines + routine;
	double part = r->self ? (double)c->own[routine] / (double)r->self : 0;

	return (struct overhead_evidence){ part * r->self_evidence.measured, part * r->self_evidence.variance };
}

/* Routines with half their total in their own code. */
static bool heavy_find(struct hot_cases *c)
{
	struct hot_list *h = &c->heavy;
	const char *program = hot_cases_program_of(c->g);
	bool ok = (h->hot = calloc((size_t)c->g->nroutines + 1, sizeof *h->hot)) != NULL;

	for (uint32_t i = 0; ok && i < c->g->nroutines; i++) {
		const struct graph_routine *r = c->g->routines + i;
		struct hot hot = { .routine = i, .name = r->name.name, .place = hot_cases_place_of(r, program), .time = c->own[i],
			.calls = r->calls + r->recursive };

		if (r->pseudo || c->own[i] == 0 || 2 * c->own[i] < r->total)
			continue;
		hot.evidence = hot_own_evidence(c, i);
		ok = hot_cases_callers_find(c->g, &hot);
		h->hot[h->n++] = hot;
	}
	hots_settle(c->g, h);
	return ok;
}

/* Add the small routines that many call, often.  False: out of memory. */
static bool small_add(struct hot_cases *c)
{
	uint32_t heavy = c->heavy.n > 0 ? c->heavy.hot[0].routine : GRAPH_NONE;
	const char *program = hot_cases_program_of(c->g);
	bool ok = true;

	for (uint32_t i = 0; ok && i < c->g->nroutines; i++) {
		const struct graph_routine *r = c->g->routines + i;
		struct hot hot = { .routine = i, .name = r->name.name, .place = hot_cases_place_of(r, program), .time = r->total, .calls = r->calls,
			.evidence = r->total_evidence };

		if (r->pseudo || i == heavy || r->nin < 3 || 4 * r->self < 3 * r->total || r->total == 0 || (graph_counts(c->g, i) && r->calls < OFTEN))
			continue;
		ok = hot_cases_callers_find(c->g, &hot);
		c->library.hot[c->library.n++] = hot;
	}
	return ok;
}

static bool hot_cases_library_find(struct hot_cases *c)
{
	struct leaf *leaf = calloc(c->leaves.n + 1, sizeof *leaf);
	bool ok;

	c->library.hot = calloc(c->leaves.n + c->g->nroutines + 1, sizeof *c->library.hot);
	ok = leaf && c->library.hot;
	if (ok) {
		memcpy(leaf, c->leaves.leaf, c->leaves.n * sizeof *leaf);
		qsort(leaf, c->leaves.n, sizeof *leaf, by_function);
		ok = plain_add(c, leaf, c->leaves.n) && small_add(c);
		hots_settle(c->g, &c->library);
	}
	free(leaf);
	return ok;
}

/* The time of ROUTINE's leaves called NAME. */
static struct hot_errand plain_named(const struct hot_cases *c, uint32_t routine, const char *name)
{
	struct hot_errand e = { .routine = routine, .callee = name };

	for (size_t i = c->leaves.first[routine]; i < c->leaves.first[routine + 1]; i++) {
		const struct leaf *l = c->leaves.leaf + i;
		struct overhead_evidence evidence = leaf_evidence(c->g, l);

		if (strcmp(l->name, name) != 0)
			continue;
		e.time += l->time;
		overhead_evidence_add(&e.evidence, &evidence);
	}
	return e;
}

/* The callee without hooks that ROUTINE spends most time in. */
static struct hot_errand plain_errand(const struct hot_cases *c, uint32_t routine)
{
	struct hot_errand best = { .routine = routine };

	for (size_t i = c->leaves.first[routine]; i < c->leaves.first[routine + 1]; i++) {
		const struct leaf *l = c->leaves.leaf + i;
		struct hot_errand e;

		if (l->kind == LEAF_HOOKS || l->kind == LEAF_PSEUDO)
			continue;
		e = plain_named(c, routine, l->name);
		if (e.time > best.time)
			best = e;
	}
	return best;
}

/* The callee with hooks that ROUTINE spends most time in and that does its work itself; not the first of the heavy ones, whose callers are
 * listed. */
static struct hot_errand hooked_errand(const struct hot_cases *c, uint32_t routine)
{
	const struct graph_routine *r = c->g->routines + routine;
	struct hot_errand best = { .routine = routine };

	for (uint32_t i = r->first_out; i < r->first_out + r->nout; i++) {
		const struct graph_arc *arc = c->g->arcs + i;
		bool listed = c->heavy.n > 0 && c->heavy.hot[0].routine == arc->to;

		if (!listed && 2 * c->own[arc->to] >= c->g->routines[arc->to].total && arc->self1 + arc->child1 > best.time)
			best = (struct hot_errand){ .routine = routine, .callee = c->g->routines[arc->to].name.name,
				.time = arc->self1 + arc->child1, .evidence = arc->evidence1 };
	}
	return best;
}

/* Whether E's routine is heavy, and that only by E. */
static bool is_errand(const struct hot_cases *c, const struct hot_errand *e)
{
	const struct graph_routine *r = c->g->routines + e->routine;

	return e->callee && 100 * (double)r->total >= ERRAND_RUN * (double)c->whole
		&& 100 * (double)c->own[e->routine] <= ERRAND_OWN * (double)r->total
		&& 100 * (double)e->time >= ERRAND_CALLEE * (double)r->total
		&& is_news(c->g, e->time, &e->evidence);
}

static void errand_find(struct hot_cases *c)
{
	for (uint32_t r = 0; r < c->g->nroutines; r++) {
		struct hot_errand plain, hooked;

		if (c->g->routines[r].pseudo || 100 * (double)c->g->routines[r].total < ERRAND_RUN * (double)c->whole)
			continue;
		plain = plain_errand(c, r);
		hooked = hooked_errand(c, r);
		if (hooked.time > plain.time)
			plain = hooked;
		if (is_errand(c, &plain) && plain.time > c->errand.time)
			c->errand = plain;
	}
}

bool hot_cases_find(struct hot_cases *c, const struct report_input *in, struct error *err)
{
	struct report_options split = { .leaves = true };

	*c = (struct hot_cases){ .in = in, .g = in->graph, .whole = in->graph->time + in->graph->outside };
	if (!leaves_make(&c->leaves, in, &split, err))
		return false;
	if (!hot_cases_leaves_name(c) || !own_find(c) || !heavy_find(c) || !hot_cases_library_find(c))
		return error_no_memory(err, NULL);
	errand_find(c);
	c->paths = recurring_find(in, RECURRING_MOST, RECURRING_PERCENT, &c->own_paths, err);
	return c->paths != NULL;
}

static void hots_free(struct hot_list *h)
{
	for (size_t i = 0; h->hot && i < h->n; i++)
		free(h->hot[i].callers);
	free(h->hot);
}

void hot_cases_free(struct hot_cases *c)
{
	for (uint32_t r = 0; c->called && r < c->g->nroutines; r++)
		plain_calls_free(c->called + r);
	free(c->called);
	leaves_free(&c->leaves);
	free(c->own);
	hots_free(&c->heavy);
	hots_free(&c->library);
	paths_free(c->own_paths);
}

const struct graph_path *hot_cases_path(const struct hot_cases *c)
{
	const struct graph_path *first = NULL;

	for (size_t i = 0; i < c->paths->n; i++) {
		const struct graph_path *p = c->paths->paths + i;

		if (c->g->time > 0 && !is_news(c->g, p->time, &p->evidence))
			continue;
		if (p->effective >= MANY)
			return p;
		if (!first)
			first = p;
	}
	return first;
}

const char *hot_title(const struct hot_cases *c, enum hot_case which)
{
	bool hooked = c->library.n > 0 && c->library.hot[0].routine != GRAPH_NONE && !c->g->routines[c->library.hot[0].routine].plain;

	switch (which) {
	case HOT_HEAVY: return "A heavy routine: its time is its own";
	case HOT_LIBRARY: return hooked && c->g->counted ? "A small routine used much: do its callers need all these calls?"
		: "A library routine used much: do its callers need all that it does?";
	case HOT_SEQUENCE: return "A sequence of calls that recurs: is all that it computes used?";
	default: return "A routine whose time is one callee's: would less do?";
	}
}
