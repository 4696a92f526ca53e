/* A signal every 50 microseconds, whose handler calls hooked code, while the program makes contexts and calls.
 *
 * small: 1
 * full: 20
 * told: yes
 * env: APROF_PC=none */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include "../traps/trap.h"

static volatile long handled, turns;

HOOKED void inner(void) { KEEP(); }
HOOKED void handler(int sig) { (void)sig; inner(); inner(); handled++; }
HOOKED void c(int n) { if (n > 0) c(n - 1); KEEP(); }
HOOKED void b(int n) { c(n % 3); KEEP(); }
HOOKED void a(int n) { if (n % 2) b(n); else c(n % 4); KEEP(); }

int main(int argc, char **argv)
{
	struct sigaction action = { .sa_handler = handler, .sa_flags = SA_RESTART };
	struct itimerspec every = { { 0, 50000 }, { 0, 50000 } };
	int seconds = argc > 1 ? atoi(argv[1]) : 1;
	long cs = 0, bs = 0;
	time_t end = time(NULL) + seconds + 1;
	timer_t timer;
	FILE *told;

	sigaction(SIGALRM, &action, NULL);
	timer_create(CLOCK_MONOTONIC, NULL, &timer);
	timer_settime(timer, 0, &every, NULL);
	while (turns % 1024 || time(NULL) < end) {
		int n = (int)(turns % 97);

		a(n);
		bs += n % 2;
		cs += n % 2 ? n % 3 + 1 : n % 4 + 1;
		turns++;
	}
	timer_delete(timer);
	signal(SIGALRM, SIG_IGN);
	told = fopen("told", "w");
	fprintf(told, "calls: %ld handler\ncalls: %ld inner\ncalls: %ld a\ncalls: %ld b\ncalls: %ld c\n", handled, 2 * handled,
		turns, bs, cs);
	fclose(told);
	return 0;
}
