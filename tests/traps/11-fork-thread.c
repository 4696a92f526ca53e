/* A fork in a thread while another runs: the child goes on where the thread was, the parent's counts stay its own.
 *
 * flags: -pthread
 * expect: 1 0 main
 * expect: 1 0 busy
 * expect: 1000000 0 busy f
 * expect: 1 0 thread
 * expect: 10 0 thread deep
 * expect: 10 0 thread deep child
 * expect: 10 0 thread deep f
 * state: ended running
 * files: 11
 * note: fork 10 */
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>
#include "trap.h"

HOOKED void f(void) { KEEP(); }
HOOKED void child(void) { KEEP(); }
HOOKED void *busy(void *unused) { for (int i = 0; i < 1000000; i++) f(); return unused; }

HOOKED void deep(void)
{
	if (fork() == 0) {
		child();
		_exit(0);
	}
	f();
	wait(NULL);
	KEEP();
}

HOOKED void *thread(void *unused)
{
	for (int i = 0; i < 10; i++)
		deep();
	return unused;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, busy, NULL);
	pthread_create(&b, NULL, thread, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
