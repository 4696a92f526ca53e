/* A routine whose last call switches stacks must not leave by a jump to it: nobody would put its caller's context back.
 *
 * expect: 1 0 main
 * expect: 100 0 main work
 * expect: 100 0 main work yield
 * expect: 100 0 main leaf
 * expect: 1 0 body
 * expect: 100 0 body leaf
 * expect: 100 0 body yield */
#include <ucontext.h>
#include "trap.h"

static ucontext_t outer, inner;
static char stack[65536];
static volatile int sink;

HOOKED void leaf(void) { sink++; KEEP(); }
HOOKED int yield(ucontext_t *from, ucontext_t *to) { return swapcontext(from, to); }

HOOKED void body(void)
{
	for (;;) {
		leaf();
		sink = yield(&inner, &outer);
	}
}

HOOKED void work(void)
{
	sink += yield(&outer, &inner);
	KEEP();
}

int main(void)
{
	getcontext(&inner);
	inner.uc_stack.ss_sp = stack;
	inner.uc_stack.ss_size = sizeof stack;
	makecontext(&inner, body, 0);
	for (int i = 0; i < 100; i++) {
		work();
		leaf();
	}
	return 0;
}
