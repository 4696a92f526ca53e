/* Coroutines by the thousand take turns: a switch costs no more than among a few.  (A look at each of them would take minutes.)
 *
 * expect: 1 0 main
 * expect: 15000 0 body
 * expect: 90000 0 body work
 * note(!inline): foreign_stack 15000 */
#include <stddef.h>
#include <sys/mman.h>
#include <ucontext.h>
#include "trap.h"

enum { N = 15000, ROUNDS = 6, STACK = 16384 };

static ucontext_t here, coroutine[N];

HOOKED void work(void) { KEEP(); }
HOOKED void body(int i)
{
	for (;;) {
		work();
		swapcontext(&coroutine[i], &here);
	}
}

int main(void)
{
	char *stacks = mmap(NULL, (size_t)N * STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (stacks == MAP_FAILED)
		return 1;
	for (int i = 0; i < N; i++) {
		getcontext(&coroutine[i]);
		coroutine[i].uc_stack.ss_sp = stacks + (size_t)i * STACK;
		coroutine[i].uc_stack.ss_size = STACK;
		makecontext(&coroutine[i], (void (*)(void))body, 1, i);
	}
	for (int round = 0; round < ROUNDS; round++)
		for (int i = 0; i < N; i++)
			swapcontext(&here, &coroutine[i]);
	return 0;
}
