/* A coroutine that ends, and is made anew on the same stack, a hundred times.
 *
 * expect: 1 0 main
 * expect: 100 0 main turn
 * expect: 100 0 coroutine
 * expect: 100 0 coroutine work
 * depth: 0 */
#include <ucontext.h>
#include "trap.h"

static ucontext_t here, there;
static char stack[65536];

HOOKED void work(void) { KEEP(); }
HOOKED void coroutine(void) { work(); KEEP(); }
HOOKED void turn(void)
{
	getcontext(&there);
	there.uc_stack.ss_sp = stack;
	there.uc_stack.ss_size = sizeof stack;
	there.uc_link = &here;
	makecontext(&there, coroutine, 0);
	swapcontext(&here, &there);
	KEEP();
}

int main(void)
{
	for (int i = 0; i < 100; i++)
		turn();
	return 0;
}
