/* longjmp out of a routine that is inlined into another, and out of both, again and again from the same places.
 *
 * opt: -O0
 * expect: 1 0 main
 * expect: 100 0 main outer
 * expect: 200 0 main outer inner
 * na(fentry): inlined routines have no hooks
 * na(inline): inlined routines have no hooks
 * na(pg): inlined routines have no hooks
 * na(clang): hooks come after inlining
 * depth: 0 */
#include <setjmp.h>
#include "trap.h"

static jmp_buf inner_env, outer_env;

static inline __attribute__((always_inline)) void inner(int n)
{
	KEEP();
	longjmp(n % 2 ? inner_env : outer_env, 1);
}

HOOKED void outer(void)
{
	volatile int n = 0;

	setjmp(inner_env);
	n++;
	inner(n);
}

int main(void)
{
	for (volatile int i = 0; i < 100; i++)
		if (!setjmp(outer_env))
			outer();
	return 0;
}
