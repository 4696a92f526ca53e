/* Twenty million mutual tail calls need no stack.
 *
 * na(cyg): an exit hook stands after the call, so there is no tail call to be had; documented
 * na(-O0): the compiler makes no tail calls
 * na(clang -O1): nor does Clang there
 * output: 0
 * calls: 10000000 odd
 * calls: 10000001 even
 * note: stack_overflow 0
 * depth: 0 */
#include <stdio.h>
#include "trap.h"

HOOKED int even(int n);
HOOKED int odd(int n) { return n == 0 ? 1 : even(n - 1); }
HOOKED int even(int n) { return n == 0 ? 0 : odd(n - 1); }

int main(void)
{
	printf("%d\n", even(20000000));
	return 0;
}
