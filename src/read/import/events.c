/* events.c - the events of a perf recording as the values of a profile. */
#include "read/import/events.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

/* The name of the event NAME, malloc'ed.  Hybrid processors have one for each kind of their cores, `cpu_core/cycles/u` and `cpu_atom/cycles/u`: they are one, `cycles:u`. */
static char *event_name_make(const char *name)
{
	static const char *const cores[] = { "cpu_core/", "cpu_atom/", "cpu_lowpower/" };
	const char *end;
	char *made = NULL;

	for (size_t i = 0; i < sizeof cores / sizeof *cores; i++) {
		size_t n = strlen(cores[i]);

		if (strncmp(name, cores[i], n) == 0 && (end = strrchr(name + n, '/')) != NULL)
			return asprintf(&made, "%.*s%s%s", (int)(end - name - (long)n), name + n, end[1] ? ":" : "", end + 1) < 0 ? NULL : made;
	}
	return strdup(name);
}

uint32_t events_find(struct events *e, const char *given)
{
	char *name = event_name_make(given);

	for (uint32_t i = 0; name && i < e->n; i++)
		if (strcmp(e->all[i].name, name) == 0) {
			free(name);
			return i;
		}
	if (!name || !array_grow(&e->all, &e->room, e->n, sizeof *e->all)) {
		free(name);
		return BUILDER_NONE;
	}
	e->all[e->n] = (struct event){ .name = name };
	return e->n++;
}

void events_free(struct events *e)
{
	for (uint32_t i = 0; i < e->n; i++)
		free(e->all[i].name);
	free(e->all);
	free(e->amounts);
	*e = (struct events){ 0 };
}

/* Is NAME the event WORD, with modifiers or without? */
static bool event_is(const char *name, const char *word)
{
	size_t n = strlen(word);

	return strncmp(name, word, n) == 0 && (name[n] == '\0' || name[n] == ':' || name[n] == '/');
}

/* The kernel's clocks: their periods are nanoseconds. */
static bool is_clock(const char *name)
{
	return event_is(name, "cpu-clock") || event_is(name, "task-clock");
}

static const char *unit_of(const char *name)
{
	return is_clock(name) ? "ns" : event_is(name, "cycles") ? "cycles" : event_is(name, "instructions") ? "instructions" : "count";
}

void events_add(struct events *e, uint32_t event, uint64_t period)
{
	e->all[event].samples++;
	e->all[event].periods |= period > 0;
}

/* The one that is first: of those with samples the first whose periods are times; else the first. */
static uint32_t events_choose(const struct events *e)
{
	uint32_t chosen = BUILDER_NONE;

	for (uint32_t i = 0; i < e->n; i++)
		if (e->all[i].samples && (chosen == BUILDER_NONE || (!is_clock(e->all[chosen].name) && is_clock(e->all[i].name))))
			chosen = i;
	return chosen;
}

/* Samples of which nobody says for how much they stand are counted. */
static void event_show(struct event *w, struct builder *d, bool first)
{
	char name[80];

	if (w->periods)
		w->value = builder_value(d, first && is_clock(w->name) ? "cpu" : *w->name ? w->name : "period", unit_of(w->name), true);
	else {
		snprintf(name, sizeof name, first ? "samples" : "%.60s samples", w->name);
		w->value = builder_value(d, name, "count", true);
	}
}

bool events_show(struct events *e, struct builder *d)
{
	uint32_t chosen = events_choose(e);

	e->amounts = calloc(e->n + 1, sizeof *e->amounts);
	if (chosen == BUILDER_NONE)
		builder_value(d, "samples", "count", true);
	else
		event_show(&e->all[chosen], d, true);
	for (uint32_t i = 0; i < e->n; i++)
		if (i != chosen && e->all[i].samples)
			event_show(&e->all[i], d, false);
	return e->amounts != NULL;
}

void events_put(struct events *e, struct builder *d, uint32_t event, uint64_t period, struct builder_place place, const struct builder_sample *s)
{
	const struct event *w = &e->all[event];
	struct builder_sample sample = *s;
	struct builder_line line = { .place = place, .value = w->value, .weight = 1 };

	sample.amounts = e->amounts;
	sample.ticks = 1;
	sample.lines = &line;
	sample.nlines = 1;
	e->amounts[w->value] = w->periods && period ? period : 1;
	builder_add(d, &sample);
	e->amounts[w->value] = 0;
}
