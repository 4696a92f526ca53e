/* threads.c - two threads, each with work of its own. */
#include <pthread.h>

volatile long sink;
#define N __attribute__((noinline, noclone))

N void leaf(long n) { for (long i = 0; i < n; i++) sink += i; }
N void *first(void *n) { leaf((long)n); return 0; }
N void *second(void *n) { leaf((long)n); leaf(30); return 0; }

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, 0, first, (void *)500);
	pthread_join(a, 0);
	pthread_create(&b, 0, second, (void *)900);
	pthread_join(b, 0);
	return 0;
}
