/* A library without hooks calls vfork, and its child a routine with hooks: it counts for nobody, and the parent goes on where it was.
 *
 * plain: libplain.so -shared -fPIC -DPLAIN
 * link: ./libplain.so -Wl,-rpath,.
 * expect: 1 0 main
 * expect: 100 0 main start
 * expect: 100 0 main start after
 * expect: 100 0 main last
 * note: vfork 100 */
#include <sys/wait.h>
#include <unistd.h>
#include "trap.h"

pid_t run(void (*f)(void));

#ifdef PLAIN
pid_t run(void (*f)(void))
{
	pid_t pid = vfork();

	if (pid == 0) {
		f();
		_exit(1);
	}
	return pid;
}
#else
HOOKED void after(void) { KEEP(); }
HOOKED void last(void) { KEEP(); }
HOOKED void in_child(void) { _exit(0); }

HOOKED void start(void)
{
	int status;
	pid_t pid = run(in_child);

	after();
	waitpid(pid, &status, 0);
	KEEP();
}

int main(void)
{
	for (volatile int i = 0; i < 100; i++) {
		start();
		last();
	}
	return 0;
}
#endif
