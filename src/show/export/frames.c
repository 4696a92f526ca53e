/* frames.c - routines, and the two frames that are none. */
#include "show/export/frames.h"

#include <stdlib.h>

#include "base/name.h"

/* Where the code of each routine is, by the first of the profile's routines that folded into it. */
static void places_fill(struct frames *f, const struct graph *g)
{
	for (uint32_t i = g->profile->nroutines; i-- > 0;) {
		const struct profile_routine *r = &g->profile->routines[i];
		struct frame *frame = &f->frames[g->routine_of[i]];

		frame->module_index = r->pseudo ? PROFILE_NONE : r->module;
		frame->address = frame->module_index == PROFILE_NONE ? 0 : r->address;
	}
}

bool frames_make(struct frames *f, const struct graph *g, struct error *err)
{
	f->n = g->nroutines + 2;
	f->frames = calloc((size_t)g->nroutines + 2, sizeof *f->frames);
	if (!f->frames)
		return error_no_memory(err, NULL);
	for (uint32_t i = 0; i < g->nroutines; i++) {
		const struct graph_name *name = &g->routines[i].name;

		f->frames[i] = (struct frame){ .name = !name->name ? "(unknown)" : name->linked && name_variant(name->name) ? name->linked : name->name, .file = name->file,
			.module = name->module, .line = name->line, .module_index = PROFILE_NONE };
	}
	f->frames[frames_folded(f)] = (struct frame){ .name = "(folded calls)", .module_index = PROFILE_NONE };
	f->frames[frames_outside(f)] = (struct frame){ .name = "(outside all routines)", .module_index = PROFILE_NONE };
	places_fill(f, g);
	return true;
}

void frames_free(struct frames *f)
{
	free(f->frames);
	*f = (struct frames){ 0 };
}

static void reverse(uint32_t *a, size_t n)
{
	for (size_t i = 0; i < n / 2; i++) {
		uint32_t x = a[i];

		a[i] = a[n - 1 - i];
		a[n - 1 - i] = x;
	}
}

size_t frames_stack(const struct frames *f, const struct tree *t, uint32_t node, uint32_t *out)
{
	size_t n = 0;

	if (node == 0)
		out[n++] = frames_outside(f);
	for (; node != 0; node = t->nodes[node].parent) {
		out[n++] = t->nodes[node].routine;
		if (t->nodes[node].gap)
			out[n++] = frames_folded(f);
	}
	reverse(out, n);
	return n;
}

size_t frames_most(const struct graph *g)
{
	return 2 * (size_t)g->longest + 1;
}
