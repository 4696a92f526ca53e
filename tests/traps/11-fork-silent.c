/* A child that calls nothing with hooks: what it spends is the routine's that forked it, unless it left that one.
 *
 * files: 3
 * expect: 1 0 main
 * expect: 2 0 main forks
 * note: fork 2
 * after: "$APROF" info --json amon.out.* | python3 -c 'import json, sys; t = json.load(sys.stdin); u = sorted(x["unplaced_ns"] for x in t["threads"] if x["cpu_ns"] > 9e7); sys.exit(len(u) != 2 or u[0] > 2e7 or u[1] < 8e7)' */
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "trap.h"

UNHOOKED void burn(void)
{
	struct timespec now;

	do
		clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	while (now.tv_nsec < 100000000 && now.tv_sec == 0);
}

HOOKED int forks(int leaves)
{
	int pid = fork();

	if (pid == 0 && !leaves) {
		burn();
		exit(0);
	}
	if (pid > 0)
		wait(NULL);
	KEEP();
	return pid;
}

int main(void)
{
	forks(0);
	if (forks(1) == 0)
		burn();
	return 0;
}
