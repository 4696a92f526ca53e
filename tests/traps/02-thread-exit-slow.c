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
#include "trap.h"

/* 25 ms, and what libc's does. */
UNHOOKED void __pthread_unregister_cancel(__pthread_unwind_buf_t *b)
{
	void (*behind)(__pthread_unwind_buf_t *b);
	struct timespec first, now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &first);
	do
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	while ((now.tv_sec - first.tv_sec) * 1000000000L + now.tv_nsec - first.tv_nsec < 25000000);
	*(void **)&behind = dlsym(RTLD_NEXT, "__pthread_unregister_cancel");
	behind(b);
}

#define THREADS 6
#define WAIT 100000
#include "02-thread-exit.c"
