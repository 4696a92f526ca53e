/* A handler that leaves by siglongjmp, from wherever it interrupted: the next calls are where they belong.
 *
 * told: yes
 * depth: 0 */
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <sys/time.h>
#include "trap.h"

static sigjmp_buf env;
static volatile long calls, jumps, loops;

UNHOOKED static void handler(int sig) { (void)sig; jumps++; siglongjmp(env, 1); }
HOOKED void leaf(void) { calls++; KEEP(); }
HOOKED void inner(int n) { for (int i = 0; i < n; i++) leaf(); KEEP(); }
HOOKED void loop(void) { inner(10); KEEP(); }

int main(void)
{
	struct itimerval timer = { { 0, 200 }, { 0, 200 } };
	FILE *told;

	signal(SIGALRM, handler);
	if (!sigsetjmp(env, 1))
		setitimer(ITIMER_REAL, &timer, NULL);
	while (loops < 2000000 && jumps < 100) {
		loops++;
		loop();
	}
	timer.it_interval.tv_usec = timer.it_value.tv_usec = 0;
	setitimer(ITIMER_REAL, &timer, NULL);
	told = fopen("told", "w");
	fprintf(told, "calls: %ld..%ld loop\ncalls: %ld..%ld inner\ncalls: %ld..%ld leaf\n",
		loops - jumps, loops, loops - jumps, loops, calls, calls + jumps);
	fprintf(told, "expect(fentry): 1 0 main\nexpect(fentry): %ld..%ld 0 main loop\nexpect(fentry): %ld..%ld 0 main loop inner\n"
		"expect(fentry): %ld..%ld 0 main loop inner leaf\n", loops - jumps, loops, loops - jumps, loops, calls, calls + jumps);
	fclose(told);
	return 0;
}
