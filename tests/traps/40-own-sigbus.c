/* The program's own SIGBUS, handled or not, is its own, whether its handler comes before or after the monitor's.
 *
 * variants: handled default
 * output(handled): handled
 * signal(default): BUS
 * state(default): running
 * state(handled): running
 * expect: 1 0 main
 * expect: 1 0 main touch */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "trap.h"

UNHOOKED static void handler(int sig) { (void)sig; if (write(1, "handled\n", 8) < 0) _exit(1); _exit(0); }
HOOKED void touch(volatile char *p) { *p = 1; KEEP(); }

int main(int argc, char **argv)
{
	int fd = open("own", O_CREAT | O_RDWR, 0600);
	char *p = ftruncate(fd, 4096) ? NULL : mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	if (!strcmp(argv[argc - 1], "handled"))
		signal(SIGBUS, handler);
	if (ftruncate(fd, 0) == 0)
		touch(p);
	return 0;
}
