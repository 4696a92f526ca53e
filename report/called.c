/* called.c - the calls of a routine to code without hooks. */
#include "report/called.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

/* What is known while calls are visited. */
struct visit {
	struct called *c;
	const struct called_hooked *hooked;
	bool failed;		/* out of memory */
};

static int by_name(const void *x, const void *y)
{
	return strcmp(*(const char *const *)x, *(const char *const *)y);
}

bool called_hooked_find(struct called_hooked *h, const struct graph *g)
{
	*h = (struct called_hooked){ .names = calloc(2 * (size_t)g->nroutines + 1, sizeof *h->names) };
	for (uint32_t r = 0; h->names && r < g->nroutines; r++) {
		h->names[h->n++] = g->routines[r].name.name;
		if (g->routines[r].name.linked)
			h->names[h->n++] = g->routines[r].name.linked;
	}
	if (h->n > 1)
		qsort(h->names, h->n, sizeof *h->names, by_name);
	return h->names != NULL;
}

void called_hooked_free(struct called_hooked *h)
{
	free(h->names);
	*h = (struct called_hooked){ 0 };
}

static bool is_hooked(const struct called_hooked *h, const char *name)
{
	return name && h->n > 0 && bsearch(&name, h->names, h->n, sizeof *h->names, by_name);
}

static void call_visit(void *arg, const struct symbols_call *call)
{
	struct visit *v = arg;
	struct called *c = v->c;

	for (uint32_t i = 0; i < c->n; i++)
		if (strcmp(c->names[i], call->name) == 0)
			return;
	if (is_hooked(v->hooked, call->name) || is_hooked(v->hooked, call->linked))
		return;
	if (!array_grow(&c->names, &c->room, c->n, sizeof *c->names) || !(c->names[c->n] = strdup(call->name)))
		v->failed = true;
	else
		c->n++;
}

bool called_find(struct called *c, const struct report_input *in, const struct called_hooked *hooked, uint32_t routine)
{
	const struct profile *p = in->graph->profile;
	struct visit v = { .c = c, .hooked = hooked };

	*c = (struct called){ .known = in->symbols != NULL };
	for (uint32_t i = 0; c->known && i < p->nroutines; i++)
		if (in->graph->routine_of[i] == routine && !p->routines[i].pseudo)
			c->known = symbols_calls(in->symbols, p->routines[i].module, p->routines[i].address, call_visit, &v);
	return !v.failed;
}

void called_free(struct called *c)
{
	for (uint32_t i = 0; i < c->n; i++)
		free(c->names[i]);
	free(c->names);
	*c = (struct called){ 0 };
}

static bool is_word(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

/* Whether PART stands in NAME between underscores, ends and the like. */
static bool is_part(const char *name, const char *part)
{
	size_t n = strlen(part);

	for (const char *at = strstr(name, part); n > 0 && at; at = strstr(at + 1, part))
		if ((at == name || !is_word(at[-1])) && !is_word(at[n]))
			return true;
	return false;
}

const char *called_name(const struct called *c, const char *name)
{
	const char *best = NULL;

	for (uint32_t i = 0; i < c->n; i++)
		if (is_part(name, c->names[i]) && (!best || strlen(c->names[i]) > strlen(best)))
			best = c->names[i];
	return best ? best : c->known && c->n == 1 ? c->names[0] : name;
}
