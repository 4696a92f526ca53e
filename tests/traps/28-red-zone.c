/* A leaf with an array below its stack pointer keeps it.
 *
 * output: 4950 4950 4950
 * expect: 1 0 main
 * expect: 3 0 main leaf */
#include <stdio.h>
#include "trap.h"

HOOKED int leaf(int n)
{
	volatile unsigned char a[100];
	int sum = 0;

	for (int i = 0; i < 100; i++)
		a[i] = (unsigned char)(i + n - n);
	for (int i = 0; i < 100; i++)
		sum += a[i];
	return sum;
}

int main(void)
{
	int a = leaf(0), b = leaf(1), c = leaf(2);

	printf("%d %d %d\n", a, b, c);
	return 0;
}
