/* Time between a jump into code without hooks and the next hook: it is the receiver's, or that of the routine with hooks that called it,
 * which has no hook to be passed while it works.  By an entry that finds the context again, and by the interrupts that count program
 * counters.
 *
 * plain: plain.o -c -DPLAIN
 * link: plain.o
 * variants: entries interrupts
 * env(entries): APROF_PC=none
 * env(interrupts): APROF_PC=timer
 * expect: 1 0 main
 * expect(entries): 20 0 main jumps
 * expect(interrupts): 1 0 main jumps
 * expect(entries): 20 0 main called
 * expect(entries): 20 0 main called leaves
 * expect(interrupts): 1 0 main called
 * expect(interrupts): 1 0 main called leaves
 * after: "$APROF" contexts amon.out | awk '{ t[NF > 3 ? $4 (NF > 4 ? " " $5 : "") : "-"] += $3 } END { exit !(t["main"] > 0.1 && t["main jumps"] < 0.03 && t["main called"] < 0.03) }' */
#include "trap.h"

#ifdef PLAIN
#include <setjmp.h>
#include <time.h>

static jmp_buf here;

void leave(void);
void guarded(void (*f)(void), int ms);
void spin(int ms);

void leave(void) { longjmp(here, 1); }

void spin(int ms)
{
	struct timespec now, until;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &until);
	until.tv_nsec += (long)ms * 1000000;
	until.tv_sec += until.tv_nsec / 1000000000;
	until.tv_nsec %= 1000000000;
	do
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	while (now.tv_sec < until.tv_sec || (now.tv_sec == until.tv_sec && now.tv_nsec < until.tv_nsec));
}

void guarded(void (*f)(void), int ms)
{
	if (setjmp(here) == 0)
		f();
	else
		spin(ms);
}
#else
#include <string.h>

void leave(void);
void guarded(void (*f)(void), int ms);
void spin(int ms);

HOOKED void leaves(void) { leave(); KEEP(); }
HOOKED void called(void) { leaves(); KEEP(); }
HOOKED void jumps(void) { KEEP(); }

int main(int argc, char **argv)
{
	int n = argc > 1 && strcmp(argv[1], "entries") == 0 ? 20 : 1;

	for (int i = 0; i < n; i++) {
		guarded(called, 150 / n);
		spin(150 / n);
		jumps();
	}
	return 0;
}
#endif
