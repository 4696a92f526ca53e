/* call_sites.c - call sites as places in the source. */
#include "understand/findings/call_sites.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "base/print.h"

static int call_sites_by_text(const char *a, const char *b)
{
	return !a || !b ? (a != NULL) - (b != NULL) : strcmp(a, b);
}

static int call_sites_by_place(const void *x, const void *y)
{
	const struct call_place *a = x, *b = y;
	int order = call_sites_by_text(a->file, b->file);

	if (order)
		return order;
	if (a->line != b->line)
		return a->line < b->line ? -1 : 1;
	if (a->column != b->column)
		return a->column < b->column ? -1 : 1;
	if (a->address != b->address)
		return a->address < b->address ? -1 : 1;
	if (a->by_pointer != b->by_pointer)
		return a->by_pointer ? 1 : -1;
	order = call_sites_by_text(a->within, b->within);
	if (!order)
		order = call_sites_by_text(a->module, b->module);
	return order ? order : call_sites_by_text(a->through, b->through);
}

/* Whether NAME is one of those of ROUTINE. */
static bool is_called(const struct graph_routine *routine, const char *name)
{
	const char *alias = routine->name.aliases, *found;

	if (!strcmp(routine->name.name, name) || (routine->name.linked && !strcmp(routine->name.linked, name)))
		return true;
	for (size_t n = strlen(name); alias && (found = strstr(alias, name)) != NULL; alias = found + 1)
		if ((found == routine->name.aliases || found[-1] == '=') && (found[n] == '=' || !found[n]))
			return true;
	return false;
}

bool call_is_inlined(const struct graph_routine *routine)
{
	return routine && routine->name.module && !strcmp(routine->name.module, SYMBOLS_INLINED_MODULE);
}

/* Where SITE is in the source of CALLER: of what was inlined where the code itself is from, of another where it stands for that. */
static bool source_find(const struct report_input *in, const struct graph_site *site, const struct graph_routine *caller, struct call_place *p)
{
	if (call_is_inlined(caller))
		return symbols_line(in->symbols, site->module, site->address - 1, &p->file, &p->line);
	return symbols_own_place(in->symbols, site->module, site->address - 1, &p->file, &p->line, &p->column);
}

/* What SITE, of calls of ROUTINE from CALLER, is; NULL: nobody. */
static struct call_place call_sites_place_of(const struct report_input *in, const struct graph_site *site, const struct graph_routine *caller,
				  const struct graph_routine *routine)
{
	const struct symbol *holder = symbols_find(in->symbols, site->module, site->address - 1);
	struct call_place p = { .calls = site->calls, .self_samples = site->self, .child_samples = site->children };
	const char *goal;
	enum symbols_goal kind = call_is_inlined(routine) ? SYMBOLS_GOAL_UNKNOWN : symbols_call_goal(in->symbols, site->module, site->address, &goal);

	if (!source_find(in, site, caller, &p))
		p.file = NULL;
	if (!call_is_inlined(caller) && (!caller || !caller->name.key || strcmp(holder->key, caller->name.key) != 0)) {
		p.within = holder->display;
		p.module = site->module == PROFILE_NONE ? NULL : in->graph->profile->modules[site->module].path;
	}
	if (!p.file && !p.within && site->module != PROFILE_NONE)
		p.address = site->address;
	p.by_pointer = kind == SYMBOLS_GOAL_POINTER;
	if (kind == SYMBOLS_GOAL_NAMED && !is_called(routine, goal))
		p.through = goal;
	return p;
}

static void call_sites_place_add(struct call_place *to, const struct call_place *more)
{
	to->calls += more->calls;
	to->self_samples += more->self_samples;
	to->child_samples += more->child_samples;
}

/* Each place once. */
static void places_join(struct call_places *c)
{
	size_t kept = 0;

	if (c->n > 1)
		qsort(c->places, c->n, sizeof *c->places, call_sites_by_place);
	for (size_t i = 0; i < c->n; i++)
		if (kept > 0 && call_sites_by_place(&c->places[kept - 1], &c->places[i]) == 0)
			call_sites_place_add(&c->places[kept - 1], &c->places[i]);
		else
			c->places[kept++] = c->places[i];
	c->n = kept;
}

/* ---- times ---- */

/* Samples of an arc: those of all its places, and of those that are not known. */
struct arc_samples {
	uint64_t self, children;
};

/* The samples of P by which self or CHILDREN's time is dealt out. */
static uint64_t samples_for(const struct call_place *p, const struct arc_samples *all, bool children)
{
	if (!(children ? all->children : all->self))		/* none fell there: as the others did */
		return p->self_samples + p->child_samples;
	return children ? p->child_samples : p->self_samples;
}

/* Deal TIME, self or CHILDREN's, out to the places.  Returns what is left. */
static uint64_t deal(struct call_places *c, uint64_t time, const struct arc_samples *all, bool children)
{
	uint64_t of_all = children ? all->children : all->self, seen = 0, dealt = 0;

	if (!of_all)
		of_all = all->self + all->children;
	for (size_t i = 0; i < c->n && of_all; i++) {
		struct call_place *p = &c->places[i];
		uint64_t up_to;

		seen += samples_for(p, all, children);
		up_to = seen == of_all ? time : (uint64_t)((double)time * (double)seen / (double)of_all);
		*(children ? &p->children : &p->self) = up_to > dealt ? up_to - dealt : 0;
		dealt = up_to > dealt ? up_to : dealt;
	}
	return time - dealt;
}

/* Deal the time of ARC out.  Samples do not say below whom they were taken: where routines are focussed on, they are of no use. */
static void places_time(struct call_places *c, const struct graph *g, const struct call_figures *arc, const struct arc_samples *all)
{
	c->timed = c->n == 1 && !c->unknown;
	if (c->timed) {
		c->places[0].self = arc->self;
		c->places[0].children = arc->children;
		return;
	}
	c->rest_self = arc->self;
	c->rest_children = arc->children;
	c->timed = all->self + all->children > 0 && g->options.nspecs == 0;
	if (!c->timed)
		return;
	c->rest_self = deal(c, arc->self, all, false);
	c->rest_children = deal(c, arc->children, all, true);
	for (size_t i = 0; i < c->n; i++)
		c->places[i].error = graph_samples_error(g, c->places[i].self_samples + c->places[i].child_samples, all->self + all->children);
}

bool call_places_make(struct call_places *c, const struct report_input *in, const struct graph_sites *sites, uint32_t from, uint32_t to,
		      const struct call_figures *arc)
{
	const struct graph *g = in->graph;
	struct arc_samples samples = { 0 };
	uint64_t known;
	size_t n;
	const struct graph_site *all = graph_sites_of(sites, from, to, &n, &known);

	*c = (struct call_places){ .counted = g->counted, .unknown = arc->calls > known ? arc->calls - known : 0, .places = calloc(n + 1, sizeof *c->places) };
	if (!c->places)
		return false;
	if (!in->symbols)
		c->unknown = arc->calls;
	for (size_t i = 0; i < n; i++) {
		samples.self += all[i].self;
		samples.children += all[i].children;
		if (in->symbols && (all[i].address || all[i].module != PROFILE_NONE))
			c->places[c->n++] = call_sites_place_of(in, &all[i], from == GRAPH_NONE ? NULL : &g->routines[from], &g->routines[to]);
	}
	places_join(c);
	places_time(c, g, arc, &samples);
	return true;
}

bool call_places_have_rest(const struct call_places *c)
{
	return c->unknown || (c->timed && c->rest_self + c->rest_children > 0 && (c->n > 0 || c->counted));
}

void call_places_free(struct call_places *c)
{
	free(c->places);
	*c = (struct call_places){ 0 };
}

/* The same of one arc. */
static bool visit_arc(const struct report_input *in, const struct graph_sites *sites, uint32_t from, uint32_t to, const struct call_figures *arc,
		      call_places_visit *visit, void *arg)
{
	struct call_places places;
	bool ok = call_places_make(&places, in, sites, from, to, arc);

	if (!ok)
		return false;
	ok = visit(arg, from, to, arc, &places);
	call_places_free(&places);
	return ok;
}

bool call_places_each(const struct report_input *in, call_places_visit *visit, void *arg, struct error *err)
{
	const struct graph *g = in->graph;
	struct graph_sites sites;
	bool ok = true;

	if (!graph_sites_make(&sites, g, err))
		return false;
	for (uint32_t i = 0; ok && i < g->narcs; i++) {
		const struct graph_arc *a = &g->arcs[i];

		ok = visit_arc(in, &sites, a->from, a->to, &(struct call_figures){ a->calls, a->self2, a->child2 }, visit, arg);
	}
	for (uint32_t i = 0; ok && i < g->nroutines; i++)
		if (g->routines[i].recursive)
			ok = visit_arc(in, &sites, i, i, &(struct call_figures){ g->routines[i].recursive, 0, 0 }, visit, arg);
	graph_sites_free(&sites);
	return ok || error_no_memory(err, NULL);
}
