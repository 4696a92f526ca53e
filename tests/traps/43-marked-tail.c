/* A call at the end of a routine whose arguments are on the stack is no jump: its caller is still there.
 *
 * opt: -O2 -Os
 * expect: 1 0 main
 * expect: 100 0 main f
 * expect: 100 0 main f g
 * expect: 100 0 main f g leaf
 * expect: 100 0 main other
 * expect: 100 0 main other leaf */
#include "trap.h"

static volatile int sink;

HOOKED void leaf(int n) { sink = n; KEEP(); }
HOOKED int g(int a, int b, int c, int d, int e, int f, int h, int i) { leaf(a); KEEP(); return a + b + c + d + e + f + h + i; }
HOOKED int f(int a) { KEEP(); return g(a, 1, 2, 3, 4, 5, 6, 7); }
HOOKED int other(int a) { leaf(a); KEEP(); return a; }

int main(void)
{
	for (int i = 0; i < 100; i++) {
		sink = f(i);
		sink = other(i);
	}
	return 0;
}
