/* A program with a SIGPROF and an ITIMER_PROF of its own keeps them.
 *
 * output: enough
 * expect: 1 0 main
 * expect: 1 0 main burn
 * ignore: handler */
#include <signal.h>
#include <stdio.h>
#include <sys/time.h>
#include <time.h>
#include "trap.h"

static volatile int ticks;

HOOKED void handler(int sig) { (void)sig; ticks++; }
HOOKED void burn(void) { clock_t start = clock(); while (clock() - start < CLOCKS_PER_SEC / 2) KEEP(); }

int main(void)
{
	struct itimerval timer = { { 0, 10000 }, { 0, 10000 } };

	signal(SIGPROF, handler);
	setitimer(ITIMER_PROF, &timer, NULL);
	burn();
	puts(ticks >= 5 && ticks <= 100 ? "enough" : "wrong");
	return 0;
}
