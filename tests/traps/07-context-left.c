/* A coroutine's stack was an array in a frame of main's, which control comes back to far below the hooks that were seen, by a switch or a jump past it.  What main calls
 * after that, where the array was, is main's, behind a switch to another coroutine and back, too.
 *
 * variants: swaps jumps
 * output: 300
 * expect: 1 0 main
 * expect: 100 0 main host
 * expect: 100 0 body
 * expect: 100 0 body leaf
 * expect: 100 0 main deep
 * expect: 100 0 main deep leaf
 * expect: 100 0 other
 * expect: 100 0 other leaf
 * note(!inline): foreign_stack 1.. */
#include <setjmp.h>
#include <stdio.h>
#include <string.h>
#include <ucontext.h>
#include "trap.h"

static ucontext_t at_main, at_body, at_deep, at_other;
static char others[1 << 16] __attribute__((aligned(16)));
static sigjmp_buf at_start;
static int calls, jumps;

HOOKED void leaf(void) { calls++; KEEP(); }

HOOKED void body(void)
{
	leaf();
	if (jumps)
		siglongjmp(at_start, 1);
	swapcontext(&at_body, &at_main);
	KEEP();
}

HOOKED void other(void) { leaf(); KEEP(); }

UNHOOKED static void make(ucontext_t *c, char *stack, size_t size, void (*f)(void))
{
	getcontext(c);
	c->uc_stack.ss_sp = stack;
	c->uc_stack.ss_size = size;
	c->uc_link = &at_deep;
	makecontext(c, f, 0);
}

HOOKED void host(void)
{
	char stack[1 << 17] __attribute__((aligned(16)));

	make(&at_body, stack, sizeof stack, body);
	swapcontext(&at_main, &at_body);
	KEEP();
}

HOOKED void deep(void)
{
	char room[100000];

	__asm__ volatile("" : : "r"(room) : "memory");
	make(&at_other, others, sizeof others, other);
	swapcontext(&at_deep, &at_other);
	leaf();
	KEEP();
}

int main(int argc, char **argv)
{
	jumps = argc > 1 && !strcmp(argv[1], "jumps");
	for (volatile int i = 0; i < 100; i++) {
		if (!sigsetjmp(at_start, 0))
			host();
		deep();
	}
	printf("%d\n", calls);
	return 0;
}
