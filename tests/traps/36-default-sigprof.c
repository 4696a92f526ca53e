/* A program that resets all signals, as daemons do and children before exec, takes no SIGPROF; one that is sent acts as without aprof.
 *
 * output: default default 1
 * expect: 1 0 main
 * expect: 2 0 main burn
 * files: 2
 * state: running ended
 * note: sigprof_taken 0 */
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "trap.h"

HOOKED void burn(void) { clock_t start = clock(); while (clock() - start < CLOCKS_PER_SEC / 10) KEEP(); }

UNHOOKED const char *name(void (*handler)(int)) { return handler == SIG_DFL ? "default" : "other"; }

int main(void)
{
	struct sigaction none = { .sa_handler = SIG_DFL }, old;
	int child, status = 0;

	for (int sig = 1; sig < NSIG; sig++)
		sigaction(sig, &none, NULL);
	burn();
	sigaction(SIGPROF, NULL, &old);
	printf("%s %s ", name(signal(SIGPROF, SIG_DFL)), name(old.sa_handler));
	fflush(stdout);
	child = fork();
	if (child == 0) {
		signal(SIGPROF, SIG_DFL);
		burn();
		raise(SIGPROF);
		pause();
	}
	waitpid(child, &status, 0);
	printf("%d\n", WIFSIGNALED(status) && WTERMSIG(status) == SIGPROF);
	return 0;
}
