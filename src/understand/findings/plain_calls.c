/* plain_calls.c - the calls of a routine to code without hooks. */
#include "understand/findings/plain_calls.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

/* What is known while calls are visited. */
struct visit {
	struct plain_calls *c;
	const struct plain_calls_hooked *hooked;
	bool tails;		/* those that are jumps */
	bool failed;		/* out of memory */
};

static int plain_calls_by_name(const void *x, const void *y)
{
	return strcmp(*(const char *const *)x, *(const char *const *)y);
}

bool plain_calls_hooked_find(struct plain_calls_hooked *h, const struct graph *g)
{
	*h = (struct plain_calls_hooked){ .names = calloc(2 * (size_t)g->nroutines + 1, sizeof *h->names) };
	for (uint32_t r = 0; h->names && r < g->nroutines; r++) {
		h->names[h->n++] = g->routines[r].name.name;
		if (g->routines[r].name.linked)
			h->names[h->n++] = g->routines[r].name.linked;
	}
	if (h->n > 1)
		qsort(h->names, h->n, sizeof *h->names, plain_calls_by_name);
	return h->names != NULL;
}

void plain_calls_hooked_free(struct plain_calls_hooked *h)
{
	free(h->names);
	*h = (struct plain_calls_hooked){ 0 };
}

static bool plain_calls_is_hooked(const struct plain_calls_hooked *h, const char *name)
{
	return name && h->n > 0 && bsearch(&name, h->names, h->n, sizeof *h->names, plain_calls_by_name);
}

static void plain_calls_call_visit(void *arg, const struct symbols_call *call)
{
	struct visit *v = arg;
	struct plain_calls *c = v->c;
	struct plain_calls_function *f;

	for (uint32_t i = 0; i < c->n; i++)
		if (strcmp(c->functions[i].name, call->name) == 0)
			return;
	if ((v->tails && !call->tail) || plain_calls_is_hooked(v->hooked, call->name) || plain_calls_is_hooked(v->hooked, call->linked))
		return;
	if (!array_grow(&c->functions, &c->room, c->n, sizeof *c->functions)) {
		v->failed = true;
		return;
	}
	f = &c->functions[c->n++];
	*f = (struct plain_calls_function){ strdup(call->name), strdup(call->linked) };
	v->failed |= !f->name || !f->linked;
}

/* The calls of ROUTINE's code, to V.  False: they are not known. */
static bool routine_visit(struct visit *v, const struct report_input *in, uint32_t routine)
{
	const struct profile *p = in->graph->profile;
	bool known = true;

	for (uint32_t i = 0; known && i < p->nroutines; i++)
		if (in->graph->routine_of[i] == routine && !p->routines[i].pseudo)
			known = symbols_calls(in->symbols, p->routines[i].module, p->routines[i].address, plain_calls_call_visit, v);
	return known;
}

bool plain_calls_find(struct plain_calls *c, const struct report_input *in, const struct plain_calls_hooked *hooked, uint32_t routine)
{
	const struct graph *g = in->graph;
	const struct graph_routine *r = g->routines + routine;
	struct visit v = { .c = c, .hooked = hooked };

	*c = (struct plain_calls){ .known = in->symbols != NULL };
	c->known = c->known && routine_visit(&v, in, routine);
	v.tails = true;
	for (uint32_t i = r->first_out; c->known && i < r->first_out + r->nout; i++)
		c->known = g->arcs[i].to == routine || routine_visit(&v, in, g->arcs[i].to);
	return !v.failed;
}

void plain_calls_free(struct plain_calls *c)
{
	for (uint32_t i = 0; i < c->n; i++) {
		free(c->functions[i].name);
		free(c->functions[i].linked);
	}
	free(c->functions);
	*c = (struct plain_calls){ 0 };
}

static bool plain_calls_is_word(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

/* Whether PART stands in NAME between underscores, ends and the like. */
static bool plain_calls_is_part(const char *name, const char *part)
{
	size_t n = strlen(part);

	for (const char *at = strstr(name, part); n > 0 && at; at = strstr(at + 1, part))
		if ((at == name || !plain_calls_is_word(at[-1])) && !plain_calls_is_word(at[n]))
			return true;
	return false;
}

/* The one of which NAME is made; NULL: none. */
static const char *by_part(const struct plain_calls *c, const char *name)
{
	const char *best = NULL;

	for (uint32_t i = 0; i < c->n; i++)
		if (plain_calls_is_part(name, c->functions[i].name) && (!best || strlen(c->functions[i].name) > strlen(best)))
			best = c->functions[i].name;
	return best;
}

/* The one that leads to PC over the fewest calls; NULL: none, or several do. */
static const char *by_code(const struct plain_calls *c, struct symbols *symbols, const struct profile_pc *pc)
{
	const char *best = NULL;
	int least = INT_MAX;

	for (uint32_t i = 0; i < c->n; i++) {
		int calls = symbols_leads(symbols, pc->module, c->functions[i].linked, pc->address);

		if (calls >= 0 && calls <= least) {
			best = calls < least ? c->functions[i].name : NULL;
			least = calls;
		}
	}
	return best;
}

const char *plain_call_name(const struct plain_calls *c, struct symbols *symbols, const char *name, const struct profile_pc *pc, bool alone)
{
	const char *best = name ? by_part(c, name) : NULL;

	if (!best && c->n > 0)
		best = by_code(c, symbols, pc);
	return best ? best : alone && c->known && c->n == 1 ? c->functions[0].name : NULL;
}
