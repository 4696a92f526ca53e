/* The program's own SIGBUS, handled or not, is its own, whether its handler comes before or after the monitor's.
 *
 * variants: handled default before
 * output(handled): handled
 * output(before): handled
 * signal(default): BUS
 * state(default): running
 * state(handled): running
 * state(before): running
 * expect: 1 0 main
 * expect: 1 0 main touch */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "trap.h"

/* With the signals blocked that it asked for. */
UNHOOKED static void handler(int sig)
{
	sigset_t blocked;

	(void)sig;
	sigprocmask(SIG_BLOCK, NULL, &blocked);
	if (!sigismember(&blocked, SIGUSR2) || sigismember(&blocked, SIGUSR1) || !sigismember(&blocked, SIGBUS))
		_exit(2);
	if (write(1, "handled\n", 8) < 0) _exit(1);
	_exit(0);
}

UNHOOKED static void install(void)
{
	struct sigaction action = { .sa_handler = handler };

	sigaddset(&action.sa_mask, SIGUSR2);
	sigaction(SIGBUS, &action, NULL);
}

/* Before main, and so before the first hook. */
__attribute__((constructor, no_instrument_function)) static void install_before(int argc, char **argv)
{
	if (!strcmp(argv[argc - 1], "before"))
		install();
}

HOOKED void touch(volatile char *p) { *p = 1; KEEP(); }

int main(int argc, char **argv)
{
	int fd = open("own", O_CREAT | O_RDWR, 0600);
	char *p = ftruncate(fd, 4096) ? NULL : mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	if (!strcmp(argv[argc - 1], "handled"))
		install();
	if (ftruncate(fd, 0) == 0)
		touch(p);
	return 0;
}
