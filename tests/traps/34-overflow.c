/* Deeper than the shadow stack of a thread: the calls are counted, and what comes after is where it belongs.
 *
 * flags: -pthread
 * expect: 1 0 main
 * expect: 1 0 thread
 * expect: 1 3999999 thread down
 * expect: 1 0 thread after
 * note: stack_overflow 0..
 * output: 4000000 */
#include <pthread.h>
#include <stdio.h>
#include "trap.h"

HOOKED int down(int n) { int r = n > 1 ? down(n - 1) + 1 : 1; KEEP(); return r; }
HOOKED void after(void) { KEEP(); }
HOOKED void *thread(void *unused) { printf("%d\n", down(4000000)); after(); return unused; }

int main(void)
{
	pthread_attr_t attributes;
	pthread_t t;

	pthread_attr_init(&attributes);
	pthread_attr_setstacksize(&attributes, (size_t)1 << 30);
	pthread_create(&t, &attributes, thread, NULL);
	pthread_join(t, NULL);
	return 0;
}
