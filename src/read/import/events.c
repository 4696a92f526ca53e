/* events.c - which event of a perf recording a profile is of. */
#include "read/import/events.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

uint32_t events_find(struct events *e, const char *name)
{
	char *copy;

	for (uint32_t i = 0; i < e->n; i++)
		if (strcmp(e->all[i].name, name) == 0)
			return i;
	if (!array_grow(&e->all, &e->room, e->n, sizeof *e->all) || !(copy = strdup(name)))
		return BUILDER_NONE;
	e->all[e->n] = (struct event){ .name = copy };
	return e->n++;
}

void events_free(struct events *e)
{
	for (uint32_t i = 0; i < e->n; i++)
		free(e->all[i].name);
	free(e->all);
	*e = (struct events){ 0 };
}

/* The kernel's clocks: their periods are nanoseconds. */
static bool is_clock(const char *name)
{
	static const char *const clocks[] = { "cpu-clock", "task-clock" };

	for (size_t i = 0; i < sizeof clocks / sizeof *clocks; i++) {
		size_t n = strlen(clocks[i]);

		if (strncmp(name, clocks[i], n) == 0 && (name[n] == '\0' || name[n] == ':' || name[n] == '/'))
			return true;
	}
	return false;
}

void events_choose(struct events *e)
{
	e->wanted = 0;
	for (uint32_t i = e->n; i-- > 0;)
		if (is_clock(e->all[i].name))
			e->wanted = i;
}

void events_add(struct events *e, uint32_t event, uint64_t period)
{
	e->all[event].samples++;
	e->all[event].periods |= period > 0;
}

void events_tell(const struct events *e, struct reading *r)
{
	const struct event *w = e->n ? &e->all[e->wanted] : NULL;
	char *unit = builder_header(r->builder)->unit;
	size_t size = sizeof builder_header(r->builder)->unit, at = 0;
	char others[300] = "";

	if (!w)
		return;
	snprintf(unit, size, "%s%.60s%s", w->name[0] ? "event " : "", w->name[0] ? w->name : "samples", !w->periods ? "; a sample is shown as 1 ms" :
		 is_clock(w->name) ? ": CPU time" : "; one is shown as 1 ns");
	for (uint32_t i = 0; i < e->n && at < sizeof others; i++)
		if (i != e->wanted && e->all[i].samples)
			at += (size_t)snprintf(others + at, sizeof others - at, "%s%" PRIu64 " samples of %.60s", at ? ", " : "", e->all[i].samples, e->all[i].name);
	if (at)
		reading_note(r, "note: %.100s: this is of one event; not of: %s", r->label, others);
}
