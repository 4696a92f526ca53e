/* exit, three calls down: those frames are open at the end; handlers of exit have a root of their own.
 * Way inline has no frames to count.
 *
 * status: 7
 * depth(!inline): 4
 * expect: 1 0 main
 * expect: 1 0 main l1
 * expect: 1 0 main l1 l2
 * expect: 1 0 main l1 l2 l3
 * expect: 1 0 handler
 * expect: 1 0 handler f */
#include <stdlib.h>
#include "trap.h"

HOOKED void f(void) { KEEP(); }
HOOKED void handler(void) { f(); KEEP(); }
HOOKED void l3(void) { KEEP(); exit(7); }
HOOKED void l2(void) { l3(); KEEP(); }
HOOKED void l1(void) { l2(); KEEP(); }

int main(void)
{
	atexit(handler);
	l1();
	return 0;
}
