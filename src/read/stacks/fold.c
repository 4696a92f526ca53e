/* fold.c - stacks to contexts. */
#include "read/stacks/fold.h"

#include <stdlib.h>

#include "base/array.h"

static uint64_t step_key(uint32_t from, const struct fold_call *c)
{
	return hash_mix((uint64_t)from << 32 | c->routine, c->site);
}

static uint64_t step_hash(const void *owner, uint32_t position)
{
	const struct fold_step *s = &((const struct fold *)owner)->steps[position];

	return step_key(s->from, &(struct fold_call){ s->routine, s->site });
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
	*f = (struct fold){ .live = l, .keeps_sites = recording_keeps_sites(l) };
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
	free(f->path);
	free(f->arcs);
}

/* The item of the context NODE, made by calling ROUTINE in FROM if it is new. */
static uint32_t fold_item_of(struct fold *f, uint32_t from, uint32_t routine, const struct history_step *s)
{
	uint32_t item = f->histories.nodes[s->node].context;

	if (item != HISTORIES_NONE)
		return item;
	item = recording_item(f->live, f->thread, from, routine);
	return item != RECORDING_NONE && item_add(f, item, s->node, s->length) ? item : RECORDING_NONE;
}

/* The step of the call C in FROM, which nobody made before; RECORDING_NONE: no room.  A context that is new counts for the site that it is met from first. */
static uint32_t step_make(struct fold *f, uint32_t from, const struct fold_call *c)
{
	struct fold_item at = f->items[from];
	uint32_t number = history_number(c->routine), to;
	struct history_step s;
	bool is_new;

	if (!array_grow(&f->steps, &f->room, f->nsteps, sizeof *f->steps) || !table_reserve(&f->table, f->nsteps + 1, step_hash, f) ||
	    !histories_reserve(&f->histories, at.length + 1, number + 1) || !histories_step(&f->histories, at.node, at.length, number, &s))
		return RECORDING_NONE;
	is_new = f->histories.nodes[s.node].context == HISTORIES_NONE;
	to = fold_item_of(f, from, c->routine, &s);
	if (to == RECORDING_NONE)
		return RECORDING_NONE;
	if (is_new)
		recording_site(f->live, f->thread, to, c->site);
	f->steps[f->nsteps] = (struct fold_step){ c->site, from, c->routine, to, is_new ? to : RECORDING_NONE, 0 };
	table_add(&f->table, step_key(from, c), f->nsteps);
	return f->nsteps++;
}

/* Is S the step of C in FROM? */
static bool is_step(const struct fold_step *s, uint32_t from, const struct fold_call *c)
{
	return s->from == from && s->routine == c->routine && s->site == c->site;
}

static uint32_t step_find(const struct fold *f, uint32_t from, const struct fold_call *c)
{
	uint64_t i = step_key(from, c);
	uint32_t k;

	while ((k = table_next(&f->table, &i)) != UINT32_MAX)
		if (is_step(&f->steps[k], from, c))
			return k;
	return RECORDING_NONE;
}

/* The step of CALL in FROM: where there is no room to tell its site apart, that of several. */
static uint32_t stacks_fold_step(struct fold *f, uint32_t from, const struct fold_call *call)
{
	struct fold_call c = { call->routine, f->keeps_sites ? call->site : AMON_SITE_NONE };
	uint32_t k = step_find(f, from, &c);

	if (k == RECORDING_NONE && c.site != AMON_SITE_NONE && !recording_fits_site(f->live)) {
		c.site = AMON_SITE_SEVERAL;
		k = step_find(f, from, &c);
	}
	return k != RECORDING_NONE ? k : step_make(f, from, &c);
}

/* Replay N calls; false: there is no room for one of them. */
static bool fold_replay(struct fold *f, const struct fold_call *calls, size_t n)
{
	size_t before = f->npath;
	uint32_t item = 0;

	f->npath = 0;
	if (!array_reserve(&f->path, &f->path_room, n, sizeof *f->path))
		return false;
	for (size_t i = 0; i < n; i++) {
		bool again = i < before && is_step(&f->steps[f->path[i]], item, &calls[i]);
		uint32_t k = again ? f->path[i] : stacks_fold_step(f, item, &calls[i]);

		if (k == RECORDING_NONE)
			return false;
		f->path[f->npath++] = k;
		item = f->steps[k].to;
	}
	return true;
}

uint32_t fold_stack(struct fold *f, const struct fold_call *calls, size_t n)
{
	if (!fold_replay(f, calls, n) && !fold_replay(f, &(struct fold_call){ AMON_ROUTINE_ELIDED, AMON_SITE_NONE }, 1)) {
		f->npath = 0;
		return RECORDING_NONE;
	}
	return f->npath ? f->steps[f->path[f->npath - 1]].to : 0;
}

bool fold_is_elided(const struct fold *f)
{
	return f->npath == 1 && f->steps[f->path[0]].routine == AMON_ROUTINE_ELIDED;
}

/* ---- call sites ---- */

/* See that there are slots for the arcs of the last stack; false: out of memory. */
static bool arcs_begin(struct fold *f)
{
	size_t n = f->narcs ? f->narcs : 64;

	while (n < 2 * f->npath)
		n *= 2;
	if (n != f->narcs) {
		free(f->arcs);
		f->arcs = calloc(n, sizeof *f->arcs);
		f->narcs = f->arcs ? n : 0;
	}
	f->stack++;
	return f->narcs > 0;
}

/* Is the arc met for the first time in this stack? */
static bool fold_is_first(struct fold *f, uint32_t from, uint32_t to)
{
	size_t i = hash_mix((uint64_t)from << 32 | to, 0) & (f->narcs - 1);

	for (; f->arcs[i].stack == f->stack; i = (i + 1) & (f->narcs - 1))
		if (f->arcs[i].from == from && f->arcs[i].to == to)
			return false;
	f->arcs[i] = (struct fold_arc){ from, to, f->stack };
	return true;
}

/* Where samples count for the site of S, whose item is made if there is none yet; 0: no room. */
static uint64_t fold_counter_of(struct fold *f, struct fold_step *s)
{
	if (s->counter)
		return s->counter;
	if (s->item == RECORDING_NONE) {
		s->item = recording_item(f->live, f->thread, s->from, s->routine);
		if (s->item == RECORDING_NONE)
			return 0;
		recording_site(f->live, f->thread, s->item, s->site);
	}
	return s->counter = recording_site_counter(f->live, f->thread, s->item);
}

void fold_count_sites(struct fold *f, uint64_t ticks)
{
	uint32_t caller, running = f->npath ? f->steps[f->path[f->npath - 1]].routine : AMON_ROUTINE_ROOT;
	bool lost = false;

	if (ticks == 0 || !recording_keeps_sites(f->live) || !arcs_begin(f))
		return;
	for (size_t i = f->npath; i-- > 0;) {
		struct fold_step *s = &f->steps[f->path[i]];
		uint64_t counter;

		caller = i > 0 ? f->steps[f->path[i - 1]].routine : AMON_ROUTINE_ROOT;
		if ((!f->keeps_sites && caller != s->routine) || !fold_is_first(f, caller, s->routine))
			continue;
		counter = fold_counter_of(f, s);
		lost |= s->site == AMON_SITE_SEVERAL || !counter;
		if (counter)
			recording_count_site(f->live, counter, s->routine == running, ticks);
	}
	recording_header(f->live)->notes[AMON_NOTE_SITES_BOUND] += lost ? ticks : 0;
}
