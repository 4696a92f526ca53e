/* A thread that blocks all signals for life, and burns: its time is charged, or called unplaced.
 *
 * flags: -pthread
 * expect: 1 0 main
 * expect: 1 0 thread
 * expect: 1 0 thread burn
 * after: "$APROF" info --json amon.out | python3 -c 'import json, sys; t = [x for x in json.load(sys.stdin)["threads"] if x["cpu_ns"] > 2e8]; sys.exit(len(t) != 1 or not 2.9e8 < t[0]["cpu_ns"] < 3.5e8)' */
#include <pthread.h>
#include <signal.h>
#include <time.h>
#include "trap.h"

HOOKED void burn(void)
{
	struct timespec now;

	do
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	while (now.tv_nsec < 300000000 && now.tv_sec == 0);
}

HOOKED void *thread(void *unused)
{
	sigset_t all;

	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, NULL);
	burn();
	return unused;
}

int main(void)
{
	pthread_t t;

	pthread_create(&t, NULL, thread, NULL);
	pthread_join(t, NULL);
	return 0;
}
