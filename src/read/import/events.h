/* events.h - the events that a perf recording has samples of: a profile is of one, and says of which. */
#ifndef IMPORT_EVENTS_H
#define IMPORT_EVENTS_H

#include "read/import/format.h"

struct event {
	char *name;			/* as perf prints it; "": not known */
	uint64_t samples;		/* of it */
	bool periods;			/* they tell for how much they stand */
};

struct events {
	struct event *all;
	uint32_t n;
	size_t room;
	uint32_t wanted;		/* the one that the profile is of */
};

/* The number of the event NAME, added if it is new.  BUILDER_NONE: out of memory. */
uint32_t events_find(struct events *e, const char *name);
void events_free(struct events *e);

/* Choose the one that the profile is of: the first whose periods are times; else the first. */
void events_choose(struct events *e);

/* Count a sample of EVENT, which stands for PERIOD; 0: it does not say for how much. */
void events_add(struct events *e, uint32_t event, uint64_t period);

/* Put into R's header and note what the times are, and what was left out. */
void events_tell(const struct events *e, struct reading *r);

#endif
