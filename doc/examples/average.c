/* average.c - one routine with a cheap caller and a dear one: gprof shares its time by the number of calls. */
#include <stdio.h>

static volatile long sum;

__attribute__((noinline)) static void work(long n)
{
	for (long i = 0; i < n; i++)
		sum += i;
}

__attribute__((noinline)) static void cheap(void)
{
	for (int i = 0; i < 1000; i++)
		work(10);
}

__attribute__((noinline)) static void dear(void)
{
	for (int i = 0; i < 1000; i++)
		work(1000000);
}

int main(void)
{
	cheap();
	dear();
	printf("%ld\n", sum);
	return 0;
}
