/* Where perf events are forbidden, as in containers, the program runs and is timed all the same, and the file says how.
 *
 * na(reads): there is no sampler
 * env: FAULT=298:13
 * need: jq
 * flags: -no-pie
 * expect: 1 0 main
 * expect: 1 0 main burn
 * after: "$APROF" info amon.out | grep -q 'time by sampler, program counters by timer'
 * after: test $("$APROF" info --json amon.out | jq '.threads[0].ticks > 0') = true */
#define _GNU_SOURCE
#include <time.h>
#include "../faults/inject.h"
#include "trap.h"

HOOKED void burn(void)
{
	struct timespec now;

	do
		clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	while (now.tv_nsec < 200000000 && now.tv_sec == 0);
}

int main(void)
{
	burn();
	return 0;
}
