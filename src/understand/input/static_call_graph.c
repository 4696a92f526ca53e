/* static_call_graph.c - from the symbols of a program's code to arcs of its graph. */
#include "understand/input/static_call_graph.h"

#include <stdlib.h>

#include "base/array.h"
#include "understand/input/names.h"

/* Where the arcs and the routines of one module go. */
struct visit {
	struct static_arcs *arcs;	/* where */
	const struct profile *profile;	/* whose */
	uint32_t module;		/* which */
	size_t room;			/* arcs that fit */
	size_t routines_room;		/* routines that fit */
	bool failed;			/* out of memory */
};

static void static_call_graph_add(void *arg, const struct symbol *from, const struct symbol *to)
{
	struct visit *v = arg;
	struct static_arcs *a = v->arcs;

	if (!array_reserve(&a->arcs, &v->room, a->n + 1, sizeof *a->arcs))
		v->failed = true;
	else
		a->arcs[a->n++] = (struct graph_static_arc){ names_of(v->profile, v->module, from), names_of(v->profile, v->module, to) };
}

/* A piece is no routine of its own. */
static void static_call_graph_add_routine(void *arg, const struct symbol *symbol)
{
	struct visit *v = arg;
	struct static_arcs *a = v->arcs;

	if (symbol->part)
		return;
	if (!array_reserve(&a->routines, &v->routines_room, a->nroutines + 1, sizeof *a->routines))
		v->failed = true;
	else
		a->routines[a->nroutines++] = names_of(v->profile, v->module, symbol);
}

bool static_arcs_make(struct static_arcs *a, const struct profile *p, struct symbols *s, bool routines, struct error *err)
{
	struct visit v = { .arcs = a, .profile = p };

	*a = (struct static_arcs){ .all = true };
	for (uint32_t m = 0; m < p->nmodules; m++) {
		v.module = m;
		if (p->modules[m].hooked)
			a->all &= symbols_static_arcs(s, m, true, static_call_graph_add, &v);
		if (p->modules[m].hooked && routines)
			symbols_hooked(s, m, profile_used_way(p, AMON_WAY_MCOUNT), static_call_graph_add_routine, &v);
	}
	if (!v.failed)
		return true;
	static_arcs_free(a);
	return error_no_memory(err, NULL);
}

void static_arcs_free(struct static_arcs *a)
{
	free(a->arcs);
	free(a->routines);
	*a = (struct static_arcs){ 0 };
}
