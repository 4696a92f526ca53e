/* given_arcs.c - arcs that a file has instead of contexts (AMON_WAY_ARCS): calls and times between two routines. */
#include "read/profile/reader.h"
#include "read/profile/values.h"

#include <string.h>

/* The routine ID of the file, NONE if that is allowed; false with the error set. */
static bool given_arcs_end_find(struct reader *r, uint32_t id, uint64_t at, uint32_t *routine)
{
	*routine = id == AMON_NONE ? PROFILE_NONE : reader_routine(r, id, at);
	return *routine != PROFILE_NONE || id == AMON_NONE;
}

static bool given_arcs_add_arc(struct reader *r, const struct amon_arc *item, uint64_t at)
{
	struct profile *p = r->p;
	struct profile_arc arc = { .calls = item->calls, .time = r->chosen ? 0 : reader_nsec(r, item->time) };

	if (item->to == AMON_NONE)
		return reader_corrupt(r, at, "an arc to no routine");
	if (!given_arcs_end_find(r, item->from, at, &arc.from) || !given_arcs_end_find(r, item->to, at, &arc.to))
		return false;
	if (!array_reserve(&p->arcs, &p->private->arcs, p->narcs + 1, sizeof *p->arcs))
		return reader_no_memory(r);
	p->arcs[p->narcs++] = arc;
	add_capped(&r->run.calls, arc.calls);
	return true;
}

bool read_arcs(struct reader *r)
{
	bool wanted = r->run.header.way >> AMON_WAY_ARCS & 1;
	size_t first = r->p->narcs;
	const struct chunk *c;

	for (size_t i = 0; wanted && (c = reader_next(r, AMON_ARCS, &i)) != NULL;)
		for (uint32_t k = 0; k < c->items; k++) {
			uint64_t at = c->at + c->head.first + (uint64_t)k * sizeof(struct amon_arc);
			struct amon_arc item;

			memcpy(&item, r->data + at, sizeof item);
			if (!given_arcs_add_arc(r, &item, at))
				return false;
		}
	return values_take_arcs(r, first);
}
