/* A child that no handler of fork saw, by _Fork or by clone: the parent's counts are exact, or the file says how many
 * such children there were.
 *
 * variants: _Fork clone
 * calls: 1 main
 * calls: 10 pre
 * calls: 1000..2000 work
 * files: 1..2
 * note: fork_unseen 0..1
 * state: ended running */
#define _GNU_SOURCE
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include "trap.h"

HOOKED void pre(void) { KEEP(); }
HOOKED void work(void) { KEEP(); }

int main(int argc, char **argv)
{
	pid_t pid;

	for (int i = 0; i < 10; i++)
		pre();
	pid = !strcmp(argv[argc - 1], "_Fork") ? _Fork() : (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
	if (pid == 0) {
		for (int i = 0; i < 1000; i++)
			work();
		_exit(0);
	}
	waitpid(pid, NULL, 0);
	return 0;
}
