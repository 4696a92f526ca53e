/* A routine whose beginning decides whether there is work to do: GCC inlines that beginning in the callers, and calls the rest, by itself
 * (proc.part.0).  Built by the wrapper each call of it counts, also those that end at once.
 *
 * na(-O0): nothing is inlined
 * na(clang): it does not inline the beginning of a routine
 * output: 59700000
 * calls(!pg): 8000 proc
 * calls(pg): 3000 proc
 * report(pg): proc <part>
 * calls: 1000 one
 * calls: 1000 other */
#include <stdio.h>
#include <stdlib.h>
#include "trap.h"

static volatile int kept[16];

static int proc(int n, int wanted)
{
	int sum = 0;

	if (!wanted)
		return 0;
	for (int i = 0; i < 200; i++) {
		sum += i ^ n;
		kept[i & 15] = sum;
		if (sum < 0)
			abort();
	}
	for (int i = 0; i < 16; i++)
		kept[i] = kept[15 - i] + n;
	for (int i = 3; i < 15; i++) {
		kept[i - 1] = kept[i] * 3;
		kept[i + 1] = kept[i] / (n + 1);
	}
	printf("%s", kept[3] == 12345 ? "?" : "");
	return sum;
}

HOOKED int one(int n)
{
	int sum = 0;

	for (int i = 0; i < 4; i++)
		sum += proc(n, i & 1);
	return sum;
}

HOOKED int other(int n)
{
	int sum = 0;

	for (int i = 0; i < 4; i++)
		sum += proc(i, i == n % 4);
	return sum;
}

int main(void)
{
	long sum = 0;

	for (int i = 0; i < 1000; i++)
		sum += one(i & 7) + other(i);
	printf("%ld\n", sum);
	return 0;
}
