/* Handlers within handlers: each is a root of its own, the one of a signal that it lets in again as well, in threads, too, and where nobody told that
 * it is one.
 *
 * expect: 1 0 main
 * expect: 20 0 main work
 * expect: 20 0 main work leaf
 * expect: 20 0 thread
 * expect: 20 0 thread leaf
 * expect: 120 0 first
 * expect: 40 0 first leaf
 * expect: 40 0 second
 * expect: 40 0 second leaf
 * expect: 1 0 lone
 * expect: 1 0 lone leaf
 * threads: 2.. */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include "trap.h"

static __thread int deep;

HOOKED void leaf(void) { KEEP(); }
HOOKED void second(int sig) { (void)sig; leaf(); KEEP(); }
HOOKED void lone(int sig) { (void)sig; leaf(); KEEP(); }

HOOKED void first(int sig)
{
	if (deep++ < 2)
		raise(sig);
	else
		raise(SIGUSR2);
	if (--deep == 0)
		leaf();
	KEEP();
}

HOOKED void work(void) { raise(SIGUSR1); leaf(); KEEP(); }
HOOKED void *thread(void *arg) { raise(SIGUSR1); leaf(); KEEP(); return arg; }

int main(void)
{
	struct sigaction action = { .sa_handler = first, .sa_flags = SA_NODEFER | SA_ONSTACK };
	stack_t stack = { .ss_sp = malloc(65536), .ss_size = 65536 };
	pthread_t other;

	sigaltstack(&stack, NULL);
	sigaction(SIGUSR1, &action, NULL);
	signal(SIGUSR2, second);
	sigset(SIGHUP, lone);
	for (int i = 0; i < 20; i++) {
		work();
		pthread_create(&other, NULL, thread, NULL);
		pthread_join(other, NULL);
	}
	raise(SIGHUP);
	return 0;
}
