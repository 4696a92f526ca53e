/* A destructor of thread-specific data that calls hooked code after all others: counted, in its own thread.
 *
 * flags: -pthread
 * expect: 1 0 main
 * expect: 5 0 thread
 * expect: 15 0 destroy
 * expect: 150 0 destroy f
 * threads: 6 */
#include <pthread.h>
#include <stdint.h>
#include <stddef.h>
#include "trap.h"

static pthread_key_t key;

HOOKED void f(void) { KEEP(); }

HOOKED void destroy(void *value)
{
	uintptr_t round = (uintptr_t)value;

	for (int i = 0; i < 10; i++)
		f();
	if (round < 3)
		pthread_setspecific(key, (void *)(round + 1));
}

HOOKED void *thread(void *unused) { pthread_setspecific(key, (void *)1); KEEP(); return unused; }

int main(void)
{
	pthread_t t;

	pthread_key_create(&key, destroy);
	for (int i = 0; i < 5; i++) {
		pthread_create(&t, NULL, thread, NULL);
		pthread_join(t, NULL);
	}
	return 0;
}
