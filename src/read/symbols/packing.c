/* packing.c - what one packing of symbols grows by: columns of numbers, strings, each once, and the order of functions. */
#include "read/symbols/packing.h"

#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

void packing_number(struct packing *k, struct numbers *c, uint32_t number)
{
	if (array_reserve(&c->at, &c->room, c->n + 1, sizeof *c->at))
		c->at[c->n++] = number;
	else
		k->failed = true;
}

static int packing_by_text(const void *left, const void *right)
{
	return strcmp(((const struct string *)left)->text, ((const struct string *)right)->text);
}

uint32_t packing_string(struct packing *k, const char *text)
{
	struct strings *s = &k->strings;
	struct string wanted = { text ? text : "", (uint32_t)s->n }, *new, **node = tfind(&wanted, &s->known, packing_by_text);

	if (node)
		return (*node)->index;
	new = malloc(sizeof *new);
	if (!new || !array_reserve(&s->all, &s->room, s->n + 1, sizeof *s->all)) {
		free(new);
		k->failed = true;
		return 0;
	}
	*new = wanted;
	if (!tsearch(new, &s->known, packing_by_text)) {
		free(new);
		k->failed = true;
		return 0;
	}
	s->all[s->n] = (ProtobufCBinaryData){ strlen(wanted.text), (uint8_t *)wanted.text };
	return (uint32_t)s->n++;
}

int packing_order(const void *left, const void *right)
{
	const struct symbol *a = *(const struct symbol *const *)left, *b = *(const struct symbol *const *)right;

	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	return strcmp(a->name, b->name);
}

uint32_t packing_function(const struct packing *k, const struct symbol *symbol)
{
	const struct symbol **found = bsearch(&symbol, k->functions, k->nfunctions, sizeof *k->functions, packing_order);

	return found ? (uint32_t)(found - k->functions) : 0;
}
