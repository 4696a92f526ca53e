/* Sleeping system calls are not interrupted, whatever the clock.
 *
 * flags: -pthread
 * variants: tick wall none
 * env(tick): APROF_RATE=10000
 * env(wall): APROF_CLOCK=wall APROF_RATE=10000
 * env(none): APROF_CLOCK=none
 * output: 0 interrupted
 * calls: 300 sleeps */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <time.h>
#include "trap.h"

static int interrupted;

HOOKED void work(void) { for (volatile int i = 0; i < 20000; i++) KEEP(); }
HOOKED void sleeps(int epoll)
{
	struct timespec t = { 0, 300000 };
	struct timeval v = { 0, 300 };
	struct epoll_event event;

	interrupted += nanosleep(&t, NULL) != 0;
	interrupted += poll(NULL, 0, 1) != 0;
	interrupted += select(0, NULL, NULL, NULL, &v) != 0;
	interrupted += epoll_wait(epoll, &event, 1, 1) != 0;
	work();
}

int main(void)
{
	int epoll = epoll_create1(0);

	for (int i = 0; i < 300; i++)
		sleeps(epoll);
	printf("%d interrupted\n", interrupted);
	return 0;
}
