/* SIGPROF and SIGBUS are given up as soon as the program asks for them; it never gets one that it was not sent, and finds
 * the default where nobody but the monitor had asked before.
 *
 * variants: perf timer none
 * env(perf): APROF_PC=perf
 * env(timer): APROF_PC=timer
 * env(none): APROF_PC=none
 * output: profs 3 buses 2 defaults 4
 * expect: 1 0 main
 * ignore: work
 * note: sigprof_taken 0.. */
#include <signal.h>
#include <stdio.h>
#include <time.h>
#include "trap.h"

static volatile int profs, buses;

HOOKED int work(int n) { int sum = n > 0 ? work(n - 1) : 0; KEEP(); return sum + 1; }

UNHOOKED void burn(long msec)
{
	struct timespec now, start;

	clock_gettime(CLOCK_MONOTONIC, &start);
	do {
		work(100);
		clock_gettime(CLOCK_MONOTONIC, &now);
	} while ((now.tv_sec - start.tv_sec) * 1000 + (now.tv_nsec - start.tv_nsec) / 1000000 < msec);
}

UNHOOKED void on_prof(int sig) { (void)sig; profs++; }
UNHOOKED void on_bus(int sig) { (void)sig; buses++; }

int main(void)
{
	struct sigaction old;
	int defaults = 0;

	burn(30);
	defaults += sigaction(SIGPROF, NULL, &old) == 0 && old.sa_handler == SIG_DFL && !(old.sa_flags & SA_SIGINFO);
	defaults += sigaction(SIGBUS, NULL, &old) == 0 && old.sa_handler == SIG_DFL && !(old.sa_flags & SA_SIGINFO);
	defaults += signal(SIGPROF, on_prof) == SIG_DFL;
	defaults += signal(SIGBUS, on_bus) == SIG_DFL;
	for (int i = 0; i < 3; i++) {
		raise(SIGPROF);
		burn(20);
	}
	raise(SIGBUS);
	raise(SIGBUS);
	printf("profs %d buses %d defaults %d\n", profs, buses, defaults);
	return 0;
}
