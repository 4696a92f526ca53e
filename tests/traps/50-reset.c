/* aprof_reset begins a new interval, for all threads and phases.
 *
 * flags: -pthread
 * expect: 3 0 main work
 * expect: 1 0 thread work
 * after: "$APROF" contexts --phase=solve > c; grep -qx '3 0 [0-9.]* main work' c; grep -qx '1 0 [0-9.]* thread work' c
 * after: "$APROF" contexts --phase=load > c; ! grep -q work c */
#include <pthread.h>
#include <stddef.h>
#include "../../src/contract/aprof.h"
#include "trap.h"

static pthread_barrier_t barrier;

HOOKED void work(void) { KEEP(); }

HOOKED void *thread(void *unused)
{
	work();
	pthread_barrier_wait(&barrier);
	pthread_barrier_wait(&barrier);
	work();
	return unused;
}

int main(void)
{
	pthread_t t;

	pthread_barrier_init(&barrier, NULL, 2);
	pthread_create(&t, NULL, thread, NULL);
	aprof_phase("load");
	for (int i = 0; i < 10; i++)
		work();
	pthread_barrier_wait(&barrier);
	aprof_phase("solve");
	work();
	aprof_reset();
	pthread_barrier_wait(&barrier);
	for (int i = 0; i < 3; i++)
		work();
	pthread_join(t, NULL);
	return 0;
}
