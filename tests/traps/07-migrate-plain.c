/* A coroutine that one thread begins and others go on with, which have entered no routine with hooks before.
 *
 * ways: inline
 * flags: -pthread
 * expect: 1 0 main
 * expect: 1 0 body
 * expect: 21 0 body deeper
 * expect: 41 0 body deeper work
 * expect: 20 0 body end */
#include "migrate.h"

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
UNHOOKED void resume(void) { swapcontext(&host, &coroutine); KEEP(); }
UNHOOKED void *thread(void *unused) { resume(); return unused; }
