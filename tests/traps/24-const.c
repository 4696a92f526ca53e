/* A routine that promises to do nothing but compute has hooks, which write: its calls are counted, and its caller's context stays.
 *
 * output: 285 90
 * expect: 1 0 main
 * expect: 10 0 main square
 * expect: 10 0 main twice
 * expect: 10 0 main twice add
 * depth: 0 */
#include <stdio.h>
#include "trap.h"

HOOKED __attribute__((const)) int square(int x) { KEEP(); return x * x; }
HOOKED __attribute__((pure)) int add(int x, int y) { KEEP(); return x + y; }
HOOKED __attribute__((const)) int twice(int x) { int r = add(x, x); KEEP(); return r; }

int main(void)
{
	int squares = 0, doubles = 0;

	for (int i = 0; i < 10; i++) {
		squares += square(i);
		doubles += twice(i);
	}
	printf("%d %d\n", squares, doubles);
	return 0;
}
