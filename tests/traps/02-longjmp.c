/* A longjmp out of three frames leaves their exits out: they must not be open afterwards.
 *
 * expect: 1 0 main
 * expect: 100 0 main l1
 * expect: 100 0 main l1 l2
 * expect: 100 0 main l1 l2 l3
 * expect: 100 0 main big_frame
 * note(!inline): resync 300
 * depth: 0 */
#include <setjmp.h>
#include "trap.h"

static jmp_buf env;

HOOKED void l3(void) { KEEP(); longjmp(env, 1); }
HOOKED void l2(void) { l3(); KEEP(); }
HOOKED void l1(void) { l2(); KEEP(); }
HOOKED int big_frame(int n) { volatile char a[1000]; a[n] = 1; return a[n]; }

int main(void)
{
	for (volatile int i = 0; i < 100; i++)
		if (!setjmp(env))
			l1();
		else
			big_frame(i);
	return 0;
}
