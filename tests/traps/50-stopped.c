/* A program that starts stopped, and profiles one stretch of itself: calls and time of that alone.  A child goes on as its
 * parent was.
 *
 * na(reads): it looks at CPU time, and this clock takes elapsed time
 * env: APROF_STOPPED=1
 * expect: 2 0 main burn
 * files: 2
 * note: fork 1
 * after: "$APROF" info --json amon.out amon.out.* | python3 -c 'import json, sys; t = json.load(sys.stdin)["run"]["times"]; sys.exit(not (5e7 < t["contexts_ns"] and 3.4e8 < t["contexts_ns"] + t["unplaced_ns"] + t["monitor_ns"] < 5.4e8))' */
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "../../src/contract/aprof.h"
#include "trap.h"

HOOKED void burn(long msec)
{
	struct timespec now, start;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &start);
	do
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	while ((now.tv_sec - start.tv_sec) * 1000 + (now.tv_nsec - start.tv_nsec) / 1000000 < msec);
}

int main(void)
{
	burn(100);
	aprof_start();
	burn(200);
	if (fork() == 0) {
		burn(200);
		return 0;
	}
	wait(NULL);
	aprof_stop();
	burn(100);
	return 0;
}
