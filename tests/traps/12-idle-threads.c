/* A hundred threads that wait: they need no table of program counters, which is 128 KB, and nothing that takes them.
 *
 * flags: -pthread
 * env: APROF_PC=timer
 * na(verified): at the rate of 10,000 each has such a table after 100 us
 * calls: 100 wait_for
 * calls: 100 idle
 * threads: 101
 * after: test $(stat -c %s amon.out) -lt 6000000 */
#include <pthread.h>
#include <stddef.h>
#include <time.h>
#include "trap.h"

enum { THREADS = 100 };

static pthread_barrier_t all, end;

HOOKED void wait_for(pthread_barrier_t *end) { pthread_barrier_wait(end); KEEP(); }
HOOKED void *idle(void *unused) { pthread_barrier_wait(&all); wait_for(&end); return unused; }

HOOKED void burn(double seconds)
{
	clock_t begin = clock();

	while ((double)(clock() - begin) < seconds * CLOCKS_PER_SEC)
		;
	KEEP();
}

int main(void)
{
	pthread_t t[THREADS];

	pthread_barrier_init(&all, NULL, THREADS + 1);
	pthread_barrier_init(&end, NULL, THREADS + 1);
	for (int i = 0; i < THREADS; i++)
		pthread_create(&t[i], NULL, idle, NULL);
	pthread_barrier_wait(&all);
	burn(0.1);			/* the sampler comes by */
	pthread_barrier_wait(&end);
	for (int i = 0; i < THREADS; i++)
		pthread_join(t[i], NULL);
	return 0;
}
