/* Routines that are safe in transactions, of which GCC makes clones for these: hooks are called there, too.
 *
 * cc: gcc
 * flags: -fgnu-tm
 * expect: 1 0 main
 * expect: 5 0 main step
 * expect: 5 0 main step twice
 * expect: 10 0 main step twice add
 * expect: 1 0 main twice
 * expect: 2 0 main twice add */
#include "trap.h"

static int total;

HOOKED __attribute__((transaction_safe)) int add(int x) { return total + x; }
HOOKED __attribute__((transaction_safe)) int twice(int x) { return add(x) + add(x + 1); }
HOOKED void step(int i) { __transaction_atomic { total = twice(i); } }

int main(void)
{
	for (int i = 0; i < 5; i++)
		step(i);
	return twice(1) == 169 ? 0 : 1;
}
