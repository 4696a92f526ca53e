/* A child of clone that shares the memory and the thread's words, and ends or executes another program in routines of its own: its parent goes on where it was.
 *
 * variants: exec exit
 * na(verified): until clone has returned, the thread's words are as the child left them
 * ignore: child
 * expect: 1 0 main
 * expect: 100 0 main start
 * expect: 100 0 main start after
 * expect: 100 0 main last */
#define _GNU_SOURCE
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "trap.h"

static char stack[65536] __attribute__((aligned(16)));
static int executes;

HOOKED void after(void) { KEEP(); }
HOOKED void last(void) { KEEP(); }

HOOKED int child(void *unused)
{
	if (executes)
		execl("/bin/true", "true", (char *)0);
	_exit(0);
	return unused != NULL;
}

HOOKED void start(void)
{
	int status;
	pid_t pid = clone(child, stack + sizeof stack, CLONE_VM | CLONE_VFORK | SIGCHLD, NULL);

	after();
	waitpid(pid, &status, 0);
	KEEP();
}

int main(int argc, char **argv)
{
	executes = !strcmp(argv[argc - 1], "exec");
	for (volatile int i = 0; i < 100; i++) {
		start();
		last();
	}
	return 0;
}
