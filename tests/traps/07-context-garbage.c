/* What uc_stack says of a context that getcontext or swapcontext saved is whatever the memory held: here that the stack is nearly all of the
 * address space. Main's frames stay open when a coroutine returns to there, by a switch and by its end (uc_link).
 *
 * expect: 1 0 main
 * expect: 100 0 main step
 * expect: 100 0 main step leaf
 * expect: 50 0 body
 * expect: 100 0 body leaf */
#include <string.h>
#include <ucontext.h>
#include "trap.h"

static ucontext_t at_main, at_body;
static char stack[1 << 16] __attribute__((aligned(16)));

HOOKED void leaf(void) { KEEP(); }

HOOKED void body(void)
{
	leaf();
	swapcontext(&at_body, &at_main);
	leaf();
	KEEP();
}

HOOKED void step(void)
{
	at_main.uc_stack.ss_sp = (void *)0x1000;
	at_main.uc_stack.ss_size = (size_t)-1 >> 1;
	swapcontext(&at_main, &at_body);
	leaf();
	KEEP();
}

int main(void)
{
	for (int i = 0; i < 50; i++) {
		getcontext(&at_body);
		at_body.uc_stack.ss_sp = stack;
		at_body.uc_stack.ss_size = sizeof stack;
		at_body.uc_link = &at_main;
		makecontext(&at_body, body, 0);
		step();
		step();
	}
	return 0;
}
