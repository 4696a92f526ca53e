/* A backtrace from a signal handler, wherever it interrupts, hooks included, reaches main.
 *
 * na(fentry -O0): limit: at the ret behind an exit hook GCC describes the frame wrongly to unwinders
 * flags: -rdynamic
 * output: every backtrace reached main
 * calls: 2000000 g */
#include <execinfo.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/time.h>
#include "trap.h"

static volatile int taken, reached;
static void *returns_to;

UNHOOKED static void handler(int sig)
{
	void *frames[64];
	int n = backtrace(frames, 64);

	(void)sig;
	taken++;
	for (int i = 0; i < n; i++)
		if (frames[i] == returns_to) {
			reached++;
			break;
		}
}

HOOKED void g(void) { KEEP(); }
HOOKED void f(int n) { for (int i = 0; i < n; i++) g(); KEEP(); }

HOOKED int main(void)
{
	struct itimerval timer = { { 0, 100 }, { 0, 100 } };
	void *first[2];

	backtrace(first, 2);
	returns_to = first[1];
	signal(SIGALRM, handler);
	setitimer(ITIMER_REAL, &timer, NULL);
	for (int i = 0; i < 20000; i++)
		f(100);
	while (taken <= 10)	/* a program without hooks may be through before */
		KEEP();
	memset(&timer, 0, sizeof timer);
	setitimer(ITIMER_REAL, &timer, NULL);
	printf("%s\n", taken == reached ? "every backtrace reached main" : "lost");
	if (taken != reached)
		printf("%d of %d\n", reached, taken);
	return 0;
}
