/* The routine called after a longjmp has the very frame that the one left had.  Way cyg tells a second call from the same
 * place from a routine inlined into itself by where its hook was called.
 *
 * expect: 100 0 main jump
 * expect: 1 0 main
 * expect: 100 0 main other
 * note(!inline): resync 100
 * depth: 0 */
#include <setjmp.h>
#include "trap.h"

static jmp_buf env;

HOOKED void jump(void) { KEEP(); longjmp(env, 1); }
HOOKED void other(void) { KEEP(); }

int main(void)
{
	for (volatile int i = 0; i < 100; i++)
		if (!setjmp(env))
			jump();
	for (volatile int i = 0; i < 100; i++)
		other();
	return 0;
}
