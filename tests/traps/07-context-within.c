/* A coroutine's stack is used for a smaller one, and then again as it was: the smaller one is gone.  Who comes back to it by the end of another coroutine does so
 * without a word, since what getcontext saved says of no stack.
 *
 * expect: 1 0 main
 * expect: 2 0 outer
 * expect: 1 0 small
 * expect: 1 0 other
 * expect: 4 0 outer behind */
#include <ucontext.h>
#include "trap.h"

enum { SIZE = 128 << 10, PART = 8192 };

static char memory[2][SIZE];
static ucontext_t home, here, first, second;
static volatile int resumes, back;

HOOKED void behind(void) { KEEP(); }
HOOKED void small(void) { KEEP(); }
HOOKED void other(void) { KEEP(); }

UNHOOKED void resume(void)
{
	getcontext(&here);
	if (!back) {
		back = 1;
		setcontext(&second);
	}
}

HOOKED void outer(void)
{
	behind();
	if (resumes)
		resume();
	behind();
	KEEP();
}

UNHOOKED void prepare(ucontext_t *c, char *stack, size_t size, ucontext_t *link, void (*f)(void))
{
	getcontext(c);
	c->uc_stack.ss_sp = stack;
	c->uc_stack.ss_size = size;
	c->uc_link = link;
	makecontext(c, f, 0);
}

int main(void)
{
	prepare(&first, memory[0], SIZE, &home, outer);
	swapcontext(&home, &first);
	prepare(&first, memory[0] + PART, SIZE - PART - 16, &home, small);
	swapcontext(&home, &first);
	prepare(&second, memory[1], SIZE, &here, other);
	prepare(&first, memory[0], SIZE, &home, outer);
	resumes = 1;
	swapcontext(&home, &first);
	return 0;
}
