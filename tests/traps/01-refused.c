/* Where returns must not be redirected, each entry drops what has been left: by where it stands, and by whether its slot
 * still holds what it held.  The profile says so.
 *
 * ways: mcount mfentry
 * env: APROF_REDIRECT=no
 * expect: 1 0 main
 * expect: 100 0 main first
 * expect: 100 0 main first leaf
 * expect: 100 0 main pushed
 * expect: 100 0 main pushed leaf
 * expect: 1 20 main recursion
 * expect: 21 0 main recursion leaf
 * expect: 1 0 main after
 * note: unredirected 424..
 * report: whose return could not be\s+seen */
#include "trap.h"

HOOKED void leaf(void) { KEEP(); }
HOOKED void first(void) { leaf(); KEEP(); }
HOOKED void pushed(int a, int b, int c, int d, int e, int f, int g, int h) { leaf(); KEEP(); (void)(a + b + c + d + e + f + g + h); }
HOOKED void recursion(int n) { leaf(); if (n) recursion(n - 1); KEEP(); }
HOOKED void after(void) { KEEP(); }

int main(void)
{
	for (int i = 0; i < 100; i++) {
		first();
		pushed(1, 2, 3, 4, 5, 6, 7, 8);
	}
	recursion(20);
	after();
	return 0;
}
