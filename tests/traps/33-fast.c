/* The highest rate, with stacks held against contexts: a processor that is interrupted again before it is done with the last interrupt does
 * nothing else, so a tenth of a millisecond lies between two at least.
 *
 * na(reads): there is no sampler
 * env: APROF_RATE=10000 APROF_VERIFY=1
 * expect: 1 0 main
 * expect: 1 0 main burn
 * after: "$APROF" info amon.out | tr -s ' \n' ' ' | grep -qE 'by (timer|perf), one in ([1-9][0-9]*[.]|0[.][1-9])' */
#include <time.h>
#include "trap.h"

HOOKED void burn(void)
{
	struct timespec now;

	do
		clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	while (now.tv_nsec < 50000000 && now.tv_sec == 0);
}

int main(void)
{
	burn();
	return 0;
}
