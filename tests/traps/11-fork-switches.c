/* A forked child jumps, and begins a stack anew, before it enters a routine: what was jumped over, and what lay on that stack, is gone there, too.
 *
 * expect: 1 0 main
 * expect: 1 0 main forks
 * expect: 1 0 waits
 * expect: 1 0 main caught
 * expect: 1 0 begun
 * files: 3
 * note: fork 2 */
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>
#include "trap.h"

static char stack[64 << 10];
static ucontext_t home, other;
static jmp_buf back;

HOOKED void begun(void) { KEEP(); }
HOOKED void caught(void) { KEEP(); }
HOOKED void waits(void) { swapcontext(&other, &home); KEEP(); }

/* F is called from further down than any frame of before. */
UNHOOKED void deeper(void (*f)(void))
{
	volatile char frame[4096];

	memset((char *)frame, 1, sizeof frame);
	f();
	KEEP();
}

UNHOOKED void begins(void) { deeper(begun); exit(0); }

UNHOOKED void begin(void (*f)(void))
{
	getcontext(&other);
	other.uc_stack.ss_sp = stack;
	other.uc_stack.ss_size = sizeof stack;
	other.uc_link = &home;
	makecontext(&other, f, 0);
	swapcontext(&home, &other);
}

HOOKED void forks(void)
{
	if (fork() == 0)
		longjmp(back, 1);
	wait(NULL);
	if (fork() == 0)
		begin(begins);
	wait(NULL);
	KEEP();
}

int main(void)
{
	begin(waits);
	if (setjmp(back)) {
		deeper(caught);
		return 0;
	}
	forks();
	return 0;
}
