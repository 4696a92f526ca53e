/* clock.h - what clock.c, sampler.c and pc.c know of each other. */
#ifndef CLOCK_H
#define CLOCK_H

#include "monitor/monitor.h"

/* The cycle counter. */
static inline uint64_t clock_cycles(void)
{
#if defined(__x86_64__)
	uint32_t low, high;

	__asm__ volatile("rdtsc" : "=a"(low), "=d"(high));
	return (uint64_t)high << 32 | low;
#else
	uint64_t now;

	__asm__ volatile("mrs %0, cntvct_el0" : "=r"(now));
	return now;
#endif
}

/* One moment by the cycle counter and by the monotonic clock. */
struct moment { uint64_t cycles, nsec; };

/* Now: the best of a few tries, so that whoever takes the processor between two readings does not count. */
struct moment clock_moment(void) HIDDEN;

/* A forked child's copy of the sampler's state may be anything: there is no sampler and no lock is taken. */
void sampler_forget(void) HIDDEN;

/* Start the sampler, for monitor.clock. False: the kernel refuses it the thread. */
bool sampler_start(void) HIDDEN;

/* Is it one of the threads of this process? */
bool sampler_is_there(void) HIDDEN;

/* No more samples; the last look at every thread. */
void sampler_stop(void) HIDDEN;

/* May the sampler look at T's thread-local words?  When this is back with false it does not and will
 * not.  Returns what was so before. */
bool sampler_watch(struct thread *t, bool watched) HIDDEN;

/* T is about to end, or has: the last of its time is in its accounts, and nobody looks at it any more. */
void sampler_end(struct thread *t) HIDDEN;

/* Has T the signal SIG blocked?  For the sampler's thread only. Where /proc does not tell: no. */
bool sampler_is_blocked(struct thread *t, int sig) HIDDEN;

/* pc.c, for the sampler's thread: choose the source of program counters and take SIGPROF, if both can be had;
 * then, after each round of looks, see to each thread's source. */
void pc_begin(bool own_descriptors) HIDDEN;
void pc_round(void) HIDDEN;

/* The sampler is gone, and its descriptors with it. */
void pc_forget(void) HIDDEN;

/* Bring user and system time up to date; IS_SAMPLER: the caller is the sampler, whose own are no part of them. */
void clock_modes(bool is_sampler) HIDDEN;

/* From now on they count anew. */
void clock_modes_begin(void) HIDDEN;

/* Clock tsc: charge T, which may run meanwhile and is watched, what it has spent since its last change of context. */
void clock_settle_tsc(struct thread *t) HIDDEN;

/* T's CPU clock stands at CPU, ns: what it spent since the last look is in the accounts, unplaced. */
void clock_advance(struct thread *t, uint64_t cpu) HIDDEN;

#endif
