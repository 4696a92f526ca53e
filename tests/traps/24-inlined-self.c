/* GCC's way cyg: a recursion that GCC inlines into itself has hooks of its own there, on one frame of the machine's stack.  It is left by its end, from
 * the midst of it, and by a jump.
 *
 * ways: cyg
 * cc: gcc
 * opt: -O2
 * post: ! nm $1 | grep -q __aprof_enter || objdump -d $1 | grep -q 'call.*__aprof_enter_inlined'
 * expect: 1 0 main
 * expect: 200 1200 main down
 * expect: 1300 0 main down leaf
 * expect: 1000 0 main down other
 * expect: 100 0 main leaf
 * expect: 100 0 main down jump
 * depth: 0 */
#include <setjmp.h>
#include "trap.h"

static jmp_buf env;

HOOKED void leaf(void) { KEEP(); }
HOOKED void other(void) { KEEP(); }
HOOKED void jump(void) { KEEP(); longjmp(env, 1); }

static inline int down(int n, int jumps)
{
	int r = 0;

	if (n > 0) {
		leaf();
		if (n == 3 && jumps)
			jump();
		r = down(n - 1, jumps) + 1;
		other();
	}
	KEEP();
	return r;
}

int (*volatile call)(int n, int jumps) = down;

int main(void)
{
	for (volatile int i = 0; i < 100; i++) {
		if (call(10, 0) != 10)
			return 1;
		if (!setjmp(env))
			call(5, 1);
		leaf();
	}
	return 0;
}
