/* code.c - counting samples by instruction. */
#include "understand/findings/code.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/name.h"

/* A sample of what is asked for. */
struct spot {
	uint32_t module;	/* index in the profile's modules[] */
	uint64_t address;	/* link-time */
	uint64_t ticks;		/* samples */
	double time;		/* what they stand for, ns */
};

/* What is looked for, and what was found. */
struct search {
	struct code *c;
	const struct report_input *in;
	struct spot *spots;	/* by module, then address */
	size_t n, at;		/* how many; the next one, while instructions are visited */
	bool failed;		/* out of memory */
};

static int spots_by_address(const void *x, const void *y)
{
	const struct spot *a = x, *b = y;

	if (a->module != b->module)
		return a->module < b->module ? -1 : 1;
	return (a->address > b->address) - (a->address < b->address);
}

static int bodies_by_time(const void *x, const void *y)
{
	const struct code_body *a = x, *b = y;

	return a->time != b->time ? (a->time < b->time) - (a->time > b->time) : (a->first > b->first) - (a->first < b->first);
}

/* An instruction at AT: with the samples from there to the next, which are sorted. */
static void instruction_visit(void *arg, uint64_t at, const char *text)
{
	struct search *k = arg;
	struct code *c = k->c;
	struct code_line *line;

	if (k->failed || !array_grow(&c->lines, &c->room, c->n, sizeof *c->lines)) {
		k->failed = true;
		return;
	}
	line = &c->lines[c->n++];
	*line = (struct code_line){ .address = at, .text = arena_copy(&c->arena, text, strlen(text)) };
	k->failed = !line->text;
}

/* Give the lines from FIRST on the samples up to END of spots[]. */
static void spots_take(struct search *k, size_t first, size_t end)
{
	struct code *c = k->c;

	for (size_t i = first; k->at < end; k->at++) {
		while (i + 1 < c->n && c->lines[i + 1].address <= k->spots[k->at].address)
			i++;
		c->lines[i].ticks += k->spots[k->at].ticks;
		c->lines[i].time += (uint64_t)k->spots[k->at].time;
	}
}

/* The function that the next spot is in, with all spots in it. */
static void body_take(struct search *k)
{
	const struct spot *spot = &k->spots[k->at];
	const struct symbol *symbol = symbols_find(k->in->symbols, spot->module, spot->address);
	struct code *c = k->c;
	size_t end = k->at, first = c->n;

	while (end < k->n && k->spots[end].module == spot->module && symbols_find(k->in->symbols, spot->module, k->spots[end].address) == symbol)
		end++;
	if (symbols_instructions(k->in->symbols, spot->module, spot->address, instruction_visit, k) && c->n > first) {
		struct code_body *body = &c->bodies[c->nbodies++];

		*body = (struct code_body){ .module = k->in->graph->profile->modules[spot->module].path, .name = symbol->name, .first = first, .n = c->n - first };
		spots_take(k, first, end);
		for (size_t i = first; i < c->n; i++) {
			body->time += c->lines[i].time;
			c->ticks += c->lines[i].ticks;
		}
		c->time += body->time;
	}
	k->at = end;
}

/* What the spots of K are in.  False with *ERR set. */
static bool bodies_find(struct search *k, struct error *err)
{
	struct code *c = k->c;

	if (k->n > 1)
		qsort(k->spots, k->n, sizeof *k->spots, spots_by_address);
	c->bodies = calloc(k->n + 1, sizeof *c->bodies);
	k->failed |= !c->bodies;
	while (!k->failed && k->at < k->n)
		body_take(k);
	if (!k->failed && c->nbodies > 1)
		qsort(c->bodies, c->nbodies, sizeof *c->bodies, bodies_by_time);
	free(k->spots);
	return !k->failed || error_no_memory(err, NULL);
}

static bool search_start(struct search *k, struct code *c, const struct report_input *in)
{
	*c = (struct code){ 0 };
	*k = (struct search){ .c = c, .in = in, .spots = calloc(in->graph->profile->npcs + in->graph->profile->nroutines + 1, sizeof *k->spots) };
	k->failed = !k->spots;
	return k->spots && in->symbols;
}

/* Without a sample: where the routine begins. */
static void beginnings_add(struct search *k, uint32_t routine)
{
	const struct graph *g = k->in->graph;
	const struct profile *p = g->profile;

	for (uint32_t i = 0; i < p->nroutines; i++)
		if (g->routine_of[i] == routine && !p->routines[i].pseudo && p->routines[i].module != PROFILE_NONE)
			k->spots[k->n++] = (struct spot){ .module = p->routines[i].module, .address = p->routines[i].address };
}

bool code_of_routine(struct code *c, const struct report_input *in, const struct leaves *leaves, uint32_t routine, struct error *err)
{
	const struct graph *g = in->graph;
	const struct profile *p = g->profile;
	double sample = leaves_sample(g, routine, leaves->explained[routine]);
	struct search k;
	bool any = search_start(&k, c, in);

	c->name = g->routines[routine].name.name;
	for (size_t i = 0; any && i < p->npcs; i++)
		if (leaves->owner[i] == routine && g->overhead->spots[i].place == OVERHEAD_OWN && p->pcs[i].module != PROFILE_NONE)
			k.spots[k.n++] = (struct spot){ p->pcs[i].module, p->pcs[i].address, p->pcs[i].count, sample * (double)p->pcs[i].count };
	if (any && k.n == 0)
		beginnings_add(&k, routine);
	return bodies_find(&k, err);
}

/* Whether WORD names LEAF. */
static bool leaf_is_named(const struct leaf *leaf, const char *word)
{
	char *simple = malloc(strlen(leaf->name) + 1);
	const char *variant = name_variant(leaf->name);
	size_t n = strlen(word);
	bool named = strcmp(leaf->name, word) == 0 || (leaf->called && strcmp(leaf->called, word) == 0) ||
		(variant && strncmp(variant + 2, word, n) == 0 && variant[2 + n] == ')');

	if (simple && !named) {
		name_simplify(simple, leaf->name);
		named = strcmp(simple, word) == 0;
	}
	free(simple);
	return named;
}

/* Mark the leaves of L that WORD names; NULL: out of memory. */
static bool *named_mark(struct code *c, const struct leaves *l, const char *word)
{
	bool *named = calloc(l->n + 1, sizeof *named);

	for (size_t i = 0; named && i < l->n; i++) {
		named[i] = l->leaf[i].kind == LEAF_PLAIN && leaf_is_named(&l->leaf[i], word);
		if (named[i] && !c->name)
			c->name = l->leaf[i].name;
	}
	return named;
}

bool code_of_plain(struct code *c, const struct report_input *in, const struct leaves *leaves, const char *word, struct error *err)
{
	const struct graph *g = in->graph;
	const struct profile *p = g->profile;
	struct search k;
	bool any = search_start(&k, c, in), *named = any ? named_mark(c, leaves, word) : NULL;
	uint32_t *leaf_of = named ? leaves_each(leaves, in) : NULL;

	k.failed |= any && !leaf_of;
	for (size_t i = 0; leaf_of && i < p->npcs; i++) {
		uint32_t owner = leaves->owner[i];

		if (leaf_of[i] != LEAF_OWN && named[leaf_of[i]])
			k.spots[k.n++] = (struct spot){ p->pcs[i].module, p->pcs[i].address, p->pcs[i].count,
				leaves_sample(g, owner, leaves->explained[owner]) * (double)p->pcs[i].count };
	}
	free(named);
	free(leaf_of);
	return bodies_find(&k, err);
}

void code_free(struct code *c)
{
	free(c->bodies);
	free(c->lines);
	arena_free(&c->arena);
	*c = (struct code){ 0 };
}
