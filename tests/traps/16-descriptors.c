/* The program sees no descriptor that is not its own, and may close all of them.
 *
 * output: 3
 * expect: 1 0 main
 * expect: 2 0 main f
 * expect: 1 0 main g */
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>
#include "trap.h"

HOOKED void f(void) { KEEP(); }
HOOKED void g(void) { KEEP(); }

int main(void)
{
	int fd;

	f();
	usleep(5000);
	fd = open("/dev/null", O_RDONLY);
	printf("%d\n", fd);
	fflush(stdout);
	for (int i = 0; i < 256; i++)
		close(i);
	f();
	g();
	return 0;
}
