/* A program that starts stopped, and profiles one stretch of itself: calls and time of that alone.  A child goes on as its
 * parent was.  On a busy machine it may be gone before anybody looked at it: its time is unplaced then.
 *
 * na(reads): it looks at CPU time, and this clock takes elapsed time
 * env: APROF_STOPPED=1
 * expect: 2 0 main burn
 * files: 2
 * note: fork 1
 * after: "$APROF" info --json amon.out amon.out.* | python3 -c 'import json, sys; t = json.load(sys.stdin)["run"]["times"]; sys.exit(not 5e7 < t["contexts_ns"] + t["unplaced_ns"] < 1.1e8)' */
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "../../include/aprof.h"
#include "trap.h"

HOOKED void burn(long msec)
{
	struct timespec now, start;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &start);
	do
		clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	while ((now.tv_sec - start.tv_sec) * 1000 + (now.tv_nsec - start.tv_nsec) / 1000000 < msec);
}

int main(void)
{
	burn(100);
	aprof_start();
	burn(40);
	if (fork() == 0) {
		burn(40);
		return 0;
	}
	wait(NULL);
	aprof_stop();
	burn(100);
	return 0;
}
