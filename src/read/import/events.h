/* events.h - the events that a perf recording has samples of: each is a value of the profile. */
#ifndef IMPORT_EVENTS_H
#define IMPORT_EVENTS_H

#include "read/import/format.h"

struct event {
	char *name;			/* as perf prints it; "": not known */
	uint64_t samples;		/* of it */
	bool periods;			/* they tell for how much they stand */
	uint32_t value;			/* of the builder; of those that have samples */
};

struct events {
	struct event *all;
	uint32_t n;
	size_t room;
	uint64_t *amounts;		/* of a sample, of each value: all 0 but while it is put */
};

/* The number of the event NAME, added if it is new.  BUILDER_NONE: out of memory. */
uint32_t events_find(struct events *e, const char *name);
void events_free(struct events *e);

/* Look at a sample of EVENT, which stands for PERIOD; 0: it does not say for how much. */
void events_add(struct events *e, uint32_t event, uint64_t period);

/* All samples were looked at: make the events that have any values of D; first the first whose periods are times; else the first of them.  False: out
 * of memory. */
bool events_show(struct events *e, struct builder *d);

/* Put S, a sample of EVENT that stands for PERIOD and was at PLACE, of no module where that is not known, into D; what S says of amounts, of their number and of lines is not
 * looked at. */
void events_put(struct events *e, struct builder *d, uint32_t event, uint64_t period, struct builder_place place, const struct builder_sample *s);

#endif
