/* Without /proc a process whose threads have all left the kernel ends: the sampler is not what keeps it.
 *
 * need: root unshare
 * shell: exec unshare -m sh -c 'mount -t tmpfs none /proc; exec "$@"' sh "$@"
 * link: -pthread
 * status: 0
 * state: running
 * expect: 1 0 main
 * expect: 1 0 thread
 * note: no_proc 1 */
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "trap.h"

HOOKED void *thread(void *arg)
{
	usleep(100000);
	syscall(SYS_exit, 0);
	return arg;
}

int main(void)
{
	pthread_t t;

	pthread_create(&t, NULL, thread, NULL);
	syscall(SYS_exit, 0);
	return 0;
}
