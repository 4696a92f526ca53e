/* Time of code without hooks that received a jump, up to the exit of the routine with hooks that called it: it is that routine's, and not that of the next
 * one that is found to be there.  A receiver in one routine that another calls, too; and a coroutine on a signal's stack: the time there is the root's or its
 * starter's.
 *
 * plain: plain.o -c -DPLAIN
 * link: plain.o
 * variants: looks interrupts
 * env(looks): APROF_PC=none
 * env(interrupts): APROF_PC=timer
 * expect: 1 0 main
 * expect: 40 0 main dear
 * expect: 40 0 main dear thrower
 * expect: 40 0 main cheap
 * expect: 40 0 main cheap thrower
 * expect: 40 0 main cheap leaf
 * expect: 1 0 main turns
 * expect: 40 0 main turns leaf
 * after: "$APROF" contexts amon.out | awk '{ t[NF > 3 ? $4 (NF > 4 ? " " $5 : "") : "-"] += $3; all += $3 } END { exit t["main cheap"] > 0.1 * all }' */
#include "trap.h"

void guarded(void (*f)(void), long n, void (*then)(void));
void leave(void);
void take_turns(int times, long n, void (*then)(void));

#ifdef PLAIN
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>

static jmp_buf here, one, other;
static long work;
static int left;

static void spin(long n) { for (volatile long i = 0; i < n; i++); }

void leave(void) { longjmp(here, 1); }

void guarded(void (*f)(void), long n, void (*then)(void))
{
	if (setjmp(here) == 0)
		f();
	spin(n);
	if (then)
		then();
}

/* On a stack of its own, that of a signal's handler. */
static void begin(int sig)
{
	(void)sig;
	if (setjmp(other) == 0)
		return;
	while (left) {
		spin(work);
		if (setjmp(other) == 0)
			longjmp(one, 1);
	}
}

void take_turns(int times, long n, void (*then)(void))
{
	stack_t stack = { .ss_sp = malloc(65536), .ss_size = 65536 };
	struct sigaction action = { .sa_handler = begin, .sa_flags = SA_ONSTACK };

	sigaltstack(&stack, NULL);
	sigaction(SIGUSR1, &action, NULL);
	raise(SIGUSR1);
	work = n;
	for (left = times; left; left--) {
		if (setjmp(one) == 0)
			longjmp(other, 1);
		spin(n);
		then();
	}
}
#else
HOOKED void thrower(void) { leave(); KEEP(); }
HOOKED void leaf(void) { KEEP(); }
HOOKED void dear(void) { guarded(thrower, 16000000, 0); KEEP(); }
HOOKED void cheap(void) { guarded(thrower, 0, leaf); KEEP(); }
HOOKED void turns(void) { take_turns(40, 8000000, leaf); KEEP(); }

int main(void)
{
	for (int i = 0; i < 40; i++) {
		dear();
		cheap();
	}
	turns();
	return 0;
}
#endif
