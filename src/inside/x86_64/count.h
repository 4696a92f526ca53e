/* count.h - counts that signal handlers make too: each by one instruction, so that none is overwritten. */
#ifndef COUNT_H
#define COUNT_H

#include <stdbool.h>
#include <stdint.h>

/* Add one. */
static inline void counter_bump(uint64_t *count)
{
#if defined(__x86_64__)
	__asm__ volatile("incq %0" : "+m"(*count));
#else
	__atomic_fetch_add(count, 1, __ATOMIC_RELAXED);
#endif
}

/* Make *COUNT one more if it is FROM, by one instruction.  False: it is not, a signal handler was there before. */
static inline bool count_step(uint32_t *count, uint32_t from)
{
#if defined(__x86_64__)
	bool done;

	__asm__ volatile("cmpxchgl %3, %1" : "=@ccz"(done), "+m"(*count), "+a"(from) : "r"(from + 1) : "memory");
	return done;
#else
	return __atomic_compare_exchange_n(count, &from, from + 1, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
#endif
}

/* Add N in the same way. */
static inline void counter_add(uint64_t *count, uint64_t n)
{
#if defined(__x86_64__)
	__asm__ volatile("addq %1, %0" : "+m"(*count) : "r"(n));
#else
	__atomic_fetch_add(count, n, __ATOMIC_RELAXED);
#endif
}

#endif
