/* Threads one after another: their counts add up, and the profile does not grow with their number.
 *
 * small: 1000
 * full: 10000
 * need: jq
 * flags: -pthread
 * told: yes
 * note: thread_folded 0..
 * threads: 1..80
 * after: test $(($("$APROF" info --json amon.out | jq .run.files[0].contexts) < 20)) = 1; test $(stat -c %s amon.out) -lt 33554432 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include "../traps/trap.h"

HOOKED void leaf(void) { KEEP(); }
HOOKED void *run(void *unused) { leaf(); leaf(); leaf(); return unused; }

int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 1;
	FILE *told = fopen("told", "w");

	for (int i = 0; i < n; i++) {
		pthread_t t;

		pthread_create(&t, NULL, run, NULL);
		pthread_join(t, NULL);
	}
	fprintf(told, "calls: %d run\ncalls: %d leaf\n", n, 3 * n);
	fclose(told);
	return 0;
}
