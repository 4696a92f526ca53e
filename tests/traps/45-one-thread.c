/* What the kernel allows to processes of one thread only: the sampler is no second one.
 *
 * need: namespaces
 * variants: tick wall
 * env(tick): APROF_CLOCK=tick
 * env(wall): APROF_CLOCK=wall
 * flags: -D_GNU_SOURCE
 * output: 0 0 0
 * expect: 1 0 main
 * expect: 1 0 main before
 * expect: 1 0 main after
 * note: timer_failed 0 */
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>
#include "trap.h"

UNHOOKED void burn(long msec)
{
	struct timespec now;

	do
		clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	while (now.tv_nsec < msec * 1000000 && now.tv_sec == 0);
}

HOOKED void before(void) { burn(30); }
HOOKED void after(void) { burn(60); }

int main(void)
{
	int fd, in, to, out;

	before();
	fd = open("/proc/self/ns/mnt", O_RDONLY);
	in = unshare(CLONE_NEWNS);
	to = setns(fd, CLONE_NEWNS);
	out = unshare(CLONE_NEWUSER);
	after();
	printf("%d %d %d\n", in, to, out);
	return 0;
}
