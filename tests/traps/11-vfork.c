/* A child of vfork uses the parent's memory and stack; it counts for nobody, and the parent's frames are as before.
 *
 * expect: 1 0 main
 * expect: 100 0 main start
 * expect: 100 0 main start before
 * expect: 100 0 main start after
 * expect: 100 0 main last
 * note: vfork 100
 * depth: 0 */
#include <sys/wait.h>
#include <unistd.h>
#include "trap.h"

HOOKED void before(void) { KEEP(); }
HOOKED void after(void) { KEEP(); }
HOOKED void last(void) { KEEP(); }
HOOKED void in_child(void) { KEEP(); }

HOOKED void start(int i)
{
	int status;

	before();
	if (vfork() == 0) {
		in_child();
		if (i % 10 == 0)
			execl("/bin/true", "true", (char *)0);
		_exit(0);
	}
	after();
	wait(&status);
	KEEP();
}

int main(void)
{
	for (volatile int i = 0; i < 100; i++) {
		start(i);
		last();
	}
	return 0;
}
