/* Threads that end by the bare system call, which nobody is told of: their machines are used again all the same.
 *
 * flags: -pthread
 * calls: 1000 thread
 * threads: 64..100 */
#include <pthread.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "trap.h"

HOOKED void *thread(void *unused) { syscall(SYS_exit, 0); return unused; }

int main(void)
{
	for (int i = 0; i < 1000; i++) {
		pthread_t t;

		pthread_create(&t, NULL, thread, NULL);
		pthread_join(t, NULL);
	}
	return 0;
}
