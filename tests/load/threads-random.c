/* Threads that begin and end at random, 64 of them alive: every call is counted.
 *
 * small: 200
 * full: 1000
 * flags: -pthread
 * told: yes
 * note: thread_folded 0.. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include "../traps/trap.h"

enum { ALIVE = 64 };

struct work { pthread_t thread; int calls, depth; int running; };

HOOKED void leaf(void) { KEEP(); }
HOOKED void nest(int depth) { if (depth > 0) nest(depth - 1); else leaf(); KEEP(); }

HOOKED void *run(void *arg)
{
	struct work *w = arg;

	for (int i = 0; i < w->calls; i++)
		nest(w->depth);
	return NULL;
}

int main(int argc, char **argv)
{
	static struct work work[ALIVE];
	int n = argc > 1 ? atoi(argv[1]) : 1;
	long leaves = 0, nests = 0;
	FILE *told = fopen("told", "w");

	srand(1);
	for (int i = 0; i < n; i++) {
		struct work *w = &work[rand() % ALIVE];

		if (w->running)
			pthread_join(w->thread, NULL);
		w->calls = rand() % 2000;
		w->depth = rand() % 4;
		w->running = 1;
		leaves += w->calls;
		nests += (long)w->calls * (w->depth + 1);
		pthread_create(&w->thread, NULL, run, w);
	}
	for (int i = 0; i < ALIVE; i++)
		if (work[i].running)
			pthread_join(work[i].thread, NULL);
	fprintf(told, "calls: %d run\ncalls: %ld leaf\ncalls: %ld nest\n", n, leaves, nests);
	fclose(told);
	return 0;
}
