/* lines.c - charging a routine's time to the lines of its source. */
#include "understand/findings/lines.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "understand/findings/report_input.h"
#include "understand/findings/call_sites.h"
#include "understand/findings/source_words.h"

enum { MOST_BYTES = 1 << 20 };		/* of a function's code whose lines are looked up */

/* What is known while a routine is looked at. */
struct search {
	struct lines *l;
	const struct report_input *in;
	const struct graph *g;
	size_t room;		/* costs that fit */
};

static int lines_by_line(const void *x, const void *y)
{
	const struct line_cost *a = x, *b = y;

	return (a->line > b->line) - (a->line < b->line);
}

static void costs_join(struct lines *l)
{
	size_t kept = 0;

	if (l->ncosts > 1)
		qsort(l->costs, l->ncosts, sizeof *l->costs, lines_by_line);
	for (size_t i = 0; i < l->ncosts; i++)
		if (kept > 0 && l->costs[kept - 1].line == l->costs[i].line) {
			l->costs[kept - 1].time += l->costs[i].time;
			l->costs[kept - 1].ticks += l->costs[i].ticks;
		} else {
			l->costs[kept++] = l->costs[i];
		}
	l->ncosts = kept;
}

static void extend(struct lines *l, uint32_t line)
{
	if (l->first == 0 || line < l->first)
		l->first = line;
	if (line > l->last)
		l->last = line;
}

/* The line of PC in the source of the routine. */
static bool line_of(const struct search *k, const struct profile_pc *pc, const char **file, uint32_t *line)
{
	bool inlined = call_is_inlined(&k->g->routines[k->l->routine]);

	return (inlined ? symbols_line : symbols_own_line)(k->in->symbols, pc->module, pc->address, file, line);
}

/* Charge TIME, of the samples at PC, to its line. */
static void cost_add(struct search *k, const struct profile_pc *pc, uint64_t time)
{
	struct lines *l = k->l;
	const char *file;
	uint32_t line;

	if (!line_of(k, pc, &file, &line))
		return;
	if (!l->file || strcmp(file, l->file) != 0) {
		l->elsewhere += time;
		l->elsewhere_ticks += pc->count;
		return;
	}
	l->costs[l->ncosts++] = (struct line_cost){ .line = line, .time = time, .ticks = pc->count };
	extend(l, line);
}

/* All samples in the routine's own code. */
static void costs_find(struct search *k, const struct leaves *leaves)
{
	const struct graph *g = k->g;
	const struct profile *p = g->profile;
	double sample = leaves_sample(g, k->l->routine, k->l->explained);

	for (size_t i = 0; i < p->npcs; i++) {
		const struct profile_pc *pc = &p->pcs[i];

		if (leaves->owner[i] == k->l->routine && g->overhead->spots[i].place == OVERHEAD_OWN)
			cost_add(k, pc, (uint64_t)(sample * (double)pc->count));
	}
}

/* The lines of SYMBOL's code in the routine's file. */
static void extend_by_code(struct search *k, uint32_t module, const struct symbol *symbol)
{
	uint64_t size = symbol->size < MOST_BYTES ? symbol->size : MOST_BYTES;
	const char *file = NULL, *last_file = NULL;
	uint32_t line = 0, last = 0;

	for (uint64_t at = symbol->start; at < symbol->start + size; at = symbols_next_line(k->in->symbols, module, at)) {
		if (!symbols_line(k->in->symbols, module, at, &file, &line) || (line == last && file == last_file))
			continue;
		last = line;
		last_file = file;
		if (symbols_own_line(k->in->symbols, module, at, &file, &line) && strcmp(file, k->l->file) == 0)
			extend(k->l, line);
	}
}

/* From the line of the definition to the last that has code, in any of the routine's bodies. */
static void extent_find(struct search *k)
{
	const struct graph_name *name = &k->g->routines[k->l->routine].name;
	const struct profile *p = k->g->profile;

	if (!name->file || name->line == 0)
		return;
	k->l->file = name->file;
	extend(k->l, name->line);
	for (uint32_t i = 0; i < p->nroutines; i++)
		if (k->g->routine_of[i] == k->l->routine && !p->routines[i].pseudo)
			extend_by_code(k, p->routines[i].module, symbols_find(k->in->symbols, p->routines[i].module,
				p->routines[i].address));
}

static int callee_by_time(const void *x, const void *y)
{
	const struct line_callee *a = x, *b = y;

	if (a->time != b->time)
		return a->time > b->time ? -1 : 1;
	if (a->calls != b->calls)
		return a->calls > b->calls ? -1 : 1;
	return strcmp(a->name, b->name);
}

/* The routine's arcs and direct recursion, and the code without hooks that ran under it. */
static bool callees_find(struct search *k, const struct leaves *leaves)
{
	struct lines *l = k->l;
	const struct graph_routine *r = k->g->routines + l->routine;

	l->callees = calloc((size_t)r->nout + 1 + leaves->first[l->routine + 1] - leaves->first[l->routine], sizeof *l->callees);
	if (!l->callees)
		return false;
	for (uint32_t i = r->first_out; i < r->first_out + r->nout; i++) {
		const struct graph_arc *arc = k->g->arcs + i;

		l->callees[l->ncallees++] = (struct line_callee){ .name = k->g->routines[arc->to].name.name, .brief = k->g->routines[arc->to].brief, .routine = arc->to,
			.calls = arc->calls, .self = arc->self1, .time = arc->self1 + arc->child1, .error = graph_arc_error(k->g, arc, false) };
	}
	if (r->recursive > 0)
		l->callees[l->ncallees++] = (struct line_callee){ .name = r->name.name, .brief = r->brief, .routine = l->routine,
			.calls = r->recursive, .error = -1 };
	for (size_t i = leaves->first[l->routine]; i < leaves->first[l->routine + 1]; i++) {
		const struct leaf *leaf = leaves->leaf + i;

		l->callees[l->ncallees++] = (struct line_callee){ .name = leaf->called ? leaf->called : leaf->name, .place = leaf->place, .routine = GRAPH_NONE,
			.time = leaf->time, .ticks = leaf->ticks, .error = leaf->ticks ? lines_error(l, k->g, leaf->ticks) : -1 };
		l->plain += leaf->time;
	}
	if (l->ncallees > 1)
		qsort(l->callees, l->ncallees, sizeof *l->callees, callee_by_time);
	return true;
}

static void unknown_find(struct search *k)
{
	struct lines *l = k->l;
	uint64_t known = l->plain + l->elsewhere;

	for (size_t i = 0; i < l->ncosts; i++)
		known += l->costs[i].time;
	l->unknown = k->g->routines[l->routine].self - known;
}

double lines_error(const struct lines *l, const struct graph *g, uint64_t ticks)
{
	double error = graph_samples_error(g, ticks, l->explained);

	return error < 0 ? error : error * (1 - g->routines[l->routine].kernel);
}

/* Append a call of CALLEE on LINE.  False: out of memory. */
static bool call_add(struct lines *l, uint32_t line, uint32_t callee)
{
	if (l->ncalls == l->room) {
		struct line_call *more = reallocarray(l->calls, 2 * l->room + 16, sizeof *more);

		if (!more)
			return false;
		l->calls = more;
		l->room = 2 * l->room + 16;
	}
	l->calls[l->ncalls++] = (struct line_call){ .line = line, .callee = callee };
	return true;
}

/* The same of CALL, of which more is known. */
static bool told_add(struct lines *l, const struct line_call *call)
{
	if (!call_add(l, call->line, call->callee))
		return false;
	l->calls[l->ncalls - 1] = *call;
	l->calls[l->ncalls - 1].told = true;
	return true;
}

/* What TIME, which is an arc's but for the ERROR of a share of that, may be off by: of the total of the routine that calls CALLEE. */
static double time_error(const struct graph *g, const struct lines *l, const struct line_callee *callee, uint64_t time, double error)
{
	uint64_t total = g->routines[l->routine].total;

	if (callee->error < 0 || error < 0 || !callee->time || !total)
		return -1;
	return hypot(callee->error * (double)time / (double)callee->time, error * (double)callee->time / (double)total);
}

static int by_line_then_callee(const void *x, const void *y)
{
	const struct line_call *a = x, *b = y;

	if (a->line != b->line)
		return a->line < b->line ? -1 : 1;
	if (a->column != b->column)
		return a->column < b->column ? -1 : 1;
	return (a->callee > b->callee) - (a->callee < b->callee);
}

static void calls_sort(struct lines *l)
{
	if (l->ncalls > 1)
		qsort(l->calls, l->ncalls, sizeof *l->calls, by_line_then_callee);
}

/* Each call once, sorted; callees without a line at the front. */
static bool calls_settle(struct lines *l)
{
	size_t kept = 0;

	for (size_t i = 0; i < l->ncallees; i++)
		l->callees[i].nlines = 0;
	calls_sort(l);
	for (size_t i = 0; i < l->ncalls; i++)
		if (kept > 0 && by_line_then_callee(&l->calls[kept - 1], &l->calls[i]) == 0) {
			l->calls[kept - 1].calls += l->calls[i].calls;
			l->calls[kept - 1].time += l->calls[i].time;
			l->calls[kept - 1].error = fmax(l->calls[kept - 1].error, l->calls[i].error);
		} else if (l->calls[i].line || l->calls[i].told) {
			l->calls[kept++] = l->calls[i];
			l->callees[l->calls[i].callee].nlines++;
		}
	l->ncalls = kept;
	for (size_t i = 0; i < l->ncallees; i++) {
		l->callees[i].known = l->callees[i].nlines > 0 || l->callees[i].told;
		if (!l->callees[i].known && !call_add(l, 0, (uint32_t)i))
			return false;
	}
	calls_sort(l);
	return true;
}

/* A routine's words and the room for its calls, while these are looked for. */
struct finder {
	struct lines *l;
	struct source_word *words;	/* by callee */
	bool failed;		/* out of memory */
};

/* Calls by the word of LENGTH bytes at TEXT that R has just passed, of callees whose lines are not known yet.  A name that was
 * cut must be called, since it can be any word; others can also be handed on, as to qsort. */
static bool word_match(struct finder *f, const struct source_words *r, const char *text, size_t length)
{
	for (size_t i = 0; i < f->l->ncallees; i++) {
		if (f->l->callees[i].known || f->words[i].length != length || memcmp(f->words[i].text, text, length) != 0)
			continue;
		if (f->l->callees[i].place && !source_words_is_call(r))
			continue;
		if (!call_add(f->l, r->line, (uint32_t)i))
			return false;
	}
	return true;
}

/* Note a call that debug information describes. */
static void lines_site_visit(void *arg, const struct symbols_call *call)
{
	struct finder *f = arg;

	if (!call->file || strcmp(call->file, f->l->file) != 0)
		return;
	for (size_t i = 0; i < f->l->ncallees; i++)
		if (!f->l->callees[i].told && strcmp(f->l->callees[i].place ? f->words[i].text : f->l->callees[i].name, call->name) == 0)
			f->failed |= !call_add(f->l, call->line, (uint32_t)i);
}

static void lines_words_free(struct finder *f)
{
	for (size_t i = 0; f->words && i < f->l->ncallees; i++)
		free(f->words[i].text);
	free(f->words);
}

static bool lines_words_make(struct finder *f)
{
	bool ok;

	f->words = calloc(f->l->ncallees + 1, sizeof *f->words);
	ok = f->words != NULL;
	for (size_t i = 0; ok && i < f->l->ncallees; i++)
		ok = source_word_make(&f->words[i], f->l->callees[i].name, f->l->callees[i].place);
	return ok;
}

/* The calls in all bodies of the routine. */
static bool lines_sites_find(struct search *k)
{
	struct finder f = { .l = k->l };
	const struct profile *p = k->g->profile;
	bool ok = lines_words_make(&f);

	for (uint32_t i = 0; ok && k->l->file && i < p->nroutines; i++)
		if (k->g->routine_of[i] == k->l->routine && !p->routines[i].pseudo)
			symbols_described_calls(k->in->symbols, p->routines[i].module, p->routines[i].address, lines_site_visit, &f);
	lines_words_free(&f);
	return ok && !f.failed;
}

/* Whether PLACE is in the routine's own source. */
static bool lines_is_own(const struct lines *l, const struct call_place *place)
{
	return place->file && !place->within && l->file && !strcmp(place->file, l->file);
}

/* The call sites of callee I, if any of them is known. */
static bool told_find(struct search *k, const struct graph_sites *sites, uint32_t i)
{
	struct line_callee *callee = &k->l->callees[i];
	struct call_places places;
	struct line_call elsewhere = { .callee = i, .error = -1 };
	bool ok = true;

	if (callee->place || !call_places_make(&places, k->in, sites, k->l->routine, callee->routine,
					       &(struct call_figures){ callee->calls, callee->self, callee->time - callee->self }))
		return callee->place != NULL;
	callee->told = places.n > 0;
	elsewhere.timed = places.timed;
	elsewhere.calls = places.unknown;
	elsewhere.time = places.rest_self + places.rest_children;
	for (size_t n = 0; ok && n < places.n; n++) {
		const struct call_place *p = &places.places[n];
		const struct line_call call = { .line = p->line, .callee = i, .column = p->column, .calls = p->calls, .timed = places.timed,
			.time = p->self + p->children, .error = time_error(k->g, k->l, callee, p->self + p->children, p->error) };

		if (lines_is_own(k->l, p)) {
			extend(k->l, p->line);
			ok = told_add(k->l, &call);
		} else {
			elsewhere.calls += call.calls;
			elsewhere.time += call.time;
		}
	}
	if (ok && callee->told && (elsewhere.calls || (elsewhere.timed && elsewhere.time)))
		ok = told_add(k->l, &elsewhere);
	call_places_free(&places);
	return ok;
}

/* Where call sites were told apart: those of the routine's callees. */
static bool told_find_all(struct search *k, struct error *err)
{
	struct graph_sites sites;
	bool ok = true;

	if (k->g->profile->nsites == 0)
		return true;
	if (!graph_sites_make(&sites, k->g, err))
		return false;
	for (uint32_t i = 0; ok && i < k->l->ncallees; i++)
		ok = told_find(k, &sites, i);
	graph_sites_free(&sites);
	return ok;
}

bool lines_make(struct lines *l, const struct report_input *in, const struct leaves *leaves, uint32_t routine, struct error *err)
{
	struct search k = { .l = l, .in = in, .g = in->graph };
	bool ok;

	*l = (struct lines){ .routine = routine, .explained = leaves->explained[routine],
		.costs = calloc(in->graph->profile->npcs + 1, sizeof *l->costs) };
	ok = l->costs && callees_find(&k, leaves);
	if (ok && in->symbols) {
		extent_find(&k);
		costs_find(&k, leaves);
		costs_join(l);
		ok = told_find_all(&k, err) && lines_sites_find(&k);
	}
	ok = ok && calls_settle(l);
	if (ok) {
		unknown_find(&k);
		return true;
	}
	lines_free(l);
	return error_no_memory(err, NULL);
}

void lines_free(struct lines *l)
{
	free(l->costs);
	free(l->calls);
	free(l->callees);
	*l = (struct lines){ 0 };
}

bool lines_find_calls(struct lines *l, const struct report_input *in, const char *text, size_t len, struct error *err)
{
	uint32_t definition = in->graph->routines[l->routine].name.line;
	struct source_words r = { .at = text, .end = text + len, .line = 1 };
	struct finder f = { .l = l };
	bool ok = lines_words_make(&f);
	const char *word;
	size_t length;

	while (ok && (length = source_words_next(&r, &word)) > 0 && r.line <= l->last)
		if (r.line >= l->first && r.line != definition)		/* the name of what is defined is no call */
			ok = word_match(&f, &r, word, length);
	lines_words_free(&f);
	ok = ok && calls_settle(l);
	return ok || error_no_memory(err, NULL);
}
