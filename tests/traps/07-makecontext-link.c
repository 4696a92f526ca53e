/* A coroutine that ends, and the one that libc lets follow it (uc_link): made and received by a library without hooks, whose callbacks
 * have some.
 *
 * plain: libplain.so -fPIC -shared -DPLAIN
 * link: -L. -lplain -Wl,-rpath,$ORIGIN
 * expect: 1 0 main
 * expect: 100 0 main run
 * expect: 100 0 main run after
 * expect: 100 0 main run after deeper
 * expect: 100 0 body
 * expect: 100 0 body work
 * expect: 100 0 main then
 * note(!inline): foreign_stack 1.. */
#include "trap.h"

void once(void (*f)(void), void (*then)(void));

#ifdef PLAIN
#include <stdlib.h>
#include <ucontext.h>

void once(void (*f)(void), void (*then)(void))
{
	static ucontext_t host, coroutine;
	static char *stack;
	volatile int back = 0;

	if (!stack)
		stack = malloc(65536);
	getcontext(&coroutine);
	coroutine.uc_stack.ss_sp = stack;
	coroutine.uc_stack.ss_size = 65536;
	coroutine.uc_link = &host;
	makecontext(&coroutine, f, 0);
	getcontext(&host);
	if (!back++)
		setcontext(&coroutine);
	then();
}
#else
HOOKED void work(void) { KEEP(); }
HOOKED void body(void) { work(); KEEP(); }
HOOKED void deeper(void) { KEEP(); }
HOOKED void after(void) { deeper(); KEEP(); }
HOOKED void run(void) { once(body, after); KEEP(); }
HOOKED void then(void) { KEEP(); }

int main(void)
{
	for (int i = 0; i < 100; i++) {
		run();
		then();
	}
	return 0;
}
#endif
