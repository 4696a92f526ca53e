/* hot_cases.c - looks for the cases of hot_cases.h. */
#include "understand/findings/hot_cases.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/print.h"
#include "understand/findings/figures.h"
#include "understand/findings/recurring.h"
#include "understand/findings/tail_calls.h"

enum {
	MANY = 4,		/* contexts that are many */
	BEGINS = 1000,		/* by what part of its total a routine that only begins a program may be more than its callee */
	OFTEN = 100,		/* calls below which nobody is asked whether all are needed */
	LEAST = 5,		/* percent of the run that the first of cases 1 and 2 has at least */
	HEAVY_RUN = 20,		/* percent of the run that a routine of case 1 has for itself, unless it is half of its total */
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
	return graph_share_is_news(figure_share(g, time), graph_run_error(g, time, evidence));
}

static void hots_sort(struct hot_list *h)
{
	if (h->n > 1)
		qsort(h->hot, h->n, sizeof *h->hot, hot_cases_by_time);
}

/* Sort H, and leave out what may be chance; all of it, if that is little. */
static void hots_settle(const struct graph *g, struct hot_list *h)
{
	size_t kept = 0;

	for (size_t i = 0; i < h->n; i++)
		if (is_news(g, h->hot[i].time, &h->hot[i].evidence))
			h->hot[kept++] = h->hot[i];
		else
			free(h->hot[i].callers);
	h->n = kept;
	hots_sort(h);
	while (h->n > 0 && 100 * (double)h->hot[0].time < LEAST * (double)figure_run(g))
		free(h->hot[--h->n].callers);
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

	h->whole = r->total;
	h->whole_evidence = r->total_evidence;
	for (uint32_t i = r->first_in; i < r->first_in + r->nin; i++) {
		const struct graph_arc *arc = g->arcs + g->in_arcs[i];

		if (arc->calls == 0 && arc->self2 + arc->child2 == 0)
			continue;
		if (!array_grow(&h->callers, &h->room, h->ncallers, sizeof *h->callers))
			return false;
		h->callers[h->ncallers++] = (struct hot_caller){ .routine = arc->from, .time = arc->self2 + arc->child2, .calls = arc->calls, .evidence = arc->evidence2 };
	}
	return true;
}

/* Of the first MOST of H, which is sorted, heaviest first.  False: out of memory. */
static bool hots_callers_find(const struct graph *g, struct hot_list *h, size_t most)
{
	for (size_t i = 0; i < h->n && i < most; i++) {
		if (h->hot[i].routine != GRAPH_NONE && !hot_cases_callers_find(g, h->hot + i))
			return false;
		if (h->hot[i].ncallers > 1)
			qsort(h->hot[i].callers, h->hot[i].ncallers, sizeof *h->hot[i].callers, by_callers_time);
	}
	return true;
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

/* What is known of ROUTINE, whose time is TIME. */
static struct hot hot_of(const struct graph *g, uint32_t routine, const char *program, uint64_t time, struct overhead_evidence evidence)
{
	const struct graph_routine *r = g->routines + routine;
	const char *place = hot_cases_place_of(r, program);

	return (struct hot){ .routine = routine, .through = GRAPH_NONE, .name = r->name.name, .place = place, .module = r->name.module ? print_basename(r->name.module) : NULL,
		.library = place && (!g->counted || r->plain) && leaves_is_systems(r->name.module), .time = time, .evidence = evidence, .calls = r->calls };
}

/* A script's routine: what its interpreter and libraries do for it is its own. */
static bool is_script(const struct graph_routine *r)
{
	return profile_language(r->name.module) != NULL;
}

/* ---- code without hooks ---- */

/* Is all of the program in one file, its libraries among the rest? */
static bool is_static(const struct profile *p)
{
	for (uint32_t i = 0; i < p->nmodules; i++)
		if (!p->modules[i].main_program && p->modules[i].path[0] == '/')
			return false;
	return true;
}

/* Is L in a library? */
static bool leaf_is_librarys(const struct hot_cases *c, const struct leaf *l)
{
	const struct profile *p = c->g->profile;
	const struct profile_module *m = l->pc && l->pc->module < p->nmodules ? p->modules + l->pc->module : NULL;

	if (l->kind != LEAF_PLAIN || !m)
		return false;
	return m->main_program ? is_static(p) && leaves_has_no_source(c->in, l->pc) : !m->hooked && leaves_is_systems(m->path);
}

/* By what name L's callers know it. */
static const char *leaf_said(const struct leaf *l)
{
	return l->called ? l->called : l->name;
}

/* What samples say of a leaf's time; the kernel's has none of its own. */
static struct overhead_evidence leaf_evidence(const struct graph *g, const struct leaf *l)
{
	const struct overhead_evidence *self = l->routine == GRAPH_NONE ? &g->contexts[0].evidence : &g->routines[l->routine].self_evidence;
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

/* Leaves by what they are called by. */
static int by_said(const void *x, const void *y)
{
	const struct leaf *a = x, *b = y;
	int c = strcmp(a->place, b->place);

	if (c == 0)
		c = strcmp(leaf_said(a), leaf_said(b));
	return c ? c : (a->time < b->time) - (a->time > b->time);
}

/* Add the functions without hooks of the N leaves at LEAF, which are sorted by function, or, with SAID, those of libraries by what they are called by.  False: out
 * of memory. */
static bool plain_add(struct hot_cases *c, struct hot_list *h, const struct leaf *leaf, size_t n, bool said)
{
	struct hot *hot = NULL;

	for (size_t i = 0; i < n; i++) {
		const struct leaf *l = leaf + i;
		const char *name = said ? leaf_said(l) : l->name;
		struct hot_caller caller = { .routine = l->routine, .time = l->time, .evidence = leaf_evidence(c->g, l) };

		if (said && !leaf_is_librarys(c, l))
			continue;
		if (!hot || strcmp(hot->place, l->place) != 0 || strcmp(hot->name, name) != 0) {
			hot = h->hot + h->n++;
			*hot = (struct hot){ .routine = GRAPH_NONE, .through = GRAPH_NONE, .name = name, .called = said ? NULL : l->called, .place = l->place, .module = l->place,
				.library = leaf_is_librarys(c, l) };
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

/* What of the time outside of all routines no sample tells more of than that, OUTSIDE having been told; and what aprof took. */
static void rest_add(struct hot_cases *c, uint64_t outside)
{
	const struct graph *g = c->g;
	uint64_t rest = g->outside - outside, took = (g->hooks > 0 ? (uint64_t)g->hooks : 0) + (g->options.nfocus ? 0 : g->monitor);
	double part = g->outside ? (double)rest / (double)g->outside : 0;
	const struct overhead_evidence *evidence = &g->contexts[0].evidence;

	if (rest > 0)
		c->by_own.hot[c->by_own.n++] = (struct hot){ .routine = GRAPH_NONE, .through = GRAPH_NONE, .name = "(outside all routines)", .time = rest,
			.evidence = { part * evidence->measured, part * evidence->variance } };
	if (took > 0)
		c->by_own.hot[c->by_own.n++] = (struct hot){ .routine = GRAPH_NONE, .through = GRAPH_NONE, .name = "(hooks)", .module = "aprof", .time = took, .beside = true };
}

/* ---- where the time is ---- */

/* The leaves of C that are told of by themselves, and behind them those outside of all routines, to LEAF; returns how many.  *OUTSIDE: what these have, ns. */
static size_t hot_cases_leaves(const struct hot_cases *c, struct leaf *leaf, uint64_t *outside)
{
	size_t n = 0, routines;

	for (size_t i = 0; i < c->leaves.n; i++)
		if (!is_script(c->g->routines + c->leaves.leaf[i].routine))
			leaf[n++] = c->leaves.leaf[i];
	routines = n;
	n += leaves_outside(c->in, leaf + n);
	*outside = 0;
	for (size_t i = routines; i < n; i++)
		*outside += leaf[i].time;
	return n;
}

/* Through whom the first of H, whose callers are known, were called. */
static void hots_through_find(const struct hot_cases *c, struct hot_list *h)
{
	for (size_t i = 0; i < h->n && i < HOT_TOP; i++) {
		struct hot *hot = h->hot + i;

		if (hot->ncallers > 0 && hot->callers->routine != GRAPH_NONE)
			hot->through = tail_calls_through(c->in, hot->callers->routine, hot->name,
				hot->routine == GRAPH_NONE ? NULL : c->g->routines[hot->routine].name.linked);
	}
}

/* Fill by_own, of the N leaves at LEAF.  False: out of memory. */
static bool by_own_find(struct hot_cases *c, struct leaf *leaf, size_t n, uint64_t outside)
{
	const char *program = hot_cases_program_of(c->g);

	c->by_own.hot = calloc(c->g->nroutines + n + 2, sizeof *c->by_own.hot);
	if (!c->by_own.hot)
		return false;
	for (uint32_t i = 0; i < c->g->nroutines; i++)
		if (c->own[i] > 0)
			c->by_own.hot[c->by_own.n++] = hot_of(c->g, i, program, c->own[i], hot_own_evidence(c, i));
	if (n > 1)
		qsort(leaf, n, sizeof *leaf, by_function);
	if (!plain_add(c, &c->by_own, leaf, n, false))
		return false;
	rest_add(c, outside);
	hots_sort(&c->by_own);
	return hots_callers_find(c->g, &c->by_own, HOT_TOP);
}

/* The callee that routine I has most time by; GRAPH_NONE: it has none, or more of its own than a part of that. */
static uint32_t all_by_callee(const struct graph *g, uint32_t i)
{
	const struct graph_routine *r = g->routines + i;
	uint32_t callee = GRAPH_NONE;
	uint64_t most = 0;

	for (uint32_t a = r->first_out; a < r->first_out + r->nout; a++)
		if (g->arcs[a].self1 + g->arcs[a].child1 > most) {
			most = g->arcs[a].self1 + g->arcs[a].child1;
			callee = g->arcs[a].to;
		}
	return r->total > 0 && BEGINS * (double)(r->total - most) <= (double)r->total ? callee : GRAPH_NONE;
}

/* Is NAME one of those that languages' implementations put before what a programmer wrote, which may stand in the program itself? */
static bool is_runtimes(const char *name)
{
	static const char *const whole[] = { "_start", "_start_c", "start_thread", "clone", "clone3", "__clone", "__clone3", "MAIN__", "D main" };
	static const char *const begin[] = { "__libc_start", "libc_start_main", "std::rt::", "std::sys::", "std::sys_common::", "std::thread::", "std::panic", "core::ops::function::",
		"<core::panic::", "<alloc::boxed::Box<", "runtime.main", "runtime.goexit", "runtime.mstart" };

	for (size_t i = 0; i < sizeof whole / sizeof *whole; i++)
		if (strcmp(name, whole[i]) == 0)
			return true;
	for (size_t i = 0; i < sizeof begin / sizeof *begin; i++)
		if (strncmp(name, begin[i], strlen(begin[i])) == 0)
			return true;
	return false;
}

/* Does R lead to CALLEE and is no more than that: it is a library's, or an implementation's, or main() of such a one? */
static bool is_way_in(const struct graph_routine *r, bool library, const struct graph_routine *callee)
{
	bool first = strcmp(r->name.name, "main") == 0;

	return library || (first ? is_runtimes(callee->name.name) : is_runtimes(r->name.name) && strcmp(r->name.name, "MAIN__") != 0);
}

/* Whether routine I is one through which a program, or a thread, only begins: all but a part of its time is one callee's, and it is a library's, or of its language's
 * implementation, which is called by nobody but the like of it, BEGUN, or it has no caller and calls that. */
static bool is_beginning(const struct hot_cases *c, uint32_t i, const bool *librarys, const bool *begun)
{
	const struct graph_routine *r = c->g->routines + i;
	uint32_t callee = begun[i] ? GRAPH_NONE : all_by_callee(c->g, i);
	bool called = false;

	for (uint32_t a = r->first_in; a < r->first_in + r->nin; a++) {
		uint32_t from = c->g->arcs[c->g->in_arcs[a]].from;

		if (from != GRAPH_NONE && !begun[from])
			return false;
		called |= from != GRAPH_NONE;
	}
	return callee != GRAPH_NONE &&
	       (is_way_in(r, librarys[i], c->g->routines + callee) || (!called && librarys[callee] && strcmp(r->name.name, "main") != 0));
}

/* Mark those.  False: out of memory. */
static bool beginnings_find(const struct hot_cases *c, bool *begun)
{
	const char *program = hot_cases_program_of(c->g);
	bool *librarys = calloc((size_t)c->g->nroutines + 1, sizeof *librarys), more = librarys != NULL;

	for (uint32_t i = 0; librarys && i < c->g->nroutines; i++)
		librarys[i] = hot_of(c->g, i, program, 0, c->g->routines[i].self_evidence).library;
	while (more) {
		more = false;
		for (uint32_t i = 0; i < c->g->nroutines; i++)
			if (is_beginning(c, i, librarys, begun))
				more = begun[i] = true;
	}
	free(librarys);
	return librarys != NULL;
}

/* Is R what stands for callers that nobody knows? */
static bool is_truncated(const struct graph_routine *r)
{
	return r->pseudo && strcmp(r->name.name, profile_pseudo_name(AMON_ROUTINE_TRUNCATED)) == 0;
}

/* Fill by_total.  False: out of memory. */
static bool by_total_find(struct hot_cases *c)
{
	const char *program = hot_cases_program_of(c->g);
	bool *begun = calloc((size_t)c->g->nroutines + 1, sizeof *begun);
	bool ok = begun && beginnings_find(c, begun);

	c->by_total.hot = calloc((size_t)c->g->nroutines + 1, sizeof *c->by_total.hot);
	for (uint32_t i = 0; ok && c->by_total.hot && i < c->g->nroutines; i++)
		if (c->g->routines[i].total > 0 && !begun[i] && !is_truncated(c->g->routines + i))
			c->by_total.hot[c->by_total.n++] = hot_of(c->g, i, program, c->g->routines[i].total, c->g->routines[i].total_evidence);
	free(begun);
	hots_sort(&c->by_total);
	return ok && c->by_total.hot && hots_callers_find(c->g, &c->by_total, HOT_TOP);
}

/* ---- the cases ---- */

/* Fill own[]. */
static bool own_find(struct hot_cases *c)
{
	c->own = calloc((size_t)c->g->nroutines + 1, sizeof *c->own);
	for (uint32_t r = 0; c->own && r < c->g->nroutines; r++) {
		c->own[r] = c->g->routines[r].self;
		for (size_t i = is_script(c->g->routines + r) ? c->leaves.first[r + 1] : c->leaves.first[r]; i < c->leaves.first[r + 1]; i++)
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

/* Routines with half their total, or much of the run, in their own code. */
static bool heavy_find(struct hot_cases *c)
{
	struct hot_list *h = &c->heavy;
	const char *program = hot_cases_program_of(c->g);

	h->hot = calloc((size_t)c->g->nroutines + 1, sizeof *h->hot);
	for (uint32_t i = 0; h->hot && i < c->g->nroutines; i++) {
		const struct graph_routine *r = c->g->routines + i;

		if (!r->pseudo && !(hot_of(c->g, i, program, 0, r->self_evidence).library) && c->own[i] > 0 && (2 * c->own[i] >= r->total || 100 * (double)c->own[i] >= HEAVY_RUN * (double)c->whole))
			h->hot[h->n++] = hot_of(c->g, i, program, c->own[i], hot_own_evidence(c, i));
	}
	hots_settle(c->g, h);
	return h->hot && hots_callers_find(c->g, h, HOT_LISTED + 1);
}

/* Add the small routines that many call, often; and routines of libraries. */
static void small_add(struct hot_cases *c)
{
	uint32_t heavy = c->heavy.n > 0 ? c->heavy.hot[0].routine : GRAPH_NONE;
	const char *program = hot_cases_program_of(c->g);

	for (uint32_t i = 0; i < c->g->nroutines; i++) {
		const struct graph_routine *r = c->g->routines + i;
		struct hot hot = hot_of(c->g, i, program, r->total, r->total_evidence);

		if (!r->pseudo && i != heavy && (hot.library || r->nin >= 3) && 4 * r->self >= 3 * r->total && r->total > 0 &&
		    (!graph_counts(c->g, i) || r->calls >= OFTEN))
			c->library.hot[c->library.n++] = hot;
	}
}

/* Of the N leaves at LEAF, which are sorted otherwise.  False: out of memory. */
static bool hot_cases_library_find(struct hot_cases *c, struct leaf *leaf, size_t n)
{
	c->library.hot = calloc(n + c->g->nroutines + 1, sizeof *c->library.hot);
	if (!c->library.hot)
		return false;
	if (n > 1)
		qsort(leaf, n, sizeof *leaf, by_said);
	if (!plain_add(c, &c->library, leaf, n, true))
		return false;
	small_add(c);
	hots_settle(c->g, &c->library);
	return hots_callers_find(c->g, &c->library, HOT_LISTED + 1);
}

/* Both tables and the first two cases.  False: out of memory. */
static bool hot_cases_lists_find(struct hot_cases *c)
{
	struct leaf *leaf = calloc(c->leaves.n + c->g->profile->npcs + 1, sizeof *leaf);
	uint64_t outside = 0;
	size_t n = leaf ? hot_cases_leaves(c, leaf, &outside) : 0;
	bool ok = leaf && own_find(c) && by_own_find(c, leaf, n, outside) && by_total_find(c) && heavy_find(c) && hot_cases_library_find(c, leaf, n);

	free(leaf);
	if (ok) {
		hots_through_find(c, &c->by_own);
		hots_through_find(c, &c->by_total);
	}
	return ok;
}

/* The time of ROUTINE's leaves called NAME. */
static struct hot_errand plain_named(const struct hot_cases *c, uint32_t routine, const char *name)
{
	struct hot_errand e = { .routine = routine, .callee = name };

	for (size_t i = c->leaves.first[routine]; i < c->leaves.first[routine + 1]; i++) {
		const struct leaf *l = c->leaves.leaf + i;
		struct overhead_evidence evidence = leaf_evidence(c->g, l);

		if (strcmp(leaf_said(l), name) != 0)
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
		e = plain_named(c, routine, leaf_said(l));
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

	*c = (struct hot_cases){ .in = in, .g = in->graph, .whole = figure_run(in->graph) };
	if (!leaves_make(&c->leaves, in, &split, err))
		return false;
	if (!hot_cases_lists_find(c))
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
	leaves_free(&c->leaves);
	free(c->own);
	hots_free(&c->by_own);
	hots_free(&c->by_total);
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
	bool small = c->library.n > 0 && !c->library.hot[0].library, time = profile_is_time(c->g->profile);

	switch (which) {
	case HOT_HEAVY: return time ? "A heavy routine: its time is its own" : "A heavy routine: what it takes is its own";
	case HOT_LIBRARY: return small ? "A small routine used much: do its callers need all these calls?"
		: "A library routine used much: do its callers need all that it does?";
	case HOT_SEQUENCE: return "A sequence of calls that recurs: is all that it computes used?";
	default: return time ? "A routine whose time is one callee's: would less do?" : "A routine whose share is one callee's: would less do?";
	}
}

const char *hot_list_title(const struct hot_cases *c, bool own)
{
	if (profile_is_time(c->g->profile))
		return own ? "most time in its own code" : "most time in all";
	return own ? "most in its own code" : "most in all";
}
