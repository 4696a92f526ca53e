/* tally.c - from arcs between addresses to arcs between routines.
 *
 * An arc is put before those that its caller, and its callee, have already: the lists run from the arc met last to the first, and times
 * are summed in that order.  A table finds the arc of a pair of routines. */
#include <stdlib.h>

#include "base/array.h"
#include "base/pair_table.h"
#include "understand/gprof/postprocess.h"

struct tally {
	struct gprof *g;
	struct gprof_arc_filter *filter; /* what options leave out */
	struct pair_table table; /* (from, to) -> index of the arc + 1 */
	size_t room;		/* for how many arcs there is room */
};

static bool tally_arc_add(struct tally *t, uint32_t from, uint32_t to, uint64_t calls)
{
	struct gprof *g = t->g;
	uint32_t *slot = pair_table_at(&t->table, from, to);

	if (!slot)
		return false;
	if (*slot) {
		g->arcs[*slot - 1].calls += calls;
		return true;
	}
	if (!array_grow(&g->arcs, &t->room, g->narcs, sizeof *g->arcs))
		return false;
	g->arcs[g->narcs] = (struct gprof_arc){ .from = from, .to = to, .calls = calls,
		.next_out = g->routines[from].first_out, .next_in = g->routines[to].first_in };
	g->routines[from].first_out = g->routines[to].first_in = g->narcs;
	*slot = ++g->narcs;
	return true;
}

/* An arc of the file: calls from outside of the known routines are nobody's, and a call goes to a function, though
 * with -l the address is that of a line. */
static bool arc_tally(struct tally *t, const struct gmon_arc *arc)
{
	struct gprof *g = t->g;
	uint32_t from = gprof_find(g, arc->from), to = gprof_find(g, arc->self);

	if (from == GPROF_NONE || to == GPROF_NONE)
		return true;
	while (!g->routines[to].symbol->function)
		if (to-- == 0)
			return true;
	if (!gprof_arc_filter_keeps(t->filter, from, to))
		return true;
	g->routines[to].calls += arc->count;
	return tally_arc_add(t, from, to, arc->count);
}

/* An arc of the text: between functions, by their first bytes; no name leaves it out. */
static bool found_tally(struct tally *t, const struct gmon_arc *arc)
{
	uint32_t from = gprof_find(t->g, arc->from), to = gprof_find(t->g, arc->self);

	return from == GPROF_NONE || to == GPROF_NONE || tally_arc_add(t, from, to, 0);
}

/* A basic block on its way to its routine. */
struct placed {
	struct gmon_block block;
	uint32_t routine;	/* that has its address */
	uint32_t order;		/* when its address was first met */
};

static int tally_by_address(const void *left, const void *right)
{
	const struct placed *a = left, *b = right;

	if (a->block.address != b->block.address)
		return a->block.address < b->block.address ? -1 : 1;
	return (a->order > b->order) - (a->order < b->order);
}

static int tally_by_routine(const void *left, const void *right)
{
	const struct placed *a = left, *b = right;

	if (a->routine != b->routine)
		return a->routine < b->routine ? -1 : 1;
	return (a->order > b->order) - (a->order < b->order);
}

/* Each address once, with the sum of its counts; returns how many. */
static size_t blocks_merge(struct placed *placed, size_t n)
{
	size_t kept = 0;

	qsort(placed, n, sizeof *placed, tally_by_address);
	for (size_t i = 0; i < n; i++)
		if (kept > 0 && placed[kept - 1].block.address == placed[i].block.address)
			placed[kept - 1].block.count += placed[i].block.count;
		else
			placed[kept++] = placed[i];
	qsort(placed, kept, sizeof *placed, tally_by_routine);
	return kept;
}

static bool blocks_tally(struct gprof *g)
{
	const struct gmon *m = g->gmon;
	struct placed *placed = calloc(m->nblocks + 1, sizeof *placed);
	size_t n = 0;

	g->blocks = calloc(m->nblocks + 1, sizeof *g->blocks);
	for (size_t i = 0; placed && i < m->nblocks; i++) {
		placed[n] = (struct placed){ m->blocks[i], gprof_find(g, m->blocks[i].address), (uint32_t)i };
		n += placed[n].routine != GPROF_NONE;
	}
	n = placed && g->blocks ? blocks_merge(placed, n) : 0;
	for (size_t i = n; i-- > 0;) {
		g->blocks[i] = placed[i].block;
		g->routines[placed[i].routine].first_block = (uint32_t)i;
		g->routines[placed[i].routine].nblocks++;
	}
	free(placed);
	return placed && g->blocks;
}

/* Direct recursion counts apart. */
static void self_calls_split(struct gprof *g)
{
	for (uint32_t i = 0; i < g->narcs; i++)
		if (g->arcs[i].from == g->arcs[i].to) {
			g->routines[g->arcs[i].to].calls -= g->arcs[i].calls;
			g->routines[g->arcs[i].to].self_calls = g->arcs[i].calls;
		}
}

bool gprof_tally(struct gprof *g, const struct gprof_options *options)
{
	struct tally t = { .g = g, .filter = gprof_arc_filter_new(g, options) };
	bool ok = t.filter != NULL;

	for (size_t i = 0; ok && i < g->gmon->narcs; i++)
		ok = arc_tally(&t, &g->gmon->arcs[i]);
	if (ok && options->lines)
		ok = blocks_tally(g);
	for (size_t i = 0; ok && i < options->nfound; i++)
		ok = found_tally(&t, &options->found[i]);
	if (ok)
		self_calls_split(g);
	gprof_arc_filter_free(t.filter);
	pair_table_free(&t.table);
	return ok;
}
