/* entry.c - callers and callees, sorted. */
#include "understand/findings/entry.h"

#include <stdlib.h>
#include <string.h>

#include "base/emit.h"
#include "read/symbols/icf.h"

enum { SHOWN = 2, LONGEST_SHOWN = 90 };	/* names in a mark, and bytes of each */

bool entry_is_within_cycle(const struct graph *g, const struct graph_arc *arc)
{
	return arc->from != GRAPH_NONE && g->routines[arc->to].cycle
		&& g->routines[arc->from].cycle == g->routines[arc->to].cycle;
}

/* The first of NAMES, joined by '=', as it was written: malloc'ed; NULL: out of memory. *NAMES goes on to the next, NULL: there is none. */
static char *entry_name_take(const char **names)
{
	const char *end = strchr(*names, '=');
	char *name = icf_written(*names, end ? (size_t)(end - *names) : strlen(*names));

	*names = end ? end + 1 : NULL;
	return name;
}

/* " <folded with f, g and 2 more>" into BUFFER of SIZE bytes, if functions are folded with R. */
static void folded_mark(char *buffer, size_t size, const struct graph_routine *r, const struct text_style *style)
{
	const char *names = icf_names(r->name.aliases);
	size_t at = 0, more = 0;

	for (int n = 0; names && n < SHOWN; n++) {
		char *name = entry_name_take(&names), safe[LONGEST_SHOWN];

		at += snprintf(buffer + at, size - at, "%s%s", n ? names ? ", " : " and " : " <folded with ", print_safe(safe, sizeof safe, name, style));
		free(name);
	}
	for (; names; names = strchr(names, '=') ? strchr(names, '=') + 1 : NULL)
		more++;
	if (more)
		at += snprintf(buffer + at, size - at, " and %zu more", more);
	if (at)
		snprintf(buffer + at, size - at, ">");
}

int entry_marks(char buffer[ENTRY_MARKS], const struct graph_routine *r, const struct text_style *style)
{
	size_t n = snprintf(buffer, ENTRY_MARKS, "%s", r->partly ? " <part>" : "");

	folded_mark(buffer + n, ENTRY_MARKS - n, r, style);
	return (int)print_width(buffer, strlen(buffer));
}

#define LEGEND_PART " <part>      its beginning was inlined in some of its callers: calls that ended there are not counted.\n"
#define LEGEND_FOLDED " <folded>    several functions have this code, and one address: calls and time are those of all of them.\n"

const char *entry_marks_legend(const struct graph *g)
{
	static const char *const legends[2][2] = { { "", LEGEND_FOLDED }, { LEGEND_PART, LEGEND_PART LEGEND_FOLDED } };
	bool partly = false, folded = false;

	for (uint32_t i = 0; i < g->nroutines; i++) {
		partly |= g->routines[i].partly;
		folded |= icf_names(g->routines[i].name.aliases) != NULL;
	}
	return legends[partly][folded];
}

json_t *entry_folded_json(const struct graph_routine *r)
{
	const char *names = icf_names(r->name.aliases);
	json_t *list = names ? json_array() : NULL;

	while (names) {
		char *name = entry_name_take(&names);

		json_array_append_new(list, emit_name(name));
		free(name);
	}
	return list;
}

const char *entry_self_legend(const struct graph *g)
{
	bool own = !g->counted || g->profile->plain;

	return own ? "@time in the routine itself.\n" : "@time in the routine itself, and in code without hooks that it called.\n";
}

uint64_t entry_calls(const struct graph *g, const struct graph_routine *r)
{
	return r->cycle ? g->lumps[r->cycle - 1].calls : r->calls;
}

static int caller_compare(const void *left, const void *right, void *arg)
{
	const struct graph *g = arg;
	const struct graph_arc *a = &g->arcs[*(const uint32_t *)left], *b = &g->arcs[*(const uint32_t *)right];
	uint64_t s = a->self2 + a->child2, t = b->self2 + b->child2;

	if (s != t)
		return s < t ? -1 : 1;			/* dearest next to the entry's line */
	if (a->calls != b->calls)
		return a->calls < b->calls ? -1 : 1;
	return (a->from > b->from) - (a->from < b->from);
}

static int callee_compare(const void *left, const void *right, void *arg)
{
	const struct graph *g = arg;
	const struct graph_arc *a = &g->arcs[*(const uint32_t *)left], *b = &g->arcs[*(const uint32_t *)right];
	uint64_t s = a->self1 + a->child1, t = b->self1 + b->child1;

	if (s != t)
		return s > t ? -1 : 1;
	if (a->calls != b->calls)
		return a->calls > b->calls ? -1 : 1;
	return (a->to > b->to) - (a->to < b->to);
}

uint32_t entry_callers(const struct graph *g, const struct graph_routine *r, uint32_t *arcs)
{
	for (uint32_t i = 0; i < r->nin; i++)
		arcs[i] = g->in_arcs[r->first_in + i];
	qsort_r(arcs, r->nin, sizeof *arcs, caller_compare, (void *)(uintptr_t)g);
	return r->nin;
}

uint32_t entry_callees(const struct graph *g, const struct graph_routine *r, uint32_t *arcs)
{
	for (uint32_t i = 0; i < r->nout; i++)
		arcs[i] = r->first_out + i;
	qsort_r(arcs, r->nout, sizeof *arcs, callee_compare, (void *)(uintptr_t)g);
	return r->nout;
}

static int entry_by_caller(const void *left, const void *right)
{
	const struct graph_arc *a = left, *b = right;

	return (a->from > b->from) - (a->from < b->from);
}

static int entry_by_time(const void *left, const void *right)
{
	const struct graph_arc *a = left, *b = right;
	uint64_t s = a->self2 + a->child2, t = b->self2 + b->child2;

	return s != t ? (s > t) - (s < t) : entry_by_caller(left, right);
}

uint32_t entry_lump_callers(const struct graph *g, const struct graph_lump *lump, struct graph_arc *arcs)
{
	uint32_t n = 0, kept = 0;

	for (uint32_t i = 0; i < lump->size; i++) {
		const struct graph_routine *r = &g->routines[g->lump_members[lump->first + i]];

		for (uint32_t k = 0; k < r->nin; k++)
			if (!entry_is_within_cycle(g, &g->arcs[g->in_arcs[r->first_in + k]]))
				arcs[n++] = g->arcs[g->in_arcs[r->first_in + k]];
	}
	qsort(arcs, n, sizeof *arcs, entry_by_caller);
	for (uint32_t i = 0; i < n; i++)
		if (kept > 0 && arcs[kept - 1].from == arcs[i].from) {
			arcs[kept - 1].calls += arcs[i].calls;
			arcs[kept - 1].self2 += arcs[i].self2;
			arcs[kept - 1].child2 += arcs[i].child2;
		} else {
			arcs[kept++] = arcs[i];
		}
	qsort(arcs, kept, sizeof *arcs, entry_by_time);
	return kept;
}

bool entry_is_listed(const struct graph *g, uint32_t entry)
{
	const struct graph_lump *lump = entry < g->nroutines ? NULL : &g->lumps[entry - g->nroutines];

	if (!lump)
		return !g->routines[entry].off_graph;
	for (uint32_t i = 0; i < lump->size; i++)
		if (!g->routines[g->lump_members[lump->first + i]].off_graph)
			return true;
	return false;
}
