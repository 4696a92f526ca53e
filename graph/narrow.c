/* narrow.c - what gprof's options -e -E -f -F -k -n -N -p -P -q -Q name, on the graph of contexts.
 *
 * A routine is `closed` if its time is not passed to its callers (-E, -N, and -F, -n, which count nothing else): contexts give theirs to
 * the entries from the last closed one on.  Arcs that -k or -q name are not counted, and pass no time either.  What is hidden from
 * a listing changes nothing else. */
#include <stdlib.h>
#include <string.h>

#include "graph/build.h"
#include "graph/pick.h"

/* Which tables a routine is in, as bits 1 << table; malloc'ed. */
static uint16_t *tables_make(const struct graph *g, uint32_t *n)
{
	uint16_t *in = calloc((size_t)g->nroutines + 1, sizeof *in);

	for (size_t i = 0; in && i < g->options.nspecs; i++) {
		const struct gprof_spec *spec = &g->options.specs[i];
		struct pick pick = pick_parse(spec->text, strcspn(spec->text, "/"));

		for (uint32_t r = 0; r < g->nroutines; r++) {
			const struct graph_name *name = &g->routines[r].name;

			if (in[r] & 1u << spec->table || !pick_fits(&pick, name->name, name->file, name->line))
				continue;
			in[r] |= (uint16_t)(1u << spec->table);
			n[spec->table]++;
		}
	}
	return in;
}

/* In the view of the tables INCLUDE and INCLUDE + 1. */
static bool is_wanted(uint16_t in, const uint32_t *n, enum gprof_table include)
{
	return in & 1u << include || (n[include] == 0 && !(in & 1u << (include + 1)));
}

bool narrow_routines(struct graph *g, struct error *err)
{
	uint32_t n[GPROF_TABLES] = { 0 };
	uint16_t *in;

	if (g->options.nspecs == 0)
		return true;
	in = tables_make(g, n);
	if (!in)
		return build_no_memory(err);
	for (uint32_t r = 0; r < g->nroutines; r++) {
		g->routines[r].off_flat = !is_wanted(in[r], n, GPROF_INCLUDE_FLAT);
		g->routines[r].off_graph = !is_wanted(in[r], n, GPROF_INCLUDE_GRAPH);
		g->routines[r].shut_graph = in[r] & 1u << GPROF_EXCLUDE_GRAPH && !(in[r] & 1u << GPROF_INCLUDE_GRAPH);
		g->routines[r].closed = in[r] & (1u << GPROF_INCLUDE_TIME | 1u << GPROF_EXCLUDE_TIME);
		g->routines[r].only_time = n[GPROF_INCLUDE_TIME] && in[r] & 1u << GPROF_INCLUDE_TIME;
	}
	g->only_time = n[GPROF_INCLUDE_TIME] > 0;
	free(in);
	return true;
}

static bool fits(const struct graph *g, uint32_t r, const char *text, size_t length)
{
	struct pick pick = pick_parse(text, length);

	return pick_fits(&pick, g->routines[r].name.name, g->routines[r].name.file, g->routines[r].name.line);
}

/* Does the part of a name from TEXT to its end or a slash mean any routine? */
static bool means_any(const struct graph *g, const char *text)
{
	size_t length = strcspn(text, "/");
	bool any = length == 0;

	for (uint32_t r = 0; r < g->nroutines && !any; r++)
		any = fits(g, r, text, length);
	return any;
}

const char *graph_name_unknown(const struct graph *g, size_t from, size_t *next)
{
	for (size_t i = from; i < g->options.nspecs; i++) {
		const char *text = g->options.specs[i].text, *slash = strchr(text, '/');

		if (i > 0 && g->options.specs[i - 1].text == text)
			continue;			/* the same word, for another table */
		*next = i + 1;
		if (!means_any(g, text) || (slash && !means_any(g, slash + 1)))
			return text;
	}
	return NULL;
}

bool narrow_keeps(const struct graph *g, uint32_t from, uint32_t to)
{
	bool only = false, included = false, excluded = false;

	if (from == GRAPH_NONE)
		return true;
	for (size_t i = 0; i < g->options.nspecs; i++) {
		const struct gprof_spec *spec = &g->options.specs[i];
		const char *slash = strchr(spec->text, '/');

		if (!slash || (spec->table != GPROF_INCLUDE_ARCS && spec->table != GPROF_EXCLUDE_ARCS))
			continue;
		only |= spec->table == GPROF_INCLUDE_ARCS;
		*(spec->table == GPROF_INCLUDE_ARCS ? &included : &excluded) |=
			fits(g, from, spec->text, (size_t)(slash - spec->text)) && fits(g, to, slash + 1, strlen(slash + 1));
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
