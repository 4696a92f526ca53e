/* However the process dies, what it did until then is in the file.
 *
 * variants: segv abort _exit kill term quick_exit exit
 * signal(segv): SEGV
 * signal(abort): ABRT
 * signal(kill): KILL
 * signal(term): TERM
 * status(_exit): 3
 * status(quick_exit): 4
 * status(exit): 5
 * expect: 1 0 main
 * expect: 1000 0 main work
 * expect: 1 0 main die
 * state: running
 * state(exit): ended
 * report(!exit): (?i)incomplete */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "trap.h"

HOOKED void work(void) { KEEP(); }

HOOKED void die(const char *how)
{
	if (!strcmp(how, "segv"))
		*(volatile int *)0 = 1;
	if (!strcmp(how, "abort"))
		abort();
	if (!strcmp(how, "_exit"))
		_exit(3);
	if (!strcmp(how, "kill"))
		kill(getpid(), SIGKILL);
	if (!strcmp(how, "term"))
		raise(SIGTERM);
	if (!strcmp(how, "quick_exit"))
		quick_exit(4);
	exit(5);
}

int main(int argc, char **argv)
{
	for (int i = 0; i < 1000; i++)
		work();
	die(argv[argc - 1]);
	return 0;
}
