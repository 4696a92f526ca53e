/* A coroutine that one thread begins and others go on with, which have entered no routine with hooks before.
 *
 * ways: inline
 * flags: -pthread
 * expect: 1 0 main
 * expect: 1 0 body
 * expect: 21 0 body deeper
 * expect: 41 0 body deeper work
 * expect: 20 0 body end */
#include <pthread.h>
#include <stdlib.h>
#include <ucontext.h>
#include "trap.h"

static ucontext_t host, coroutine;

HOOKED void work(void) { KEEP(); }
HOOKED void end(void) { KEEP(); }
UNHOOKED static void yield(void) { swapcontext(&coroutine, &host); KEEP(); }
HOOKED void deeper(void)
{
	work();
	yield();
	work();
	KEEP();
}
HOOKED void body(void)
{
	for (;;) {
		deeper();
		end();
	}
}
UNHOOKED static void resume(void) { swapcontext(&host, &coroutine); KEEP(); }
UNHOOKED static void *thread(void *unused) { resume(); return unused; }

int main(void)
{
	pthread_t t;

	getcontext(&coroutine);
	coroutine.uc_stack.ss_sp = malloc(65536);
	coroutine.uc_stack.ss_size = 65536;
	makecontext(&coroutine, body, 0);
	resume();
	for (int i = 0; i < 20; i++) {
		pthread_create(&t, NULL, thread, NULL);
		pthread_join(t, NULL);
	}
	return 0;
}
