/* gaps KIB SECONDS: what is taken from a program that does nothing but look at the clock, on a stack of so many KiB.

   Whatever interrupts it leaves a gap between two looks. Gaps of a microsecond to some hundreds are interrupts, samples among them; longer ones are other processes'
   turns, which are no cost of a sampler. Prints a line of JSON: the program's CPU time, s; the sum of these gaps, s, and how many there were. */
#include <alloca.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { SECOND = 1000000000, LEAST = 1000, MOST = 400000 };	/* ns */

static uint64_t now(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (uint64_t)t.tv_sec * SECOND + (uint64_t)t.tv_nsec;
}

/* Look for NS of CPU time, by the clock of looks alone where it can. */
static __attribute__((noinline)) void look(uint64_t ns, uint64_t *sum, uint64_t *count)
{
	uint64_t end = now(CLOCK_THREAD_CPUTIME_ID) + ns;

	while (now(CLOCK_THREAD_CPUTIME_ID) < end) {
		uint64_t before = now(CLOCK_MONOTONIC), after;

		for (int i = 0; i < 100000; i++, before = after) {
			after = now(CLOCK_MONOTONIC);
			if (after - before > LEAST && after - before < MOST) {
				*sum += after - before;
				++*count;
			}
		}
	}
}

int main(int argc, char **argv)
{
	uint64_t sum = 0, count = 0;
	size_t size = argc > 2 ? (size_t)atol(argv[1]) << 10 : 0;
	volatile char *room = alloca(size + 1);

	memset((char *)room, 1, size + 1);
	look((uint64_t)(atof(argv[argc - 1]) * SECOND), &sum, &count);
	return printf("{\"cpu\": %.6f, \"gaps\": %.9f, \"count\": %lu}\n", (double)now(CLOCK_PROCESS_CPUTIME_ID) / SECOND, (double)sum / SECOND, count) < 0;
}
