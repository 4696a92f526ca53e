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
#include "migrate.h"

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
