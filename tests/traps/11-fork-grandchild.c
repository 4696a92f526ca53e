/* A handler forks, and its child in turn: what the child's child returns to from the handler was interrupted two processes before.
 *
 * expect: 1 0 main
 * expect: 1 0 main outer
 * expect: 1 0 handler
 * expect: 1 0 handler called
 * expect: 3 0 main outer called
 * files: 3
 * note: fork 2 */
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>
#include "trap.h"

HOOKED void called(void) { KEEP(); }

HOOKED void handler(int signal)
{
	(void)signal;
	for (int depth = 2; depth > 0 && fork() == 0; depth--)
		if (depth == 2)
			called();
	KEEP();
}

HOOKED void outer(void)
{
	raise(SIGUSR1);
	called();
	KEEP();
}

int main(void)
{
	signal(SIGUSR1, handler);
	outer();
	while (wait(NULL) > 0)
		;
	return 0;
}
