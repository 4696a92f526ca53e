/* A routine that only calls one that does not return, and that GCC knows not to want an aligned stack: neither a frame nor a return tells it from a naked one.
 *
 * expect: 1 0 main
 * expect: 3 0 main start
 * expect: 3 0 main start leap
 * expect: 3 0 main start leap land
 * output: 3 */
#include <stdio.h>
#include "trap.h"

static void *place[5];
static volatile int landed;

__attribute__((noclone)) HOOKED void land(void) { __builtin_longjmp(place, 1); }
__attribute__((noclone)) HOOKED void leap(void) { land(); }
HOOKED void start(void)
{
	if (__builtin_setjmp(place) == 0)
		leap();
	else
		landed++;
	KEEP();
}

int main(void)
{
	for (int i = 0; i < 3; i++)
		start();
	printf("%d\n", landed);
	return 0;
}
