/* Routines that align their frames, and may have copied their return address: each is left when it returns.
 *
 * output: 17904 0
 * expect: 1 0 main
 * expect: 100 0 main aligned
 * expect: 100 0 main aligned use
 * expect: 100 0 main after
 * note: resync 0
 * depth: 0 */
#include <alloca.h>
#include <stdint.h>
#include <stdio.h>
#include "trap.h"

static int crooked;

HOOKED void use(char *a, char *b, int n)
{
	crooked += (uintptr_t)a % 64 != 0;
	for (int i = 0; i < n; i++)
		a[i % 64] = b[i] = (char)i;
	KEEP();
}

HOOKED int aligned(int n, int b, int c, int d, int e, int f, int on_stack, int too)
{
	_Alignas(64) char a[64];

	use(a, alloca((size_t)n), n);
	KEEP();
	return a[0] + b + c + d + e + f + on_stack + too;
}

HOOKED void after(void) { KEEP(); }

int main(void)
{
	int sum = 0;

	for (int i = 0; i < 100; i++) {
		sum += aligned(i + 1, 1, 2, 3, 4, 5, 70 + i % 2 * 2, 70) ;
		after();
	}
	printf("%d %d\n", sum, crooked);
	return 0;
}
