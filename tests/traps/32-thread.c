/* Under -fsanitize=thread: the same counts, and nothing to complain of.
 *
 * na(verified): by way cyg the sanitizer's own call at a routine's end stands behind the exit hook
 * opt: -O2
 * flags: -fsanitize=thread -pthread
 * expect: 1 0 main
 * expect: 2 0 thread
 * expect: 2000 0 thread f */
#include <pthread.h>
#include <stddef.h>
#include "trap.h"

HOOKED void f(int *p) { (*p)++; KEEP(); }
HOOKED void *thread(void *unused) { int n = 0; for (int i = 0; i < 1000; i++) f(&n); return unused; }

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, thread, NULL);
	pthread_create(&b, NULL, thread, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
