/* The same with asynchronous cancellation, which may strike inside a hook.
 *
 * na(fentry -O0): limit: at the ret behind an exit hook GCC describes the frame wrongly to unwinders
 * flags: -pthread
 * told: yes
 * output: 500 */
#include <pthread.h>
#include <stdio.h>
#include <time.h>
#include "trap.h"

static long calls;

HOOKED void leaf(void) { __atomic_fetch_add(&calls, 1, __ATOMIC_RELAXED); KEEP(); }
HOOKED void a(unsigned n);
HOOKED void b(unsigned n) { leaf(); if (n) a(n / 2); KEEP(); }
HOOKED void a(unsigned n) { leaf(); if (n) (n & 1 ? b : a)(n / 2); KEEP(); }
HOOKED void *thread(void *seed)
{
	pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
	for (unsigned n = *(unsigned *)seed;; n++)
		a(n);
	return NULL;
}

int main(void)
{
	int cancelled = 0;
	FILE *told;

	for (unsigned i = 0; i < 500; i++) {
		struct timespec while_ = { 0, 50000 + (long)(i % 20) * 10000 };
		unsigned seed = i * 7919;
		void *result;
		pthread_t t;

		pthread_create(&t, NULL, thread, &seed);
		nanosleep(&while_, NULL);
		pthread_cancel(t);
		pthread_join(t, &result);
		cancelled += result == PTHREAD_CANCELED;
	}
	printf("%d\n", cancelled);
	told = fopen("told", "w");
	fprintf(told, "calls: %ld..%ld leaf\n", calls, calls + 500);
	fclose(told);
	return 0;
}
