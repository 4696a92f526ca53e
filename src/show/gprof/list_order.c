/* list_order.c - an order of functions, or of object files, for a linker, in which those that call each other often stand together:
 * gprof -r, and -R, where the routines are files.
 *
 * Chains of functions grow from the arcs, the most used first: an arc joins a function that is in no chain yet to the nearer end of the
 * other's chain.  Functions called from many places come first, then the chains of the arcs that make 99 % of the calls, then the
 * others, and at last what was never called. */
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "show/gprof/listing.h"

enum { MANY_CALLERS = 5, USED_PER_SHARED = 80 };	/* arcs; used functions for each that is taken as called from many places */

struct function {
	uint32_t next, prev;	/* in its chain; GPROF_NONE: it is an end */
	uint32_t chain;		/* which it is in, at first one of its own: index in ends[] */
	int64_t place;		/* in its chain, relative to the function with which that began: next has one more */
	uint32_t uses;		/* arcs to it among those that make 90 % of the calls */
	bool placed;		/* printed, or put aside to be */
};

/* A chain grows at its ends only, by one function at a time, so that the ends are known without a walk. */
struct chain {
	uint32_t head, tail;	/* its first and last function */
};

struct placing {
	const struct report_options *options;
	const struct gprof *g;
	struct function *f;	/* one for each routine */
	struct chain *ends;	/* one for each routine */
	bool *placed;		/* for each arc: in a chain, or put aside */
	uint32_t *used;		/* room for routines */
	uint32_t *arcs;		/* room for arcs */
	uint32_t *aside;	/* room for arcs, each twice */
	uint32_t *later;	/* arcs that found no place */
	size_t nlater;		/* how many */
	FILE *out;
};

static void list_order_name_print(struct placing *p, const char *name)
{
	escape_print(p->out, name, p->options->style.utf8 ? 0 : ESCAPE_ASCII);
	putc('\n', p->out);
}

static bool is_free(const struct function *f)
{
	return f->next == GPROF_NONE && f->prev == GPROF_NONE;
}

/* Make BEFORE and AFTER neighbours: one of them is in no chain yet, the other is an end of its own. */
static void link(struct placing *p, uint32_t before, uint32_t after)
{
	struct function *b = &p->f[before], *a = &p->f[after];

	if (is_free(b)) {
		b->chain = a->chain;
		b->place = a->place - 1;
		p->ends[a->chain].head = before;
	} else {
		a->chain = b->chain;
		a->place = b->place + 1;
		p->ends[b->chain].tail = after;
	}
	b->next = after;
	a->prev = before;
}

/* Put the ends FROM and TO of two chains together, caller first where both ends are free; false: they do not fit. */
static bool ends_join(struct placing *p, uint32_t from, uint32_t to)
{
	const struct function *f = &p->f[from], *t = &p->f[to];

	if (f->next != GPROF_NONE ? t->next == GPROF_NONE : f->prev == GPROF_NONE && t->prev != GPROF_NONE)
		link(p, to, from);
	else if (f->next == GPROF_NONE && t->prev == GPROF_NONE)
		link(p, from, to);
	else
		return false;
	return true;
}

/* The end of R's chain that is nearer to it; if both are as near, the tail with TAIL. */
static uint32_t end_near(const struct placing *p, uint32_t r, bool tail)
{
	const struct chain *c = &p->ends[p->f[r].chain];
	int64_t forth = p->f[c->tail].place - p->f[r].place, back = p->f[r].place - p->f[c->head].place;

	return forth < back || (forth == back && tail) ? c->tail : c->head;
}

/* Place arc A: one of its functions must be in no chain yet.  False: later. */
static bool arc_place(struct placing *p, uint32_t a)
{
	uint32_t from = p->g->arcs[a].from, to = p->g->arcs[a].to;

	if (is_free(&p->f[from]))
		to = end_near(p, to, false);
	else if (is_free(&p->f[to]))
		from = end_near(p, from, true);
	else
		return false;
	p->placed[a] |= ends_join(p, from, to);
	return true;
}

static void chain_print(struct placing *p, uint32_t r)
{
	for (r = p->ends[p->f[r].chain].head; r != GPROF_NONE; r = p->f[r].next) {
		p->f[r].placed = true;
		list_order_name_print(p, p->g->routines[r].symbol->name);
	}
}

static double list_order_calls_of(const struct placing *p, const uint32_t *arcs, size_t n)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += p->g->arcs[arcs[i]].calls;
	return (double)sum;
}

/* Make chains of ARCS[0..N) and print them; ALL: even those that are rarely used, and what is left over. */
static void arcs_order(struct placing *p, const uint32_t *arcs, size_t n, bool all)
{
	double total = list_order_calls_of(p, arcs, n);
	uint64_t sum = 0;

	for (size_t i = 0; i < n; i++) {
		const struct gprof_arc *arc = &p->g->arcs[arcs[i]];

		sum += arc->calls;
		if (p->placed[arcs[i]])
			continue;
		if ((!all && (double)sum / total > 0.99) || p->f[arc->from].placed || p->f[arc->to].placed || !arc_place(p, arcs[i]))
			p->later[p->nlater++] = arcs[i];
	}
	for (int rest = 0; rest <= all; rest++)
		for (size_t i = 0; i < n; i++) {
			uint32_t from = p->g->arcs[arcs[i]].from;

			if (p->f[from].placed || p->f[p->g->arcs[arcs[i]].to].placed || (!rest && is_free(&p->f[from])))
				continue;
			if (!rest) {
				chain_print(p, from);
			} else {
				p->f[from].placed = true;
				list_order_name_print(p, p->g->routines[from].symbol->name);
			}
		}
}

static int list_order_by_calls(const void *left, const void *right, void *arg)
{
	const struct gprof *g = arg;
	uint32_t i = *(const uint32_t *)left, j = *(const uint32_t *)right;
	uint64_t a = g->arcs[i].calls, b = g->arcs[j].calls;

	return a != b ? (a < b) - (a > b) : (i > j) - (i < j);
}

static int by_uses(const void *left, const void *right, void *arg)
{
	const struct function *f = arg;
	uint32_t i = *(const uint32_t *)left, j = *(const uint32_t *)right;

	return f[i].uses != f[j].uses ? (f[i].uses < f[j].uses) - (f[i].uses > f[j].uses) : (i > j) - (i < j);
}

/* Count which functions the arcs that make 90 % of the calls go to. */
static void uses_count(struct placing *p, const uint32_t *arcs, size_t n)
{
	double total = list_order_calls_of(p, arcs, n);
	uint64_t sum = 0;

	for (size_t i = 0; i < n; i++) {
		sum += p->g->arcs[arcs[i]].calls;
		if ((double)sum / total > 0.90)
			return;
		p->f[p->g->arcs[arcs[i]].to].uses++;
	}
}

/* Put the arcs of R aside into ASIDE[*N...]. */
static void arcs_aside(struct placing *p, uint32_t r, uint32_t *aside, size_t *n)
{
	for (uint32_t a = p->g->routines[r].first_out; a != GPROF_NONE; a = p->g->arcs[a].next_out) {
		if (p->g->arcs[a].from != p->g->arcs[a].to)
			aside[(*n)++] = a;
		p->placed[a] = true;
	}
	for (uint32_t a = p->g->routines[r].first_in; a != GPROF_NONE; a = p->g->arcs[a].next_in) {
		if (p->g->arcs[a].from != p->g->arcs[a].to)
			aside[(*n)++] = a;
		p->placed[a] = true;
	}
}

/* Functions called from many places: those with arcs among themselves are ordered by these, the others go first.  USED are the N
 * functions that were called; ASIDE has room for each arc twice. */
static void shared_print(struct placing *p, uint32_t *used, uint32_t n, uint32_t *aside)
{
	uint32_t taken = 0, last = 0;
	size_t naside = 0, kept = 0;

	qsort_r(used, n, sizeof *used, by_uses, p->f);
	for (; taken < n / USED_PER_SHARED && p->f[used[taken]].uses != MANY_CALLERS; taken++) {
		arcs_aside(p, used[taken], aside, &naside);
		last = taken;
		p->f[used[taken]].placed = true;
	}
	for (size_t i = 0; i < naside; i++) {
		struct function *from = &p->f[p->g->arcs[aside[i]].from], *to = &p->f[p->g->arcs[aside[i]].to];

		if (from->placed && to->placed) {
			aside[kept++] = aside[i];
			from->placed = to->placed = false;
		}
	}
	for (uint32_t i = 0; i < last; i++)
		if (p->f[used[i]].placed)
			list_order_name_print(p, p->g->routines[used[i]].symbol->name);
	qsort_r(aside, kept, sizeof *aside, list_order_by_calls, (void *)(uintptr_t)p->g);
	arcs_order(p, aside, kept, true);
}

static void function_begin(struct placing *p, uint32_t r)
{
	p->f[r] = (struct function){ .next = GPROF_NONE, .prev = GPROF_NONE, .chain = r };
	p->ends[r] = (struct chain){ r, r };
}

static void functions_order(struct placing *p)
{
	const struct gprof *g = p->g;
	uint32_t *used = p->used, *arcs = p->arcs, *aside = p->aside, n = 0;
	size_t narcs = 0, nlater;

	for (uint32_t r = 0; r < g->nroutines; r++) {
		function_begin(p, r);
		p->f[r].placed = g->routines[r].calls == 0;
		if (g->routines[r].calls)
			used[n++] = r;
	}
	for (uint32_t i = 0; i < g->narcs; i++)
		if (g->arcs[i].from != g->arcs[i].to)
			arcs[narcs++] = i;
	qsort_r(arcs, narcs, sizeof *arcs, list_order_by_calls, (void *)(uintptr_t)g);
	uses_count(p, arcs, narcs);
	shared_print(p, used, n, aside);
	arcs_order(p, arcs, narcs, false);
	nlater = p->nlater;
	memcpy(aside, p->later, nlater * sizeof *aside);
	arcs_order(p, aside, nlater, true);
	for (uint32_t r = 0; r < g->nroutines; r++)
		if (g->routines[r].calls && !p->f[r].placed)
			list_order_name_print(p, p->g->routines[r].symbol->name);
	for (uint32_t r = 0; r < g->nroutines; r++)
		if (g->routines[r].calls == 0)
			list_order_name_print(p, p->g->routines[r].symbol->name);
}

/* Chains of files from the arcs between them in the order in which these were met, then the files that found no place, then those without
 * routines. */
static void files_order(struct placing *p)
{
	const struct gprof *g = p->g;
	size_t narcs = 0;

	for (uint32_t r = 0; r < g->nroutines; r++)
		function_begin(p, r);
	for (uint32_t i = 0; i < g->narcs; i++) {
		if (g->arcs[i].from != g->arcs[i].to)
			p->arcs[narcs++] = i;
		p->placed[i] = !g->routines[g->arcs[i].from].symbol->mapped || !g->routines[g->arcs[i].to].symbol->mapped;
	}
	arcs_order(p, p->arcs, narcs, false);
	for (uint32_t r = 0; r < g->nroutines; r++)
		if (g->routines[r].symbol->mapped && !p->f[r].placed)
			list_order_name_print(p, g->routines[r].symbol->name);
	for (size_t i = 0; i < g->nothers; i++)
		list_order_name_print(p, g->others[i]);
}

typedef void make_order(struct placing *p);

static bool order_print(make_order *make, const struct report_input *in, const struct report_options *options, FILE *out, struct error *err)
{
	const struct gprof *g = in->gmon;
	size_t n = (size_t)g->nroutines + 1, m = 4 * ((size_t)g->narcs + 1);
	struct placing p = { .options = options, .g = g, .out = out, .f = calloc(n, sizeof *p.f), .ends = calloc(n, sizeof *p.ends),
		.placed = calloc(m, sizeof *p.placed), .used = calloc(n, sizeof *p.used), .arcs = calloc(m, sizeof *p.arcs),
		.aside = calloc(2 * m, sizeof *p.aside), .later = calloc(2 * m, sizeof *p.later) };
	bool ok = p.f && p.ends && p.placed && p.used && p.arcs && p.aside && p.later;

	if (ok)
		make(&p);
	free(p.f);
	free(p.ends);
	free(p.placed);
	free(p.used);
	free(p.arcs);
	free(p.aside);
	free(p.later);
	return ok || error_no_memory(err, NULL);
}

bool gprof_functions_text(const struct report_input *in, const struct report_options *options, FILE *out, struct error *err)
{
	return order_print(functions_order, in, options, out, err);
}

bool gprof_files_text(const struct report_input *in, const struct report_options *options, FILE *out, struct error *err)
{
	return order_print(files_order, in, options, out, err);
}

/* The order is a list of names for a linker's script; as JSON the call graph has what it is made from. */
bool gprof_functions_json(const struct report_input *in, const struct report_options *options, struct emit *e, struct error *err)
{
	return gprof_graph_json(in, options, e, err);
}

bool gprof_files_json(const struct report_input *in, const struct report_options *options, struct emit *e, struct error *err)
{
	return gprof_graph_json(in, options, e, err);
}
