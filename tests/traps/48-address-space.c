/* A limit on the address space, or on data: the program gets as much memory as it gets without aprof, but for a few parts in
 * a hundred.  It takes two thirds of the limit, in pieces, then recurses, starts threads and makes contexts.
 *
 * na(verified): what holds stacks against contexts takes memory of its own, and does without where there is none
 * na(pg): the doubles of return addresses take 64 MB for each 64 MB of the address space that stacks are in
 * flags: -pthread
 * variants: v32000 v64000 v400000 v1200000 v3000000 d32000 d400000
 * shell: limit=$(eval echo \${$#}); ulimit -S -${limit%%[0-9]*} ${limit#?}; exec "$@"
 * output: all memory
 * expect: 1 0 main
 * expect: 1 4999 main down
 * expect: 4 0 thread
 * expect: 4000 0 thread leaf
 * ignore: even
 * ignore: odd
 * calls: 20 even
 * calls: 20 odd
 * after: test "$("$APROF" info amon.out | sed -n 's/.* bound //p')" -lt 200000000
 * note: timer_failed 0 */
#include <pthread.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include "trap.h"

enum { PIECES = 32, THREADS = 4, PASSES = 20 };

HOOKED void leaf(void) { KEEP(); }
HOOKED void down(int n) { if (n > 1) down(n - 1); KEEP(); }
HOOKED void even(int n);
HOOKED void odd(int n) { if (n > 0) even(n - 1); KEEP(); }
HOOKED void even(int n) { if (n > 0) odd(n - 1); KEEP(); }

HOOKED void *thread(void *unused)
{
	for (int i = 0; i < 1000; i++)
		leaf();
	return unused;
}

/* Does the program get two thirds of what the limit of KIND lets it have? */
UNHOOKED int take(int kind)
{
	struct rlimit limit;
	int got = 0;

	getrlimit(kind, &limit);
	if (limit.rlim_cur == RLIM_INFINITY)
		return 1;
	for (int i = 0; i < PIECES; i++)
		got += mmap(NULL, limit.rlim_cur / 3 * 2 / PIECES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) != MAP_FAILED;
	return got == PIECES;
}

int main(void)
{
	int all = take(RLIMIT_AS) && take(RLIMIT_DATA);
	pthread_attr_t small;
	pthread_t t;

	pthread_attr_init(&small);
	pthread_attr_setstacksize(&small, 65536);
	down(5000);
	for (int i = 0; i < THREADS; i++)
		if (pthread_create(&t, &small, thread, NULL) != 0 || pthread_join(t, NULL) != 0)
			all = 0;
	for (int i = 0; i < PASSES; i++)
		(i % 2 ? odd : even)(1);
	printf("%s\n", all ? "all memory" : "not all memory");
	return 0;
}
