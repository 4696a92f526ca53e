/* pthread_exit and pthread_cancel unwind a thread; its cleanup handlers run hooked code.
 *
 * flags: -pthread
 * expect: 1 0 main
 * expect: 20 0 thread
 * expect: 20 0 thread deep
 * expect: 10 0 thread deep leave
 * expect: 10 0 thread deep wait
 * expect: 20 0 thread cleanup
 * threads: 21 */
#include <pthread.h>
#include <unistd.h>
#include "trap.h"

HOOKED void cleanup(void *unused) { (void)unused; KEEP(); }
HOOKED void leave(void) { KEEP(); pthread_exit(NULL); }
HOOKED void wait(void) { for (;;) pause(); }
HOOKED void deep(void *how) { if (how) wait(); else leave(); KEEP(); }

HOOKED void *thread(void *how)
{
	pthread_cleanup_push(cleanup, NULL);
	deep(how);
	pthread_cleanup_pop(0);
	return NULL;
}

#ifndef THREADS
#define THREADS 20
#define WAIT 2000
#endif

int main(void)
{
	pthread_t t;

	for (int i = 0; i < THREADS; i++) {
		pthread_create(&t, NULL, thread, i % 2 ? &t : NULL);
		if (i % 2) {
			usleep(WAIT);
			pthread_cancel(t);
		}
		pthread_join(t, NULL);
	}
	return 0;
}
