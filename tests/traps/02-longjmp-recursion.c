/* Out of a recursion of two routines, 50 deep: nothing of it is left.
 *
 * expect: 1 0 main
 * expect: 10 0 main odd
 * expect: 10 0 main odd even
 * expect: 240 0 main odd' even odd
 * expect: 240 0 main odd' even' odd even
 * expect: 10 0 main after
 * depth: 0 */
#include <setjmp.h>
#include "trap.h"

static jmp_buf env;

HOOKED void odd(int n);
HOOKED void even(int n) { if (n > 1) odd(n - 1); else longjmp(env, 1); KEEP(); }
HOOKED void odd(int n) { even(n - 1); KEEP(); }
HOOKED void after(void) { volatile char room[4000]; room[0] = 0; KEEP(); }

int main(void)
{
	for (volatile int i = 0; i < 10; i++)
		if (!setjmp(env))
			odd(50);
		else
			after();
	return 0;
}
