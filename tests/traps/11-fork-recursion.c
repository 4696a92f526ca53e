/* A fork deep in a recursion: the child's frames are the parent's, and it returns through them all.
 *
 * expect: 1 0 main
 * expect: 1 0 main down
 * expect: 1 0 main down across
 * expect: 499 0 main down' across down
 * expect: 499 0 main down' across' down across
 * expect: 2 0 main end
 * expect: 2 0 main down' across' down across split
 * files: 2 */
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
#include "trap.h"

static pid_t pid;

HOOKED void down(int n);
HOOKED void split(void) { KEEP(); }
HOOKED void across(int n)
{
	if (n > 0)
		down(n - 1);
	else {
		pid = fork();
		split();
	}
	KEEP();
}
HOOKED void down(int n) { across(n); KEEP(); }
HOOKED void end(void) { KEEP(); }

int main(void)
{
	down(499);
	end();
	if (pid)
		wait(NULL);
	return 0;
}
