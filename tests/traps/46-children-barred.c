/* A child of fork that has given up being root, or has another root, may not make its file where it belongs. Where it changed by itself, its
 * calls are in the place that its parent had made for it; where its parent changed before the fork they are lost, and a note in the parent's file says so.
 *
 * need: root
 * variants: child-rights parent-rights child-root parent-root
 * shell: mkdir -m 700 closed jail; exec "$@"
 * env: APROF_OUT=closed/amon.out
 * expect: 1 0 main
 * expect: 1 0 main start
 * expect(parent-rights): 1 0 main change
 * expect(parent-root): 1 0 main change
 * expect(child-rights): 100 0 main start work
 * expect(child-root): 100 0 main start work
 * files(child-rights): 2
 * files(child-root): 2
 * state(child-rights): ended running
 * state(child-root): ended running
 * note(parent-rights): child_barred 1
 * note(parent-root): child_barred 1 */
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "trap.h"

UNHOOKED int give_up(const char *what)
{
	return strcmp(what, "rights") == 0 ? setgid(65534) || setuid(65534) : chroot("jail") || chdir("/");
}

HOOKED int change(const char *what) { int failed = give_up(what); KEEP(); return failed; }
HOOKED void work(void) { KEEP(); }

/* The parent of a child that works. */
HOOKED int start(const char *what, int changes)
{
	int status = 1;
	pid_t pid = fork();

	if (pid == 0) {
		if (changes && give_up(what))
			_exit(1);
		for (int i = 0; i < 100; i++)
			work();
		_exit(0);
	}
	return waitpid(pid, &status, 0) == pid && status == 0 ? 0 : 1;
}

int main(int argc, char **argv)
{
	int of_parent = argc > 1 && strncmp(argv[1], "parent-", 7) == 0;
	const char *what = argc > 1 ? strchr(argv[1], '-') + 1 : "";
	int failed = of_parent && change(what) != 0;

	failed = failed || start(what, !of_parent);
	KEEP();
	return failed;
}
