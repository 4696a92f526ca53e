/* spin.c - a second of CPU time in three functions. */
#include <time.h>

volatile long sink;
#define N __attribute__((noinline, noclone))

N void leaf(long n) { for (long i = 0; i < n; i++) sink += i; }
N void middle(void) { leaf(20000); for (long i = 0; i < 9000; i++) sink ^= i; }
N void top(void) { for (int i = 0; i < 100; i++) middle(); leaf(90000); }

int main(void)
{
	while (clock() < CLOCKS_PER_SEC)
		top();
	return 0;
}
