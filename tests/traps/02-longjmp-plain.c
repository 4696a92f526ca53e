/* A jump out of hooked code into a function without hooks, as into lua_pcall, and hooked code after it.
 *
 * plain: plain.o -c -DPLAIN
 * link: plain.o
 * expect: 1 0 main
 * expect: 1000 0 main called
 * expect: 1000 0 main called deeper
 * expect: 1000 0 main work
 * expect: 500 0 main handle
 * expect: 500 0 main handle work */
#include "trap.h"

#ifdef PLAIN
#include <setjmp.h>

static jmp_buf here;

void leave(void);
int guarded(void (*f)(int), void (*caught)(void), int n);

void leave(void) { longjmp(here, 1); }

int guarded(void (*f)(int), void (*caught)(void), int n)
{
	if (setjmp(here) == 0)
		f(n);
	else
		caught();
	return n;
}
#else
void leave(void);
int guarded(void (*f)(int), void (*caught)(void), int n);

HOOKED void work(void) { KEEP(); }
HOOKED void handle(void) { work(); KEEP(); }
HOOKED void deeper(int n) { if (n % 2) leave(); KEEP(); }
HOOKED void called(int n) { deeper(n); KEEP(); }

#ifndef OWN_MAIN
int main(void)
{
	for (int i = 0; i < 1000; i++) {
		guarded(called, handle, i);
		work();
	}
	return 0;
}
#endif
#endif
