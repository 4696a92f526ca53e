/* What the parent did before the fork counts once, and so does what each does afterwards.
 *
 * expect: 1 0 main
 * expect: 1 0 main pre
 * expect: 1 0 main branch
 * expect: 1 0 main branch child
 * expect: 1 0 main branch parent
 * expect: 2 0 main post
 * files: 2
 * note: fork 1 */
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
#include "trap.h"

HOOKED void pre(void) { KEEP(); }
HOOKED void child(void) { KEEP(); }
HOOKED void parent(void) { KEEP(); }
HOOKED void post(void) { KEEP(); }

HOOKED int branch(void)
{
	pid_t pid = fork();

	if (pid == 0)
		child();
	else
		parent();
	return pid;
}

int main(void)
{
	int pid, status = 0;

	pre();
	pid = branch();
	post();
	if (pid > 0)
		waitpid(pid, &status, 0);
	return WEXITSTATUS(status);
}
