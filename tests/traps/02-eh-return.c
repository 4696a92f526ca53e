/* A routine that leaves by __builtin_eh_return, as an unwinder does, puts its caller's context back.
 *
 * cc: gcc
 * ways: inline fentry
 * expect: 1 0 main
 * expect: 100 0 main out
 * expect: 100 0 main out leaf
 * expect: 100 0 main other */
#include "trap.h"

static volatile int sink;
static void (*volatile indirect)(void);        /* GCC would know that a call of `out` does not return */

HOOKED void leaf(void) { sink++; KEEP(); }
HOOKED void other(void) { sink++; KEEP(); }

HOOKED void out(void)
{
	leaf();
	__builtin_eh_return(0, __builtin_return_address(0));
}

int main(void)
{
	indirect = out;
	for (int i = 0; i < 100; i++) {
		indirect();
		other();
	}
	return 0;
}
