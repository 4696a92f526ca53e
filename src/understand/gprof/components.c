/* components.c - the strongly connected components, numbered so that callees come before their callers.
 *
 * A depth-first walk with a stack of its own (a call graph can be deeper than ours), after Gabow: the routines on the way that do not
 * yet belong to a cycle are its boundaries.  A call that goes back to the way joins everything above to the routine that it
 * goes to.  A cycle is a list of members, and lists are joined at their ends in the order of the way: the order in which
 * gprof knows its members. */
#include <stdlib.h>

#include "understand/gprof/postprocess.h"

struct visit {
	uint32_t routine;	/* on the way */
	uint32_t arc;		/* next one to follow; GPROF_NONE: all were */
};

struct walk {
	struct gprof *g;
	struct visit *way;	/* from the root of the walk to where it stands */
	uint32_t depth;		/* entries */
	uint32_t *boundaries;	/* places on the way that belong to no cycle, ascending */
	uint32_t nboundaries;	/* how many */
	uint32_t *place;	/* of each routine on the way, + 1; 0: not on it */
	uint32_t *head;		/* of each routine: union-find, the head of a list is its own */
	uint32_t *next;		/* member behind it in the list; GPROF_NONE: the last */
	uint32_t *tail;		/* of the list that it heads: the last member */
	bool *busy;		/* met, but its component is not numbered yet */
	uint32_t numbered;	/* components so far */
};

static void walk_end(struct walk *w)
{
	free(w->way);
	free(w->boundaries);
	free(w->place);
	free(w->head);
	free(w->next);
	free(w->tail);
	free(w->busy);
}

static bool walk_begin(struct walk *w)
{
	size_t n = (size_t)w->g->nroutines + 1;

	w->way = calloc(n, sizeof *w->way);
	w->boundaries = calloc(n, sizeof *w->boundaries);
	w->place = calloc(n, sizeof *w->place);
	w->head = calloc(n, sizeof *w->head);
	w->next = calloc(n, sizeof *w->next);
	w->tail = calloc(n, sizeof *w->tail);
	w->busy = calloc(n, sizeof *w->busy);
	if (!w->way || !w->boundaries || !w->place || !w->head || !w->next || !w->tail || !w->busy)
		return false;
	for (uint32_t i = 0; i < w->g->nroutines; i++) {
		w->head[i] = w->tail[i] = i;
		w->next[i] = GPROF_NONE;
	}
	return true;
}

static uint32_t components_head_of(struct walk *w, uint32_t r)
{
	while (w->head[r] != r)
		r = w->head[r] = w->head[w->head[r]];
	return r;
}

static void components_enter(struct walk *w, uint32_t r)
{
	w->way[w->depth] = (struct visit){ r, w->g->routines[r].first_out };
	w->boundaries[w->nboundaries++] = w->depth;
	w->place[r] = ++w->depth;
	w->busy[r] = true;
}

/* A call from the end of the way to R, whose component is still open. */
static void components_join(struct walk *w, uint32_t r)
{
	uint32_t back = (w->place[r] ? w->place[r] : w->place[components_head_of(w, r)]) - 1;
	uint32_t head = components_head_of(w, w->way[back].routine), first = w->nboundaries;

	while (first > 0 && w->boundaries[first - 1] > back)
		first--;
	for (uint32_t i = first; i < w->nboundaries; i++) {
		uint32_t member = w->way[w->boundaries[i]].routine;

		w->next[w->tail[head]] = member;
		w->tail[head] = w->tail[member];
		w->head[member] = head;
	}
	w->nboundaries = first;
}

/* All calls of the routine at the end of the way were followed. */
static void components_leave(struct walk *w)
{
	uint32_t r = w->way[--w->depth].routine;

	w->place[r] = 0;
	if (w->nboundaries == 0 || w->boundaries[w->nboundaries - 1] != w->depth)
		return;
	w->nboundaries--;
	w->numbered++;
	for (uint32_t m = r; m != GPROF_NONE; m = w->next[m]) {
		w->g->routines[m].topological = w->numbered;
		w->busy[m] = false;
	}
}

static void walk_from(struct walk *w, uint32_t root)
{
	const struct gprof *g = w->g;

	components_enter(w, root);
	while (w->depth > 0) {
		struct visit *top = &w->way[w->depth - 1];
		uint32_t to;

		if (top->arc == GPROF_NONE) {
			components_leave(w);
			continue;
		}
		to = g->arcs[top->arc].to;
		top->arc = g->arcs[top->arc].next_out;
		if (w->busy[to])
			components_join(w, to);
		else if (g->routines[to].topological == 0)
			components_enter(w, to);
	}
}

/* Calls of cycle C, from outside and within. */
static void cycle_count(struct gprof *g, uint32_t c)
{
	struct gprof_routine *whole = &g->routines[g->nroutines + c];

	for (uint32_t i = 0; i < g->cycles[c].size; i++) {
		uint32_t m = g->members[g->cycles[c].first + i];

		for (uint32_t a = g->routines[m].first_in; a != GPROF_NONE; a = g->arcs[a].next_in) {
			if (g->arcs[a].from == m)
				continue;
			*(g->routines[g->arcs[a].from].cycle == c + 1 ? &whole->self_calls : &whole->calls) += g->arcs[a].calls;
		}
	}
}

/* The cycle headed by routine R, number C + 1; its members begin at FIRST. */
static void cycle_make(struct walk *w, uint32_t c, uint32_t r, uint32_t first)
{
	struct gprof *g = w->g;

	g->cycles[c] = (struct gprof_cycle){ .first = first };
	g->routines[g->nroutines + c] = (struct gprof_routine){ .first_out = GPROF_NONE, .first_in = GPROF_NONE, .printed = true,
		.cycle = c + 1, .topological = g->routines[r].topological };
	for (uint32_t m = r; m != GPROF_NONE; m = w->next[m]) {
		g->members[first + g->cycles[c].size++] = m;
		g->routines[m].cycle = c + 1;
	}
	cycle_count(g, c);
}

static bool is_cycle(const struct walk *w, uint32_t r)
{
	return w->head[r] == r && w->next[r] != GPROF_NONE;
}

static bool cycles_make(struct walk *w)
{
	struct gprof *g = w->g;
	struct gprof_routine *routines;
	uint32_t n = 0, used = 0;

	for (uint32_t r = 0; r < g->nroutines; r++)
		n += is_cycle(w, r);
	routines = reallocarray(g->routines, (size_t)g->nroutines + n + 1, sizeof *routines);
	if (routines)
		g->routines = routines;
	g->cycles = calloc((size_t)n + 1, sizeof *g->cycles);
	g->members = calloc((size_t)g->nroutines + 1, sizeof *g->members);
	if (!routines || !g->cycles || !g->members)
		return false;
	for (uint32_t r = 0; r < g->nroutines; r++)
		if (is_cycle(w, r)) {
			cycle_make(w, g->ncycles, r, used);
			used += g->cycles[g->ncycles++].size;
		}
	return true;
}

bool gprof_order(struct gprof *g)
{
	struct walk w = { .g = g };
	bool ok = walk_begin(&w);

	for (uint32_t r = 0; ok && r < g->nroutines; r++)
		if (g->routines[r].topological == 0)
			walk_from(&w, r);
	ok = ok && cycles_make(&w);
	walk_end(&w);
	return ok;
}
