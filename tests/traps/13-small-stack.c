/* Handlers on signal stacks that are just large enough for the kernel's frame and themselves: neither the clock's signal nor what a hook does out of line
 * runs there.  In two threads; handlers that were set before the stack and after it, whose masks the program reads back as it set them.
 *
 * variants: 4096 6144
 * env: APROF_PC=timer
 * expect: 1 0 main
 * expect: 1 0 main work
 * expect: 1 0 thread
 * expect: 1 0 thread work
 * expect: 4 0 early
 * expect: 4 0 early leaf
 * expect: 4 0 late
 * expect: 4 0 late leaf
 * output: early 0 late 0
 * link: -pthread */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include "trap.h"

static size_t size;

HOOKED void leaf(void) { KEEP(); }

/* So long that the clock comes. */
static __attribute__((no_instrument_function, noinline)) void spin(void)
{
	struct timespec t;
	long until = 0;

	do {
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
		until = until ? until : t.tv_sec * 1000 + t.tv_nsec / 1000000 + 20;
	} while (t.tv_sec * 1000 + t.tv_nsec / 1000000 < until);
}

HOOKED void early(int sig) { (void)sig; leaf(); spin(); KEEP(); }
HOOKED void late(int sig) { (void)sig; leaf(); spin(); KEEP(); }
HOOKED void work(void) { for (int i = 0; i < 2; i++) { raise(SIGUSR1); raise(SIGUSR2); } KEEP(); }

/* The stack has a guard below. */
static __attribute__((no_instrument_function, noinline)) void give(void)
{
	char *p = mmap(NULL, 3 * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	stack_t s = { .ss_sp = p + 3 * 4096 - size, .ss_size = size };

	mprotect(p, 4096, PROT_NONE);
	if (sigaltstack(&s, NULL))
		abort();
}

HOOKED void *thread(void *arg) { give(); work(); return arg; }

int main(int argc, char **argv)
{
	struct sigaction a = { .sa_handler = early, .sa_flags = SA_ONSTACK | SA_RESTART }, first, second;
	pthread_t t;

	size = argc > 1 ? (size_t)atoi(argv[1]) : 4096;
	sigaction(SIGUSR1, &a, NULL);
	give();
	a.sa_handler = late;
	sigaction(SIGUSR2, &a, NULL);
	sigaction(SIGUSR1, NULL, &first);
	sigaction(SIGUSR2, NULL, &second);
	pthread_create(&t, NULL, thread, NULL);
	work();
	pthread_join(t, NULL);
	printf("early %d late %d\n", sigismember(&first.sa_mask, SIGPROF), sigismember(&second.sa_mask, SIGPROF));
	return 0;
}
