/* cycles.h - the cycle counter, and what clock tsc charges by it. */
#ifndef CYCLES_H
#define CYCLES_H

#include <stdint.h>

#include "inside/machine/context.h"
#include "inside/monitor.h"

struct thread;

/* The cycle counter. */
static inline uint64_t cycles_now(void)
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
struct moment cycles_moment(void) HIDDEN;

void cycles_charge(struct thread *t, context_id c) HIDDEN; /* charge the calling thread's cycles up to now to its context C */
void cycles_charge_monitor(struct thread *t) HIDDEN; /* and to the monitor: at the end of the slow path */

/* Charge T, which may run meanwhile and is watched, what it has spent since its last change of context. */
void cycles_settle(struct thread *t) HIDDEN;

#endif
