/* A handler that leaves by siglongjmp, from its own stack or that of what it interrupted: what is called next is where it belongs.
 *
 * expect: 1 0 main
 * expect: 100 0 main work
 * expect: 100 0 main work leaf
 * expect: 100 0 main leaf
 * expect: 100 0 handler
 * expect: 100 0 handler leaf
 * depth: 0
 * variants: plain alternate */
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include "trap.h"

static sigjmp_buf env;

HOOKED void leaf(void) { KEEP(); }
HOOKED void handler(int sig) { (void)sig; leaf(); siglongjmp(env, 1); }
HOOKED void work(void) { leaf(); raise(SIGUSR1); leaf(); KEEP(); }

int main(int argc, char **argv)
{
	stack_t stack = { .ss_sp = malloc(65536), .ss_size = 65536 };
	struct sigaction action = { .sa_handler = handler, .sa_flags = argc > 1 && argv[1][0] == 'a' ? SA_ONSTACK : 0 };

	sigaltstack(&stack, NULL);
	sigaction(SIGUSR1, &action, NULL);
	for (volatile int i = 0; i < 100; i++) {
		if (!sigsetjmp(env, 1))
			work();
		leaf();
	}
	return 0;
}
