/* heap.c - allocations of known numbers and sizes, of which some stay. */
#include <stdlib.h>

#define N __attribute__((noinline, noclone))
void *volatile kept[4000];

N void *take(size_t n) { return malloc(n); }
N void keep(void) { for (int i = 0; i < 1000; i++) kept[i] = take(3000); }
N void pass(void) { for (int i = 0; i < 2000; i++) { void *volatile p = take(700); free(p); } }

int main(void)
{
	keep();
	pass();
	return 0;
}
