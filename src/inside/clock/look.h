/* look.h - looks at the program's threads. */
#ifndef LOOK_H
#define LOOK_H

#include <stdbool.h>
#include <stdint.h>

#include "inside/monitor.h"

struct thread;

/* ---- for the sampler ---- */

/* When a round of looks is. */
struct look_time {
	uint64_t now;			/* CLOCK_MONOTONIC, ns */
	uint64_t took;			/* CPU time of the sampler's own, from one round to the next, ns */
};

/* What came of it. */
struct looked {
	uint64_t worked;		/* CPU time of all threads since the last round, ns */
	uint32_t met;			/* threads that were found at work, */
	uint32_t misses;		/* and that had worked, but did not then; */
	struct thread *missed;		/* the last of these */
};

struct looked look_round(const struct look_time *when) HIDDEN; /* look at every thread */
void look_reset(void) HIDDEN;			/* zero the counters, with nobody between a look and its charge */

/* ---- for those who begin and end ---- */

/* A forked child's copy of the state may be anything: there is no sampler and no lock is taken. */
void look_forget(void) HIDDEN;

void look_stop(void) HIDDEN;			/* no more looks, */
void look_resume(void) HIDDEN;			/* until this */
bool look_is_stopped(void) HIDDEN;
void look_last(void) HIDDEN;			/* no more of the sampler's; the last look at every thread */

void look_hold(void) HIDDEN;			/* all time up to now is accounted for, and no more until look_release */
void look_release(void) HIDDEN;

/* May the sampler look at T's thread-local words?  When this is back with false it does not and will
 * not.  Returns what was so before. */
bool look_watch(struct thread *t, bool watched) HIDDEN;

/* T is about to end, or has: the last of its time is in its accounts, and nobody looks at it any more. */
void look_end(struct thread *t) HIDDEN;

#endif
