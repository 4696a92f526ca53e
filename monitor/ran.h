/* ran.h - when the program's threads had a processor, as the kernel tells it, for the sampler's thread only.
 *
 * Where perf events are permitted, each thread has one that counts nothing (PERF_COUNT_SW_DUMMY) and has the kernel write to a small ring, with
 * its time, whenever the thread gets a processor or leaves one (PERF_RECORD_SWITCH of perf_event_open(2)).  The ring is read at each look.  The thread
 * itself does nothing for it; it takes the kernel 0.25 us more to give a processor, and to take it. */
#ifndef RAN_H
#define RAN_H

#include <stdbool.h>
#include <stdint.h>

#include "monitor/monitor.h"

struct thread;

/* Of one thread, in struct thread.  All zero: there is no ring. */
struct ran_ring {
	void *pages;			/* mapped: a page of the kernel's, then the records; NULL: none */
	int tid;			/* whose they are, or were refused for; 0: nobody has asked */
};

/* What a thread did since a moment. */
struct ran {
	bool known;			/* the rest is told */
	bool had;			/* it had a processor at that moment, */
	bool has;			/* and has one now; */
	bool preempted;			/* else, it was taken from it */
	uint32_t left;			/* times that it left one since that moment */
	bool slept;			/* it was asleep at that moment, or later: gave one up by itself */
	uint32_t cpu;			/* which it had last */
	uint64_t nsec;			/* how long it had one since that moment, ns */
};

/* Of a thread of the program, before there is a sampler: reserve room for 64 rings, where they may be wanted. */
void ran_reserve(void) HIDDEN;

/* Choose whether to ask: perf events must be wanted, and descriptors be our OWN. */
void ran_begin(bool own_descriptors) HIDDEN;

/* A forked child has none of the rings, and what was theirs may be anybody's. */
void ran_forget(void) HIDDEN;

/* The processor that the sampler has; UINT32_MAX: not known. */
uint32_t ran_cpu(void) HIDDEN;

/* What T did since the moment SINCE (CLOCK_MONOTONIC, ns).  Nothing is known of a thread that has worked for less than a sample of the clock stands for and
 * is not the first, of one that was in one state since its ring was made, and of what the ring has no room for, 170 changes. */
struct ran ran_since(struct thread *t, uint64_t since) HIDDEN;

void ran_close(struct thread *t) HIDDEN;	/* nobody asks for T any more */

#endif
