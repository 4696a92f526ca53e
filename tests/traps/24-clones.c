/* Functions at odd addresses, and clones: their calls are the function's.
 *
 * opt: -O2 -Os
 * flags: -fno-align-functions
 * expect: 1 0 main
 * expect: 100 0 main a
 * expect: 200 0 main b
 * expect: 100 0 main a b */
#include "trap.h"

static volatile int sink;

static __attribute__((noinline)) int b(int x, int y) { if (x > 1000) sink += y; KEEP(); return x + y; }
static __attribute__((noinline)) int a(int x, int y) { sink = b(x, 7); KEEP(); return y; }

int main(void)
{
	for (int i = 0; i < 100; i++) {
		a(i, 3);
		b(i, 7);
		b(i, 7);
	}
	return 0;
}
