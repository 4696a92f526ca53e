/* A coroutine that one thread begins and others go on with: its callers are on its stack, not in the thread that it comes to.
 *
 * ways: inline
 * flags: -pthread
 * expect: 1 0 main
 * expect: 1 0 main resume
 * expect: 20 0 thread
 * expect: 20 0 thread resume
 * expect: 1 0 body
 * expect: 21 0 body deeper
 * expect: 41 0 body deeper work
 * expect: 20 0 body end
 * expect: 20 0 thread after */
#include <pthread.h>
#include <stdlib.h>
#include <ucontext.h>
#include "trap.h"

static ucontext_t host, coroutine;

HOOKED void work(void) { KEEP(); }
HOOKED void end(void) { KEEP(); }
HOOKED void after(void) { KEEP(); }
HOOKED void deeper(void)
{
	work();
	swapcontext(&coroutine, &host);
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
HOOKED void resume(void) { swapcontext(&host, &coroutine); KEEP(); }
HOOKED void *thread(void *unused) { resume(); after(); KEEP(); return unused; }

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
