/* A coroutine that is dropped deep in its calls, and another one on the same stack, begun by a function without hooks: none of the first one's routines has
 * called what that calls.
 *
 * plain: plain.o -c -DPLAIN
 * link: plain.o
 * expect: 1 0 main
 * expect: 100 0 main turn
 * expect: 100 0 first
 * expect: 100 0 first leaf
 * expect: 100 0 second
 * expect: 100 0 second leaf
 * note(!inline): foreign_stack 1 */
#include <stddef.h>
#include <ucontext.h>
#include "trap.h"

void begin(void (*f)(void));
void leave(void);
void plain(void);
void first(void);
void second(void);

#ifdef PLAIN
static ucontext_t host, coroutine;
static char stack[1 << 16] __attribute__((aligned(16)));

void leave(void) { swapcontext(&coroutine, &host); }
void plain(void) { second(); leave(); }

void begin(void (*f)(void))
{
	getcontext(&coroutine);
	coroutine.uc_stack.ss_sp = stack;
	coroutine.uc_stack.ss_size = sizeof stack;
	coroutine.uc_link = NULL;
	makecontext(&coroutine, f, 0);
	swapcontext(&host, &coroutine);
}
#else
HOOKED void leaf(void) { KEEP(); }
HOOKED void first(void) { leaf(); leave(); KEEP(); }
HOOKED void second(void) { leaf(); KEEP(); }
HOOKED void turn(void) { begin(first); begin(plain); KEEP(); }

int main(void)
{
	for (int i = 0; i < 100; i++)
		turn();
	return 0;
}
#endif
