/* A child has its parent's settings, command and directory of the start, though the program shows a title in their place and goes elsewhere
 *
 * expect: 1 0 main
 * expect: 2 0 main f
 * files: 2
 * note: fork 1
 * env: APROF_OUT=amon.out.1
 * shell: "$@" one ''
 * after: test ! -e sub/amon.out && ls amon.out.1 amon.out.1.[0-9]* >/dev/null
 * after: "$APROF" info --json amon.out.1* | python3 -c 'import json, sys; sys.exit({f["command"] for f in json.load(sys.stdin)["run"]["files"]} != {"./prog one \x27\x27"})' */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include "trap.h"

HOOKED void f(void) { KEEP(); }

/* As setproctitle does it: the strings of the arguments and of the environment become room for the title. */
UNHOOKED void show_title(char **argv, char **envp)
{
	for (char **e = envp; *e; e++)
		memset(*e, 0, strlen(*e));
	for (char **a = argv + 1; *a; a++)
		memset(*a, 0, strlen(*a));
	memcpy(argv[0], "title", 5);
}

int main(int argc, char **argv, char **envp)
{
	int child;

	(void)argc;
	mkdir("sub", 0777);
	show_title(argv, envp);
	f();
	if (chdir("sub"))
		return 1;
	child = fork();
	if (child == 0)
		f();
	else
		waitpid(child, NULL, 0);
	return 0;
}
