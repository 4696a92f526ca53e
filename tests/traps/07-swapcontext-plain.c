/* Coroutines of a library without hooks, which switches stacks between callbacks that have some: each keeps its own callers, and who
 * resumes one goes on where it was. The stacks are neighbours in one block.
 *
 * plain: libplain.so -fPIC -shared -DPLAIN
 * link: -L. -lplain -Wl,-rpath,$ORIGIN
 * expect: 1 0 main
 * expect: 400 0 main step
 * expect: 400 0 main step after
 * expect: 4 0 body
 * expect: 4 0 body deeper
 * expect: 400 0 body deeper work
 * expect: 396 0 body deeper work again
 * expect: 4 0 main made
 * note(!inline): foreign_stack 4 */
#include "trap.h"

void make(int i, void (*f)(void));
void resume(int i, void (*then)(void));
void yield(void (*then)(void));

#ifdef PLAIN
#include <stdlib.h>
#include <ucontext.h>

enum { SIZE = 65536, COUNT = 4 };

static ucontext_t host, coroutines[COUNT];
static int running;

void make(int i, void (*f)(void))
{
	static char *stacks;

	if (!stacks)
		stacks = malloc(SIZE * COUNT);
	getcontext(&coroutines[i]);
	coroutines[i].uc_stack.ss_sp = stacks + i * SIZE;
	coroutines[i].uc_stack.ss_size = SIZE;
	makecontext(&coroutines[i], f, 0);
}

void resume(int i, void (*then)(void))
{
	running = i;
	swapcontext(&host, &coroutines[i]);
	then();
}

void yield(void (*then)(void))
{
	swapcontext(&coroutines[running], &host);
	then();
}
#else
HOOKED void again(void) { KEEP(); }
HOOKED void after(void) { KEEP(); }
HOOKED void made(void) { KEEP(); }
HOOKED void work(void) { yield(again); KEEP(); }
HOOKED void deeper(void)
{
	for (;;) {
		work();
		KEEP();
	}
}
HOOKED void body(void) { deeper(); KEEP(); }
HOOKED void step(int i) { resume(i, after); KEEP(); }

int main(void)
{
	for (int i = 0; i < 4; i++) {
		make(i, body);
		made();
	}
	for (int i = 0; i < 400; i++)
		step(i % 4);
	return 0;
}
#endif
