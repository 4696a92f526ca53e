/* qsort of random numbers: a routine of a few instructions that a library calls, N times 18 million. */
#include <stdio.h>
#include <stdlib.h>

enum { ITEMS = 1 << 20 };
static int items[ITEMS];

static __attribute__((noinline)) int compare(const void *x, const void *y)
{
	int a = *(const int *)x, b = *(const int *)y;

	return (a > b) - (a < b);
}

static __attribute__((noinline)) void fill(unsigned state)
{
	for (int i = 0; i < ITEMS; i++) {
		state = state * 1664525u + 1013904223u;
		items[i] = (int)(state >> 4);
	}
}

static __attribute__((noinline)) int sort(unsigned seed)
{
	fill(seed);
	qsort(items, ITEMS, sizeof *items, compare);
	return items[ITEMS / 2];
}

int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 1;
	unsigned sum = 0;

	for (int i = 0; i < n; i++)
		sum += (unsigned)sort((unsigned)i);
	printf("%u\n", sum);
	return 0;
}
