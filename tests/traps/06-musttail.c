/* A call that must be a jump is one at every level.
 *
 * cc: clang
 * output: 1
 * expect: 1 0 main
 * expect: 11 0 main even
 * expect: 10 0 main odd
 * depth: 0 */
#include <stdio.h>
#include "trap.h"

HOOKED int odd(int n);

HOOKED int even(int n)
{
	if (!n)
		return 1;
	__attribute__((musttail)) return odd(n - 1);
}

HOOKED int odd(int n)
{
	if (!n)
		return 0;
	__attribute__((musttail)) return even(n - 1);
}

int main(void)
{
	printf("%d\n", even(20));
	return 0;
}
