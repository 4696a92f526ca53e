/* perf_events.h - what perf events count, beside time: by the names that perf has for them. */
#ifndef SAMPLE_PERF_EVENTS_H
#define SAMPLE_PERF_EVENTS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

/* One of them. */
struct event {
	const char *name;		/* as it was asked for; the caller's */
	const char *unit;		/* "count", "cycles", "instructions"; static */
	uint32_t type;			/* as perf_event_open(2) has them */
	uint64_t config;
	bool of_kernel;			/* it happens in the kernel alone, so that who may not see that sees none */
};

/* The event called NAME.  False with *ERR set: there is none. */
bool event_find(const char *name, struct event *e, struct error *err);

/* May threads of this user be sampled by E here, in the kernel, too, if KERNEL?  False with *ERR set: why not. */
bool event_is_possible(const struct event *e, bool kernel, struct error *err);

#endif
