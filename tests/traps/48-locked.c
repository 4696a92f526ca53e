/* mlockall makes all resident that is mapped, and fails where that is more than the limit: a gigabyte that the monitor has only
 * reserved must not count.
 *
 * need: root setpriv
 * na(verified): what holds stacks against contexts takes memory of its own, and does without where there is none
 * na(pg): the doubles of return addresses, 64 MB for each 64 MB of the address space that stacks are in, are locked as well
 * variants: root user limited
 * flags: -pthread
 * shell(root): exec "$@"
 * shell(user): chmod 777 .; exec setpriv --reuid=65534 --regid=65534 --clear-groups "$@"
 * shell(limited): ulimit -l 6000; chmod 777 .; exec setpriv --reuid=65534 --regid=65534 --clear-groups "$@"
 * output: locked 0, small 1, 4000 deep
 * expect: 1 0 main
 * expect: 2 7998 main down
 * expect: 1 0 thread
 * expect: 100 0 thread leaf */
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include "trap.h"

static char stack[1 << 17] __attribute__((aligned(4096)));

HOOKED void leaf(void) { KEEP(); }
HOOKED int down(int n) { int below = n > 1 ? down(n - 1) : 0; KEEP(); return below + 1; }
HOOKED void *thread(void *unused) { for (int i = 0; i < 100; i++) leaf(); return unused; }

/* Locked memory of this process, KB. */
UNHOOKED long locked(void)
{
	FILE *status = fopen("/proc/self/status", "r");
	char line[256];
	long size = -1;

	while (fgets(line, sizeof line, status))
		sscanf(line, "VmLck: %ld", &size);
	fclose(status);
	return size;
}

int main(void)
{
	pthread_attr_t own;
	pthread_t t;
	int result, deep;

	down(4000);
	result = mlockall(MCL_CURRENT | MCL_FUTURE);
	pthread_attr_init(&own);
	pthread_attr_setstack(&own, stack, sizeof stack);
	if (pthread_create(&t, &own, thread, NULL) == 0)
		pthread_join(t, NULL);
	deep = down(4000);
	printf("locked %d, small %d, %d deep\n", result, locked() < 40000, deep);
	return 0;
}
