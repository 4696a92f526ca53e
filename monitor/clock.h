/* clock.h - what time is charged by. */
#ifndef CLOCK_H
#define CLOCK_H

#include <stdbool.h>
#include <stdint.h>

#include "monitor/context.h"
#include "monitor/monitor.h"

struct thread;

void clock_charge_tsc(struct thread *t, context_id c) HIDDEN; /* charge the calling thread's cycles up to now to its context C */
void clock_charge_tsc_monitor(struct thread *t) HIDDEN; /* and to the monitor: at the end of the slow path */

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

/* Bring user and system time up to date; IS_SAMPLER: the caller is the sampler, whose own are no part of them. */
void clock_modes(bool is_sampler) HIDDEN;

/* The sampler has used nothing yet. */
void clock_modes_forget(void) HIDDEN;

/* From now on they count anew. */
void clock_modes_begin(void) HIDDEN;

/* Clock tsc: charge T, which may run meanwhile and is watched, what it has spent since its last change of context. */
void clock_settle_tsc(struct thread *t) HIDDEN;

/* T's CPU clock stands at CPU, ns: what it spent since the last look is in the accounts, unplaced. */
void clock_advance(struct thread *t, uint64_t cpu) HIDDEN;

#endif
