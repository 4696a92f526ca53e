/* Two threads, two million calls each: none is lost.
 *
 * flags: -pthread
 * expect: 1 0 main
 * expect: 2 0 thread
 * expect: 4000000 0 thread f
 * threads: 3 */
#include <pthread.h>
#include <stddef.h>
#include "trap.h"

HOOKED void f(void) { KEEP(); }

HOOKED void *thread(void *unused)
{
	for (int i = 0; i < 2000000; i++)
		f();
	return unused;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, thread, NULL);
	pthread_create(&b, NULL, thread, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
