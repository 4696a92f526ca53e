/* Without /proc, as in a chroot, routines have their names all the same, those of a library that is loaded while the program runs, too;
 * stacks are told apart, the wishes of the environment heard, and the command is known.
 *
 * need: root unshare
 * build: ./lib.so -shared -fPIC -DLIBRARY
 * link: -ldl -pthread
 * env: APROF_CLOCK=none
 * variants: here
 * shell: exec unshare -m sh -c 'mount -t tmpfs none /proc; exec "$@"' sh "$@"
 * output: 2000
 * expect: 1 0 main
 * expect: 1 1999 main deep
 * expect: 1 0 thread
 * expect: 1 1999 thread deep
 * expect: 1 0 handler
 * expect: 1 0 coroutine
 * expect: 1 0 main of_library
 * expect: 1 0 main last
 * note: no_proc 1
 * note: no_module 0
 * note: foreign_stack 0..
 * note: unloaded 1
 * after: "$APROF" info amon.out | grep -q 'command *./prog here'
 * after: "$APROF" info amon.out | grep -q 'clock *none'
 * after: "$APROF" info amon.out | grep -q '/proc could not be read' */
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <ucontext.h>
#include "trap.h"

#ifdef LIBRARY

HOOKED void of_library(void) { KEEP(); }

#else

static int depth;

HOOKED int deep(int n)
{
	char room[200];

	KEEP();
	room[n % 200] = 1;
	__asm__ volatile("" : : "r"(room) : "memory");
	depth++;
	return n > 1 ? deep(n - 1) + room[n % 200] : 1;
}

HOOKED void *thread(void *arg) { deep(2000); KEEP(); return arg; }
HOOKED void handler(int sig) { (void)sig; KEEP(); }
HOOKED void coroutine(void) { KEEP(); }
HOOKED void last(void) { KEEP(); }

UNHOOKED void on_own_stack(void)
{
	stack_t own = { .ss_sp = mmap(NULL, 1 << 16, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), .ss_size = 1 << 16 };
	struct sigaction action = { .sa_handler = handler, .sa_flags = SA_ONSTACK };

	sigaltstack(&own, NULL);
	sigaction(SIGUSR1, &action, NULL);
	raise(SIGUSR1);
}

/* A stack that nobody announces, behind a page that cannot be read. */
UNHOOKED void on_foreign_stack(void)
{
	static ucontext_t home, other;
	char *memory = mmap(NULL, 1 << 17, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	mprotect(memory, 4096, PROT_NONE);
	getcontext(&other);
	other.uc_stack.ss_sp = memory + 4096;
	other.uc_stack.ss_size = (1 << 17) - 8192;
	other.uc_link = &home;
	makecontext(&other, coroutine, 0);
	swapcontext(&home, &other);
}

UNHOOKED void in_library(void)
{
	void *library = dlopen("./lib.so", RTLD_NOW);
	void (*of_library)(void) = (void (*)(void))dlsym(library, "of_library");

	of_library();
	dlclose(library);
}

int main(void)
{
	pthread_t t;

	deep(2000);
	pthread_create(&t, NULL, thread, NULL);
	pthread_join(t, NULL);
	on_own_stack();
	on_foreign_stack();
	in_library();
	last();
	printf("%d\n", depth / 2);
	return 0;
}

#endif
