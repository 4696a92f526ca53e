/* Nested functions get their static chain, whatever their entry hooks push; each comes back to its caller.
 *
 * cc: gcc
 * output: 495644501
 * expect: 1 0 main
 * expect: 1 0 main outer
 * expect: 1 0 main outer apply
 * expect: 100 0 main outer apply middle.0
 * expect: 100 0 main outer apply' middle.0 apply
 * expect: 10000 0 main outer apply' middle.0 apply inner.1
 * expect: 1 0 main after
 * depth: 0 */
#include <stdio.h>
#include "trap.h"

HOOKED void apply(void (*f)(int), int n) { for (int i = 0; i < n; i++) f(i); KEEP(); }

HOOKED long outer(int n)
{
	long sum = 0;

	void HOOKED middle(int i)
	{
		void HOOKED inner(int j) { sum += 1000 * i + j + 1000 * (j == 0); KEEP(); }
		apply(inner, n);
		KEEP();
	}
	apply(middle, n);
	KEEP();
	return sum + 500 * n - 500;
}

HOOKED void after(void) { KEEP(); }

int main(void)
{
	printf("%ld\n", outer(100) + 1);
	after();
	return 0;
}
