/* heap_samples.c - see heap_samples.h.
 *
 * What is left until the next sample is one number for all threads: who takes it to zero or below tells the sample, and adds the next distance.  Distances are exponentially
 * distributed, so that where one ends another begins anywhere.
 *
 * A sample takes some microseconds here and in the recorder, so the mean distance grows as there are more of them: a program that allocates little has enough to be told from,
 * and one that allocates much pays little for each. */
#include "inside/preload/heap_samples.h"

#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "contract/allocations.h"
#include "contract/ring.h"
#include "inside/preload/sample_ring.h"
#include "inside/sys.h"
#include "inside/text.h"

enum {
	RING_SIZE = 4 << 20,		/* bytes */
	FIRST_MEAN = 64 << 10,		/* bytes from one sample to the next, of the first EACH, */
	EACH = 1024,			/* and twice as many for each EACH more, */
	DOUBLINGS = 3,			/* so often */
	FRACTION = 16,			/* bits behind the point of logarithms */
};

static int64_t left;			/* bytes until the next sample */
static uint64_t mean = FIRST_MEAN;	/* by which that was drawn */
static uint32_t taken;			/* samples, also those that were not to be told */
static uint64_t lost, lost_bytes;	/* for how many allocations those stand that could not be told since the last one that was, and how many bytes */
static uint64_t chance;			/* where the row of random numbers is */
static volatile bool heap_on;

/* 32 random bits (splitmix64). */
static uint32_t heap_random(void)
{
	uint64_t x = __atomic_add_fetch(&chance, UINT64_C(0x9e3779b97f4a7c15), __ATOMIC_RELAXED);

	x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
	return (uint32_t)(x >> 32);
}

/* The logarithm of X, not 0, to the base 2, with FRACTION bits: each square tells one of them. */
static uint64_t logarithm(uint32_t x)
{
	uint64_t whole = 31 - (uint64_t)__builtin_clz(x), y = (uint64_t)x << (31 - whole), log = whole;

	for (int i = 0; i < FRACTION; i++) {	/* 2^31 <= y < 2^32 */
		y = y * y >> 31;
		log = log << 1 | y >> 32;
		y >>= y >> 32;
	}
	return log;
}

/* A distance, exponentially distributed with the mean MEAN. */
static int64_t distance(uint64_t of_mean)
{
	enum { LN2 = 45426 };			/* of 2^FRACTION */
	uint64_t x = heap_random();

	return (int64_t)((((uint64_t)32 << FRACTION) - logarithm((uint32_t)x | (x == 0))) * LN2 / (1 << FRACTION) * of_mean >> FRACTION) + 1;
}

bool heap_samples_begin(void)
{
	const char *directory = NULL;

	for (char **e = environ; *e && !directory; e++)
		directory = text_after(*e, HEAP_DIRECTORY "=");
	if (!directory || !sample_ring_begin(directory, RING_HEAP_NAME, RING_SIZE, NULL))
		return false;
	chance = sys_clock(CLOCK_MONOTONIC) ^ (uint64_t)sys0(getpid) << 32;
	left = distance(mean);
	heap_on = true;
	return true;
}

/* The registers of the calling function, by their DWARF numbers; those that a call may change mean nothing. */
#define REGISTERS_HERE(regs) \
	__asm__ volatile("movq %%rbx, 24(%0)\n\tmovq %%rbp, 48(%0)\n\tmovq %%rsp, 56(%0)\n\tmovq %%r12, 96(%0)\n\tmovq %%r13, 104(%0)\n\t" \
			 "movq %%r14, 112(%0)\n\tmovq %%r15, 120(%0)\n\tleaq 0(%%rip), %%rax\n\tmovq %%rax, 128(%0)" : : "r"(regs) : "rax", "memory")

/* A sample of SIZE bytes could not be told: the next one stands for it, too.  By a line in the place of the exponential function, a twentieth off at most. */
static void sample_lost(uint64_t size, uint64_t of_mean)
{
	uint64_t bytes = size < 2 * of_mean ? of_mean + size / 2 : size;

	__atomic_add_fetch(&lost, bytes / size, __ATOMIC_RELAXED);
	__atomic_add_fetch(&lost_bytes, bytes, __ATOMIC_RELAXED);
}

/* Tell of SIZE bytes, and draw when the next are.  BEHIND: they came so many after the sample was due. */
static __attribute__((noinline)) uint32_t heap_sample_take(uint64_t size, int64_t behind)
{
	uint32_t number = __atomic_add_fetch(&taken, 1, __ATOMIC_RELAXED), doublings = number / EACH;
	uint64_t next = (uint64_t)FIRST_MEAN << (doublings < DOUBLINGS ? doublings : DOUBLINGS), mask;
	struct ring_sample s = { .period = size, .mean = mean, .allocation = number, .lost = __atomic_exchange_n(&lost, 0, __ATOMIC_RELAXED),
				 .lost_bytes = __atomic_exchange_n(&lost_bytes, 0, __ATOMIC_RELAXED) };
	bool told;

	mean = next;
	__atomic_add_fetch(&left, distance(next) + behind, __ATOMIC_RELAXED);
	if (!heap_on)
		return 0;
	REGISTERS_HERE(s.regs);
	sys_block_signals(&mask);
	told = sample_ring_allocated(&s);
	sys_restore_signals(&mask);
	if (told)
		return number;
	__atomic_add_fetch(&lost, s.lost, __ATOMIC_RELAXED);
	__atomic_add_fetch(&lost_bytes, s.lost_bytes, __ATOMIC_RELAXED);
	sample_lost(size, s.mean);
	return 0;
}

uint32_t heap_sample(uint64_t size)
{
	int64_t now = __atomic_sub_fetch(&left, (int64_t)size, __ATOMIC_RELAXED);

	if (LIKELY(now > 0) || now + (int64_t)size <= 0)	/* another one takes it */
		return 0;
	return heap_sample_take(size, -now);
}

void heap_sample_freed(uint32_t number, bool untracked)
{
	uint64_t mask;

	if (!heap_on)
		return;
	sys_block_signals(&mask);
	sample_ring_freed(number, untracked);
	sys_restore_signals(&mask);
}

void heap_samples_end(void) { heap_on = false; }
