/* Where a thread began the destructors of its variables and keys run: under nobody, however the thread came to its end.
 *
 * flags: -pthread
 * output: 40 threads
 * expect: 1 0 main
 * expect: 1 0 main leave
 * expect: 82 0 destroy
 * expect: 82 0 destroy leaf
 * expect: 40 0 thread
 * expect: 30 0 thread deep
 * expect: 10 0 thread deep leave
 * expect: 20 0 thread deep wait */
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <unistd.h>
#include "trap.h"

enum end { RETURN, EXIT, CANCEL, CANCEL_AT_ONCE, ENDS };

static pthread_key_t key;
static sem_t ready;

HOOKED void leaf(void) { KEEP(); }
HOOKED void destroy(void *unused) { (void)unused; leaf(); KEEP(); }
HOOKED void leave(void) { KEEP(); pthread_exit(NULL); }
HOOKED void wait(void) { sem_post(&ready); for (;;) pause(); }
HOOKED void deep(enum end how) { if (how == EXIT) leave(); else wait(); KEEP(); }

/* What C++ compilers make of a thread_local variable with a destructor. */
int __cxa_thread_atexit_impl(void (*destroy)(void *), void *variable, void *module);
extern void *__dso_handle;

UNHOOKED static void set(void)
{
	__cxa_thread_atexit_impl(destroy, NULL, &__dso_handle);
	pthread_setspecific(key, &key);
}

HOOKED void *thread(void *how)
{
	set();
	if (how == (void *)CANCEL_AT_ONCE)
		pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
	if (how != (void *)RETURN)
		deep((enum end)(long)how);
	return NULL;
}

int main(void)
{
	pthread_t t;

	sem_init(&ready, 0, 0);
	pthread_key_create(&key, destroy);
	for (long i = 0; i < 40; i++) {
		pthread_create(&t, NULL, thread, (void *)(i % ENDS));
		if (i % ENDS >= CANCEL) {
			sem_wait(&ready);
			usleep(1000);
			pthread_cancel(t);
		}
		pthread_join(t, NULL);
	}
	printf("%d threads\n", 40);
	fflush(stdout);
	set();
	leave();
}
