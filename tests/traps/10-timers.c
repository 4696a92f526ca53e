/* 60 threads one after another with a limit of 20 pending signals, from which timers are taken: none fails.
 *
 * flags: -pthread
 * shell: ulimit -i 20; exec "$@"
 * expect: 1 0 main
 * expect: 60 0 thread
 * note: timer_failed 0 */
#include <pthread.h>
#include <time.h>
#include "trap.h"

HOOKED void *thread(void *unused) { struct timespec t = { 0, 1000000 }; nanosleep(&t, NULL); return unused; }

int main(void)
{
	pthread_t t;

	for (int i = 0; i < 60; i++) {
		pthread_create(&t, NULL, thread, NULL);
		pthread_join(t, NULL);
	}
	return 0;
}
