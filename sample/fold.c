/* fold.c - stacks to contexts. */
#include "sample/fold.h"

#include <stdlib.h>

#include "base/array.h"

static uint64_t step_key(uint32_t from, uint32_t routine)
{
	return hash_mix((uint64_t)from << 32 | routine, 0);
}

static uint64_t step_hash(const void *owner, uint32_t position)
{
	const struct fold_step *s = &((const struct fold *)owner)->steps[position];

	return step_key(s->from, s->routine);
}

/* Routines of a history are small numbers: pseudo-routines stand before the others. */
enum { PSEUDO = AMON_ROUTINE_LAST - AMON_ROUTINE_ROOT + 1 };

static uint32_t history_number(uint32_t routine)
{
	return routine >= AMON_ROUTINE_ROOT ? routine - AMON_ROUTINE_ROOT : routine + PSEUDO;
}

static bool item_add(struct fold *f, uint32_t item, uint32_t node, uint32_t length)
{
	if (!array_reserve(&f->items, &f->items_room, (size_t)item + 1, sizeof *f->items))
		return false;
	f->items[item] = (struct fold_item){ node, length };
	f->histories.nodes[node].context = item;
	return true;
}

bool fold_init(struct fold *f, struct recording *l, uint32_t tid)
{
	*f = (struct fold){ .live = l, .elided = RECORDING_NONE };
	f->thread = recording_thread(l, tid);
	if (f->thread != RECORDING_NONE && histories_init(&f->histories) && item_add(f, 0, 0, 0))
		return true;
	fold_free(f);
	return false;
}

void fold_free(struct fold *f)
{
	free(f->steps);
	table_free(&f->table);
	histories_free(&f->histories);
	free(f->items);
}

/* The item of the context NODE, made by calling ROUTINE in FROM if it is new. */
static uint32_t item_of(struct fold *f, uint32_t from, uint32_t routine, const struct history_step *s)
{
	uint32_t item = f->histories.nodes[s->node].context;

	if (item != HISTORIES_NONE)
		return item;
	item = recording_item(f->live, f->thread, from, routine);
	return item != RECORDING_NONE && item_add(f, item, s->node, s->length) ? item : RECORDING_NONE;
}

static uint32_t step_make(struct fold *f, uint32_t from, uint32_t routine)
{
	struct fold_item at = f->items[from];
	uint32_t number = history_number(routine), to;
	struct history_step s;

	if (!array_grow(&f->steps, &f->room, f->nsteps, sizeof *f->steps) || !table_reserve(&f->table, f->nsteps + 1, step_hash, f) ||
	    !histories_reserve(&f->histories, at.length + 1, number + 1) || !histories_step(&f->histories, at.node, at.length, number, &s))
		return RECORDING_NONE;
	to = item_of(f, from, routine, &s);
	if (to == RECORDING_NONE)
		return RECORDING_NONE;
	f->steps[f->nsteps] = (struct fold_step){ from, routine, to };
	table_add(&f->table, step_key(from, routine), f->nsteps++);
	return to;
}

static uint32_t step(struct fold *f, uint32_t from, uint32_t routine)
{
	uint64_t i = step_key(from, routine);
	uint32_t k;

	while ((k = table_next(&f->table, &i)) != UINT32_MAX)
		if (f->steps[k].from == from && f->steps[k].routine == routine)
			return f->steps[k].to;
	return step_make(f, from, routine);
}

static uint32_t elided(struct fold *f)
{
	if (f->elided == RECORDING_NONE)
		f->elided = step(f, 0, AMON_ROUTINE_ELIDED);
	return f->elided;
}

uint32_t fold_stack(struct fold *f, const uint32_t *routines, size_t n)
{
	uint32_t item = 0;

	for (size_t i = 0; i < n && item != RECORDING_NONE; i++)
		item = step(f, item, routines[i]);
	return item != RECORDING_NONE ? item : elided(f);
}
