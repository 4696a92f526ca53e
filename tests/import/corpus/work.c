/* work.c - what is counted: a few functions without libc, so that the files are small; one calls itself, one is called by two. */
volatile long sink = 1;		/* in the file: valgrind reads symbols where code and data are mapped of it */
#define N __attribute__((noinline, noclone))

N void leaf(long n) { for (long i = 0; i < n; i++) sink += i & 1 ? i : -i; }
N void middle(void) { leaf(200); leaf(7); }
N long again(long n) { sink++; return n ? again(n - 1) + 1 : 0; }
N void top(void) { for (int i = 0; i < 9; i++) middle(); again(5); }

void _start(void)
{
	top();
	leaf(1000);
	__asm__ volatile ("syscall" : : "a"(231), "D"(0));
}
