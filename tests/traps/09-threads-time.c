/* A sleeping main thread and a burner: the time is the burner's.
 *
 * na(reads): it looks at CPU time, and this clock takes elapsed time
 * flags: -pthread
 * expect: 1 0 main
 * expect: 1 0 thread
 * expect: 1 0 thread burn
 * expect: 1 0 main asleep
 * after: "$APROF" contexts amon.out | awk '{ t[$4] += $3 } END { exit !(t["thread"] > 0.2 && t["thread"] < 0.45 && t["main"] < 0.02) }' */
#include <pthread.h>
#include <time.h>
#include "trap.h"

HOOKED void burn(void)
{
	struct timespec now;

	do
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	while (now.tv_nsec < 400000000 && now.tv_sec == 0);
}
HOOKED void *thread(void *unused) { burn(); KEEP(); return unused; }
HOOKED void asleep(pthread_t t) { pthread_join(t, NULL); KEEP(); }

int main(void)
{
	pthread_t t;

	pthread_create(&t, NULL, thread, NULL);
	asleep(t);
	return 0;
}
