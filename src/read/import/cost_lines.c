/* cost_lines.c - lines by place. */
#include "read/import/cost_lines.h"

#include <stdlib.h>

#include "base/array.h"

static uint64_t cost_line_key(const struct cost_line *l)
{
	return hash_mix(hash_mix(l->function, l->line), hash_mix(l->file, l->to));
}

static uint64_t cost_line_hash(const void *owner, uint32_t i) { return cost_line_key(&((const struct cost_lines *)owner)->all[i]); }

void cost_lines_free(struct cost_lines *c)
{
	free(c->all);
	table_free(&c->by_place);
	*c = (struct cost_lines){ 0 };
}

uint32_t cost_lines_add(struct cost_lines *c, const struct cost_line *line)
{
	uint64_t key = cost_line_key(line), i = key;
	uint32_t k;

	while ((k = table_next(&c->by_place, &i)) != UINT32_MAX) {
		const struct cost_line *l = &c->all[k];

		if (l->function == line->function && l->line == line->line && l->file == line->file && l->to == line->to)
			return k;
	}
	if (!array_grow(&c->all, &c->room, c->n, sizeof *c->all) || !table_reserve(&c->by_place, c->n + 1, cost_line_hash, c))
		return COST_LINE_NONE;
	c->all[c->n] = *line;
	c->all[c->n].number = c->n;
	table_add(&c->by_place, key, c->n);
	return c->n++;
}

static int cost_lines_by_function(const void *left, const void *right)
{
	const struct cost_line *a = left, *b = right;

	if (a->function != b->function)
		return a->function < b->function ? -1 : 1;
	return (a->line > b->line) - (a->line < b->line);
}

void cost_lines_settle(struct cost_lines *c)
{
	table_free(&c->by_place);
	c->by_place = (struct table){ 0 };
	if (c->n)
		qsort(c->all, c->n, sizeof *c->all, cost_lines_by_function);
}

const struct cost_line *cost_lines_of(const struct cost_lines *c, uint32_t function, size_t *n)
{
	uint32_t low = 0, high = c->n;

	while (low < high) {				/* the first of it */
		uint32_t middle = low + (high - low) / 2;

		if (c->all[middle].function < function)
			low = middle + 1;
		else
			high = middle;
	}
	for (high = low; high < c->n && c->all[high].function == function;)
		high++;
	*n = high - low;
	return *n ? c->all + low : NULL;
}
