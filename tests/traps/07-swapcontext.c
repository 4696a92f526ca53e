/* Two coroutines in ping-pong, deep in their own calls: each keeps its own callers.
 *
 * expect: 1 0 main
 * expect: 1000 0 main step
 * expect: 1 0 first
 * expect: 1 0 first deeper
 * expect: 500 0 first deeper work
 * expect: 1 0 second
 * expect: 500 0 second work
 * note(!inline): foreign_stack 2 */
#include <stdlib.h>
#include <ucontext.h>
#include "trap.h"

static ucontext_t here, coroutine[2];

HOOKED void work(void) { KEEP(); }
HOOKED void step(int i) { swapcontext(&here, &coroutine[i % 2]); KEEP(); }
HOOKED void deeper(void)
{
	for (;;) {
		work();
		swapcontext(&coroutine[0], &here);
	}
}
HOOKED void first(void) { deeper(); KEEP(); }
HOOKED void second(void)
{
	for (;;) {
		work();
		swapcontext(&coroutine[1], &here);
	}
}

int main(void)
{
	for (int i = 0; i < 2; i++) {
		getcontext(&coroutine[i]);
		coroutine[i].uc_stack.ss_sp = malloc(65536);
		coroutine[i].uc_stack.ss_size = 65536;
		makecontext(&coroutine[i], i ? second : first, 0);
	}
	for (int i = 0; i < 1000; i++)
		step(i);
	return 0;
}
