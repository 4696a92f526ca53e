/* focus.c - accumulate only the contexts in which one of the named routines is active (Spivey 2004, "Presenting
 * the results"), so that the profile is that of these routines and their descendants. */
#include <stdlib.h>
#include <string.h>

#include "understand/graph/build.h"

/* Whether a named routine is active in C; IN are the answers for the contexts before it. */
static bool in_focus(const struct graph *g, const struct graph_context *c, const bool *named, const bool *in)
{
	if (c->parent != GRAPH_NONE)
		return in[c->parent] || named[c->routine];
	for (uint32_t i = 0; i < c->length; i++) {
		history_entry e = g->spelled[c->spelled + i];

		if (history_is_marked(e) && named[history_routine(e)])
			return true;
	}
	return false;
}

/* Whether R is a routine of MODULE, NULL: none. */
static bool is_of(const struct graph_routine *r, const char *module)
{
	return module && r->name.module && strcmp(r->name.module, module) == 0;
}

static void focus_keep(struct graph *g, const bool *named, bool *in)
{
	for (uint32_t i = 0; i < g->ncontexts; i++) {
		struct graph_context *c = g->contexts + i;

		in[i] = in_focus(g, c, named, in);
		if (in[i])
			continue;
		c->kept = false;
		c->above = c->entries;
		c->entries = c->pieces = c->recursive = c->time = c->ticks = c->bytes = 0;
		c->evidence = (struct overhead_evidence){ 0, 0 };
	}
}

bool focus_apply(struct graph *g, struct error *err)
{
	bool *named, *in, done;

	if (g->options.nfocus == 0 && !g->options.module && !g->only_time)
		return true;
	named = calloc((size_t)g->nroutines + 1, sizeof *named);
	in = calloc(g->ncontexts, sizeof *in);
	done = (named && in) || build_no_memory(err);
	for (uint32_t r = 0; done && r < g->nroutines; r++)
		named[r] = g->routines[r].only_time || is_of(&g->routines[r], g->options.module);
	for (size_t i = 0; done && i < g->options.nfocus; i++)
		done = graph_match(g, "focus", g->options.focus[i], true, named, err);
	if (done) {
		focus_keep(g, named, in);
		charge_hooks(g);
	}
	free(named);
	free(in);
	return done;
}
