/* The program has taken all memory that it may have: what needs no memory is counted on, the rest is a recorded loss, and threads
 * that begin then run as ever; with memory there again they are counted.
 *
 * na(verified pg): a call whose return could not be told is left for its caller only by the next call, and a note says so
 * flags: -pthread
 * shell: ulimit -S -v 64000; exec "$@"
 * output: 500000 500000 100
 * calls: 10 before
 * calls: 480000..500010 after
 * calls: 0..500000 starved
 * note: out_of_memory 1..
 * note: lost_calls 0..
 * note: stack_overflow 0..
 * note: disk_full 0..
 * note(pg): unredirected 0.. */
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <sys/mman.h>
#include "trap.h"

enum { CALLS = 500000, PAGE = 4096 };

static sem_t may_run[2];
static long starved_calls, after_calls, new_calls;

HOOKED void before(void) { KEEP(); }
HOOKED void starved(void) { starved_calls++; KEEP(); }
HOOKED void after(void) { after_calls++; KEEP(); }
HOOKED void new(int n) { new_calls++; if (n > 1) new(n - 1); KEEP(); }

/* A thread that was there before, and meets its first hook when it may run. */
UNHOOKED void *run(void *which)
{
	sem_wait(which ? &may_run[1] : &may_run[0]);
	for (int i = 0; i < CALLS; i++)
		(which ? after : starved)();
	return NULL;
}

/* All that can be had, in ever smaller pieces. */
UNHOOKED size_t take(void *pieces[], size_t sizes[])
{
	size_t n = 0;

	for (size_t size = 1 << 24; size >= PAGE; size /= 2)
		while (n < 512 && (pieces[n] = mmap(NULL, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)) != MAP_FAILED)
			sizes[n++] = size;
	return n;
}

int main(void)
{
	static void *pieces[512];
	static size_t sizes[512], n;
	pthread_t threads[2];

	for (int i = 0; i < 10; i++) {
		before();
		after();
	}
	for (long i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, run, (void *)i);
	n = take(pieces, sizes);
	sem_post(&may_run[0]);
	pthread_join(threads[0], NULL);
	new(100);
	while (n-- > 0)
		munmap(pieces[n], sizes[n]);
	sem_post(&may_run[1]);
	pthread_join(threads[1], NULL);
	printf("%ld %ld %ld\n", starved_calls, after_calls - 10, new_calls);
	return 0;
}
