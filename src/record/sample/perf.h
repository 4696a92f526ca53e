/* perf.h - samples and changes of processes, as the kernel's perf events give them: perf_event_open(2).
 *
 * The clock is the kernel's cpu-clock, CPU time of each thread: it is on every machine, and a period of it is a time.  A ring for each processor;
 * records come out of all of them in the order of their times. */
#ifndef SAMPLE_PERF_H
#define SAMPLE_PERF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"
#include "record/sample/perf_events.h"
#include "record/sample/source.h"

struct perf_wishes {
	unsigned rate;			/* samples a second of CPU time */
	bool on_exec;			/* from the time that the threads become another program */
	bool frames;			/* the kernel's own, too, where its part of the time is seen */
	bool all;			/* whatever runs on this machine: TIDS is -1 alone */
	const struct event *events;	/* sampled, too, as often as RATE a second of each, whatever happens then; must outlive it */
	size_t nevents;			/* how many */
	bool wall;			/* tell when threads wait, and where: of that the kernel's part is needed */
};

/* Begin to sample the thread TIDS[0..N-1] and all that they start from now on.  NULL with *ERR set: that is not allowed here, or
 * not to be had; the text says what to do. */
struct source *perf_open(const pid_t *tids, size_t n, const struct perf_wishes *wishes, struct error *err);

/* May this user sample his own threads so, at all?  KERNEL: their part in the kernel, too. */
bool perf_is_permitted(bool kernel);

#endif
