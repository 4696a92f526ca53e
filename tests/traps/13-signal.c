/* A handler that calls hooked code every 60 microseconds, wherever it interrupts: what it calls is counted, and what it
 * interrupts is counted where it belongs.
 *
 * expect: 1 0 main
 * expect: 3000000 0 main a
 * expect: 3000000 0 main a b
 * ignore: handler
 * told: yes */
#include <signal.h>
#include <stdio.h>
#include <sys/time.h>
#include "trap.h"

static volatile unsigned handled;

HOOKED void inner(void) { KEEP(); }
HOOKED void handler(int sig) { (void)sig; inner(); handled++; }
HOOKED void b(void) { KEEP(); }
HOOKED void a(void) { b(); KEEP(); }

int main(void)
{
	struct itimerval timer = { { 0, 60 }, { 0, 60 } };
	FILE *told;

	signal(SIGALRM, handler);
	setitimer(ITIMER_REAL, &timer, NULL);
	for (int i = 0; i < 3000000; i++)
		a();
	timer.it_value.tv_usec = 0;
	setitimer(ITIMER_REAL, &timer, NULL);
	told = fopen("told", "w");
	fprintf(told, "calls: %u inner\ncalls: %u handler\n", handled, handled);
	fclose(told);
	return handled < 10;
}
