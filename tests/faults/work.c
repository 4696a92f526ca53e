/* work.c - something of all that the monitor deals with: threads, a fork, an exec'd child, signals, contexts by the thousand,
 * a coroutine, a library, another name for the profile, the API.  Prints what it did. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#include "inject.h"
#include "../../src/contract/aprof.h"
#include "../traps/trap.h"

static volatile long calls;
static ucontext_t home, other;

HOOKED void a(int n);
HOOKED void b(int n) { calls++; if (n > 0) a(n / 2); if (n % 3) b(n - 1); KEEP(); }
HOOKED void c(int n) { calls++; if (n > 0) b(n / 3); KEEP(); }
HOOKED void a(int n) { calls++; b(n - 1); c(n - 2); KEEP(); }
HOOKED int deep(int n) { int below = n > 0 ? deep(n - 1) : 0; KEEP(); return below + 1; }
HOOKED void handler(int sig) { (void)sig; c(1); }
HOOKED void coroutine(void) { c(3); swapcontext(&other, &home); }
HOOKED void *thread(void *n) { a((int)(long)n); return n; }

UNHOOKED void burn(long msec)
{
	struct timespec now, start;

	clock_gettime(CLOCK_MONOTONIC, &start);
	do
		clock_gettime(CLOCK_MONOTONIC, &now);
	while ((now.tv_sec - start.tv_sec) * 1000 + (now.tv_nsec - start.tv_nsec) / 1000000 < msec);
}

HOOKED int children(void)
{
	int status = 0, pid = fork();

	if (pid == 0) {
		a(20);
		exit(3);
	}
	waitpid(pid, &status, 0);
	if (vfork() == 0)
		_exit(4);
	wait(NULL);
	return WEXITSTATUS(status);
}

HOOKED void coroutines(void)
{
	static char stack[65536];

	getcontext(&other);
	other.uc_stack.ss_sp = stack;
	other.uc_stack.ss_size = sizeof stack;
	other.uc_link = &home;
	makecontext(&other, coroutine, 0);
	swapcontext(&home, &other);
}

int main(void)
{
	pthread_t t[3];
	void *library;
	int status;

	signal(SIGUSR1, handler);
	a(60);
	raise(SIGUSR1);
	burn(15);
	aprof_phase("threads");
	for (long i = 0; i < 3; i++)
		pthread_create(&t[i], NULL, thread, (void *)(30 + i));
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], NULL);
	aprof_phase("rest");
	aprof_flush("flushed");
	status = children();
	coroutines();
	library = dlopen("libm.so.6", RTLD_NOW);
	if (library)
		dlclose(library);
	aprof_reset();
	printf("%d frames, child %d\n", deep(100000), status);
	c(10);
	burn(15);
	return 5;
}
