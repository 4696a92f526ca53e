/* Nobody has called a signal's handler: it is a root of its own, and what it interrupted goes on as before.  The same routine is called by the program,
 * too, before it becomes a handler, and afterwards in the context that the signal interrupts.
 *
 * expect: 1 0 main
 * expect: 1000 0 main work
 * expect: 1000 0 main work handler
 * expect: 1000 0 main work handler inner
 * expect: 1000 0 main work leaf
 * expect: 900 0 handler
 * expect: 900 0 handler inner
 * depth: 0 */
#include <signal.h>
#include <stddef.h>
#include "trap.h"

HOOKED void inner(void) { KEEP(); }
HOOKED void handler(int sig) { (void)sig; inner(); KEEP(); }
HOOKED void leaf(void) { KEEP(); }

HOOKED void work(int i)
{
	handler(0);
	if (i >= 100)
		raise(SIGUSR1);
	leaf();
	KEEP();
}

int main(void)
{
	struct sigaction action = { .sa_handler = handler };

	for (int i = 0; i < 1000; i++) {
		if (i == 100)
			sigaction(SIGUSR1, &action, NULL);
		work(i);
	}
	return 0;
}
