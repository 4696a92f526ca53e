/* Who looks at return addresses finds those that there are without aprof: backtrace, and a nested function, which is handed
 * its static chain before the hook.
 *
 * cc: gcc
 * flags: -fno-optimize-sibling-calls
 * output: 5 frames, 4 times
 * expect: 1 0 main
 * expect: 1 0 main one
 * expect: 1 0 main one two
 * expect: 1 0 main one two depth
 * ignore: count.0
 * ignore: count */
#include <execinfo.h>
#include <stdio.h>
#include "trap.h"

HOOKED int depth(void) { void *frames[50]; int n = backtrace(frames, 50); KEEP(); return n; }
HOOKED int two(int *times)
{
	HOOKED int count(int left) { (*times)++; int n = left > 0 ? count(left - 1) : depth(); KEEP(); return n; }
	int n = count(3);

	KEEP();
	return n - depth();
}
HOOKED int one(int *times) { int n = two(times); KEEP(); return n; }

int main(void)
{
	int times = 0, n = one(&times);

	printf("%d frames, %d times\n", n + 1, times);
	return 0;
}
