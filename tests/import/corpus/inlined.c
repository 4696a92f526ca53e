/* inlined.c - a second of CPU time in functions that the compiler puts into others, one of them into two. */
#include <time.h>

volatile long sink;

static inline void add(long i) { for (long k = 0; k < i % 8; k++) sink += k; }
static inline void inner(long n) { for (long i = 0; i < n; i++) sink += i; }
static inline void outer(long n) { inner(n); for (long i = 0; i < n; i++) add(i); }

__attribute__((noinline, noclone)) void work(long n)
{
	outer(n);
	inner(n / 2);
}

int main(void)
{
	while (clock() < CLOCKS_PER_SEC)
		work(20000);
	return 0;
}
