/* A program without hooks, which is linked with a library that has some and with one without that jumps: what jumps is found by the dynamic linker
 * before aprof's names are, and nobody is told.  The head says so.
 *
 * build: libhooked.so -shared -fPIC -DHOOKED_LIBRARY
 * plain: libplain.so -shared -fPIC -DPLAIN
 * plain: host.o -c -DHOST
 * post: cc -o host host.o -L. -Wl,-rpath,"\$ORIGIN" -lhooked -lplain
 * shell: exec ./host
 * expect(!inline): 1 0 run
 * expect(!inline): 100 0 run called
 * expect(!inline): 100 0 run work
 * expect(!inline): 50 0 run handle
 * calls: 100 work
 * note(inline): untold_jumps 1
 * note(!inline): untold_jumps 0 */
#include "trap.h"

void run(void);
void leave(void);
int guarded(void (*f)(int), void (*caught)(void), int n);

#if defined(PLAIN)
#include "02-longjmp-plain.c"
#elif defined(HOOKED_LIBRARY)
HOOKED void work(void) { KEEP(); }
HOOKED void handle(void) { KEEP(); }
HOOKED void called(int n) { if (n % 2) leave(); KEEP(); }
HOOKED void run(void)
{
	for (int i = 0; i < 100; i++) {
		guarded(called, handle, i);
		work();
	}
}
#elif defined(HOST)
int main(void) { run(); return 0; }
#else
int main(void) { return 0; }
#endif
