/* narrow.c - what gprof's options -e -E -f -F -k -n -N -p -P -q -Q name, on the graph of contexts.
 *
 * A routine is `closed` if its time is not passed to its callers (-E, -N, and -F, -n, which count nothing else): contexts give theirs to
 * the entries from the last closed one on.  Arcs that -k or -q name are not counted, and pass no time either.  What is hidden from
 * a listing changes nothing else. */
#include <stdlib.h>
#include <string.h>

#include "understand/graph/build.h"

/* The routines that spec I of the options names: those before a slash, or with SECOND those behind it. */
static bool *spec_named(const struct graph *g, size_t i, bool second)
{
	return g->spec_named + (2 * i + second) * g->nroutines;
}

/* Set NAMED for the LENGTH bytes at TEXT; none of them mean every routine. */
static bool narrow_end_find(const struct graph *g, const char *text, size_t length, bool *named, struct error *err)
{
	char *word = calloc(length + 1, 1);
	bool ok;

	if (!word)
		return build_no_memory(err);
	memcpy(word, text, length);
	ok = length == 0 || graph_match(g, NULL, word, false, named, err);
	if (length == 0)
		memset(named, true, g->nroutines);
	free(word);
	return ok;
}

/* Fill g->spec_named. */
static bool specs_find(struct graph *g, struct error *err)
{
	bool ok;

	g->spec_named = calloc(2 * g->options.nspecs + 1, (size_t)g->nroutines + 1);
	ok = g->spec_named || build_no_memory(err);
	for (size_t i = 0; ok && i < g->options.nspecs; i++) {
		const char *text = g->options.specs[i].text, *slash = strchrnul(text, '/');

		ok = narrow_end_find(g, text, (size_t)(slash - text), spec_named(g, i, false), err)
			&& (!*slash || narrow_end_find(g, slash + 1, strlen(slash + 1), spec_named(g, i, true), err));
	}
	return ok;
}

/* Which tables a routine is in, as bits 1 << table; malloc'ed. */
static uint16_t *tables_make(const struct graph *g, uint32_t *n)
{
	uint16_t *in = calloc((size_t)g->nroutines + 1, sizeof *in);

	for (size_t i = 0; in && i < g->options.nspecs; i++) {
		enum gprof_table table = g->options.specs[i].table;

		for (uint32_t r = 0; r < g->nroutines; r++) {
			if (in[r] & 1u << table || !spec_named(g, i, false)[r])
				continue;
			in[r] |= (uint16_t)(1u << table);
			n[table]++;
		}
	}
	return in;
}

/* In the view of the tables INCLUDE and INCLUDE + 1. */
static bool narrow_is_wanted(uint16_t in, const uint32_t *n, enum gprof_table include)
{
	return in & 1u << include || (n[include] == 0 && !(in & 1u << (include + 1)));
}

bool narrow_routines(struct graph *g, struct error *err)
{
	uint32_t n[GPROF_TABLES] = { 0 };
	uint16_t *in;

	if (g->options.nspecs == 0)
		return true;
	if (!specs_find(g, err))
		return false;
	in = tables_make(g, n);
	if (!in)
		return build_no_memory(err);
	for (uint32_t r = 0; r < g->nroutines; r++) {
		g->routines[r].off_flat = !narrow_is_wanted(in[r], n, GPROF_INCLUDE_FLAT);
		g->routines[r].off_graph = !narrow_is_wanted(in[r], n, GPROF_INCLUDE_GRAPH);
		g->routines[r].shut_graph = in[r] & 1u << GPROF_EXCLUDE_GRAPH && !(in[r] & 1u << GPROF_INCLUDE_GRAPH);
		g->routines[r].closed = in[r] & (1u << GPROF_INCLUDE_TIME | 1u << GPROF_EXCLUDE_TIME);
		g->routines[r].only_time = n[GPROF_INCLUDE_TIME] && in[r] & 1u << GPROF_INCLUDE_TIME;
	}
	g->only_time = n[GPROF_INCLUDE_TIME] > 0;
	free(in);
	return true;
}

bool narrow_keeps(const struct graph *g, uint32_t from, uint32_t to)
{
	bool only = false, included = false, excluded = false;

	if (from == GRAPH_NONE)
		return true;
	for (size_t i = 0; i < g->options.nspecs; i++) {
		const struct gprof_spec *spec = &g->options.specs[i];

		if (!strchr(spec->text, '/') || (spec->table != GPROF_INCLUDE_ARCS && spec->table != GPROF_EXCLUDE_ARCS))
			continue;
		only |= spec->table == GPROF_INCLUDE_ARCS;
		*(spec->table == GPROF_INCLUDE_ARCS ? &included : &excluded) |=
			spec_named(g, i, false)[from] && spec_named(g, i, true)[to];
	}
	return only ? included : !excluded;
}

bool narrow_passes(const struct graph *g, uint32_t from, uint32_t to)
{
	return !g->routines[to].closed && narrow_keeps(g, from, to);
}

/* What an entry of the call graph shows, its callees' entries show, too, unless they are shut. */
bool narrow_entries(struct graph *g, struct error *err)
{
	uint32_t *queue, n = 0;

	if (g->options.nspecs == 0)
		return true;
	queue = calloc((size_t)g->nroutines + 1, sizeof *queue);
	if (!queue)
		return build_no_memory(err);
	for (uint32_t r = 0; r < g->nroutines; r++)
		if (!g->routines[r].off_graph)
			queue[n++] = r;
	for (uint32_t i = 0; i < n; i++) {
		const struct graph_routine *r = &g->routines[queue[i]];

		for (uint32_t a = r->first_out; a < r->first_out + r->nout; a++) {
			struct graph_routine *to = &g->routines[g->arcs[a].to];

			if (!to->off_graph || to->shut_graph)
				continue;
			to->off_graph = false;
			queue[n++] = g->arcs[a].to;
		}
	}
	free(queue);
	return true;
}
