/* What libc does where a cancelled thread's handler is landed at takes long: samples are caught in it, called by nobody's frame.
 *
 * flags: -pthread -D_GNU_SOURCE
 * link: -ldl
 * expect: 1 0 main
 * expect: 6 0 thread
 * expect: 6 0 thread deep
 * expect: 3 0 thread deep leave
 * expect: 3 0 thread deep wait
 * expect: 6 0 thread cleanup
 * threads: 7 */
#include <dlfcn.h>
#include <pthread.h>
#include <time.h>
#include <unistd.h>
#include "trap.h"

static void (*behind)(__pthread_unwind_buf_t *b);

/* 25 ms, and what libc's does. */
__attribute__((no_instrument_function)) void __pthread_unregister_cancel(__pthread_unwind_buf_t *b)
{
	struct timespec first, now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &first);
	do
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	while ((now.tv_sec - first.tv_sec) * 1000000000L + now.tv_nsec - first.tv_nsec < 25000000);
	if (behind)
		behind(b);
}

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

int main(void)
{
	pthread_t t;

	*(void **)&behind = dlsym(RTLD_NEXT, "__pthread_unregister_cancel");
	for (int i = 0; i < 6; i++) {
		pthread_create(&t, NULL, thread, i % 2 ? &t : NULL);
		if (i % 2) {
			usleep(100000);
			pthread_cancel(t);
		}
		pthread_join(t, NULL);
	}
	return 0;
}
