/* A program that executes itself twice leaves three files.
 *
 * expect: 3 0 main
 * expect: 30 0 main work
 * files: 3
 * state: ended running */
#include <stdlib.h>
#include <unistd.h>
#include "trap.h"

HOOKED void work(void) { KEEP(); }

int main(int argc, char **argv)
{
	static char *const next[] = { "2", "1", "0" };
	int left = argc > 1 ? atoi(argv[1]) : 2;

	for (int i = 0; i < 10; i++)
		work();
	if (left > 0)
		execl("/proc/self/exe", argv[0], next[3 - left], (char *)0);
	return left;
}
