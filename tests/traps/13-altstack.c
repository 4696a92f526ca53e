/* A handler on an alternate stack goes on where it interrupted; the frames below are as before afterwards.
 *
 * expect: 1 0 main
 * expect: 1000 0 main work
 * expect: 100 0 handler
 * expect: 100 0 handler inner
 * expect: 1000 0 main work leaf
 * depth: 0 */
#include <signal.h>
#include <stdlib.h>
#include "trap.h"

HOOKED void inner(void) { KEEP(); }
HOOKED void handler(int sig) { (void)sig; inner(); KEEP(); }
HOOKED void leaf(void) { KEEP(); }
HOOKED void work(int i) { if (i % 10 == 0) raise(SIGUSR1); leaf(); KEEP(); }

int main(void)
{
	stack_t stack = { .ss_sp = malloc(65536), .ss_size = 65536 };
	struct sigaction action = { .sa_handler = handler, .sa_flags = SA_ONSTACK };

	sigaltstack(&stack, NULL);
	sigaction(SIGUSR1, &action, NULL);
	for (int i = 0; i < 1000; i++)
		work(i);
	return 0;
}
