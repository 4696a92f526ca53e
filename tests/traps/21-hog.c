/* The cycle counter counts elapsed time: where another process takes the processor, the report says so.
 *
 * need: taskset
 * env: APROF_CLOCK=tsc
 * shell: taskset -c 0 sh -c 'while :; do :; done' & hog=$!; taskset -c 0 "$@"; status=$?; kill $hog; exit $status
 * expect: 1 0 main
 * expect: 1 0 main burn
 * na(inline !reads): way inline is told of no exits, so clock tsc gives way to tick, and the report says so
 * report: elapsed time
 * report: times the CPU time */
#include <time.h>
#include "trap.h"

HOOKED void burn(void)
{
	struct timespec now;

	do
		clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	while (now.tv_nsec < 400000000 && now.tv_sec == 0);
}

int main(void)
{
	burn();
	return 0;
}
