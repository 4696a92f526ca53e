/* A context made by makecontext whose stack is an array in main's frame, and one within the stack of that one.
 *
 * flags: -pthread
 * output: 30 45
 * expect: 1 0 main
 * expect: 10 0 main leaf
 * expect: 1 0 outer
 * expect: 10 0 outer leaf
 * expect: 1 0 inner
 * expect: 10 0 inner leaf */
#include <stdio.h>
#include <ucontext.h>
#include "trap.h"

enum { SIZE = 1 << 17 };

static ucontext_t at_main, at_outer, at_inner;
static int calls, sum;

HOOKED void leaf(int n) { calls++; sum += n; KEEP(); }

HOOKED void inner(void)
{
	for (int i = 0; i < 10; i++) {
		leaf(i);
		swapcontext(&at_inner, i % 2 ? &at_main : &at_outer);
	}
}

HOOKED void outer(void)
{
	char stack[SIZE / 4] __attribute__((aligned(16)));

	getcontext(&at_inner);
	at_inner.uc_stack.ss_sp = stack;
	at_inner.uc_stack.ss_size = sizeof stack;
	at_inner.uc_link = &at_main;
	makecontext(&at_inner, inner, 0);
	for (int i = 0; i < 10; i++) {
		leaf(0);
		swapcontext(&at_outer, i % 2 ? &at_main : &at_inner);
	}
	for (;;)
		swapcontext(&at_outer, &at_inner);
}

int main(void)
{
	char stack[SIZE] __attribute__((aligned(16)));

	getcontext(&at_outer);
	at_outer.uc_stack.ss_sp = stack;
	at_outer.uc_stack.ss_size = sizeof stack;
	at_outer.uc_link = &at_main;
	makecontext(&at_outer, outer, 0);
	for (int i = 0; i < 10; i++) {
		leaf(0);
		swapcontext(&at_main, &at_outer);
	}
	while (calls < 30)
		swapcontext(&at_main, &at_outer);
	printf("%d %d\n", calls, sum);
	return 0;
}
