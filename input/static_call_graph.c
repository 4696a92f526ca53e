/* static_call_graph.c - from the symbols of a program's code to arcs of its graph. */
#include "input/static_call_graph.h"

#include <stdlib.h>

#include "input/names.h"

/* Where the arcs of one module go. */
struct visit {
	struct static_arcs *arcs;	/* where */
	const struct profile *profile;	/* whose */
	uint32_t module;		/* which */
	size_t room;			/* arcs that fit */
	bool failed;			/* out of memory */
};

static void add(void *arg, const struct symbol *from, const struct symbol *to)
{
	struct visit *v = arg;
	struct static_arcs *a = v->arcs;

	if (a->n == v->room) {
		size_t room = v->room ? 2 * v->room : 1024;
		struct graph_static_arc *more = reallocarray(a->arcs, room, sizeof *more);

		v->failed |= !more;
		if (!more)
			return;
		a->arcs = more;
		v->room = room;
	}
	a->arcs[a->n++] = (struct graph_static_arc){ names_of(v->profile, v->module, from), names_of(v->profile, v->module, to) };
}

bool static_arcs_make(struct static_arcs *a, const struct profile *p, struct symbols *s, struct error *err)
{
	struct visit v = { .arcs = a, .profile = p };

	*a = (struct static_arcs){ .all = true };
	for (uint32_t m = 0; m < p->nmodules; m++) {
		v.module = m;
		if (p->modules[m].hooked)
			a->all &= symbols_static_arcs(s, m, true, add, &v);
	}
	if (!v.failed)
		return true;
	static_arcs_free(a);
	return error_set(err, ERROR_MEMORY, ERROR_NO_OFFSET, "out of memory");
}

void static_arcs_free(struct static_arcs *a)
{
	free(a->arcs);
	*a = (struct static_arcs){ 0 };
}
