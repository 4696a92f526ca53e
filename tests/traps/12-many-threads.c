/* Threads by the hundred, one after another and 20 at once: every call is in the file.
 *
 * flags: -pthread
 * calls: 400000 f
 * calls: 400 thread
 * threads: 21.. */
#include <pthread.h>
#include <stddef.h>
#include "trap.h"

HOOKED void f(void) { KEEP(); }
HOOKED void *thread(void *unused) { for (int i = 0; i < 1000; i++) f(); return unused; }

int main(void)
{
	pthread_t t[20];

	for (int i = 0; i < 200; i++) {
		pthread_create(&t[0], NULL, thread, NULL);
		pthread_join(t[0], NULL);
	}
	for (int round = 0; round < 10; round++) {
		for (int i = 0; i < 20; i++)
			pthread_create(&t[i], NULL, thread, NULL);
		for (int i = 0; i < 20; i++)
			pthread_join(t[i], NULL);
	}
	return 0;
}
