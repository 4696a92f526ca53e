/* A jump into code without hooks that was called by assembly without frame descriptions that holds 0 in rbp: whose callers these are nobody can tell, at the
 * jump or when it calls hooked code.  They are lost, and said to be, rather than none; and so is what main calls from then on.
 *
 * ways: inline
 * plain: plain.o -c -DPLAIN
 * link: plain.o
 * expect: 1 0 main
 * expect: 1 0 main called
 * expect: 99 0 (lost) called
 * expect: 100 0 (lost) work
 * expect: 100 0 (lost) after
 * note: unread_stack 100 */
#include "trap.h"

void undescribed(void (*f)(void), void (*then)(void));
void leave(void);

#ifdef PLAIN
#include <setjmp.h>

static jmp_buf here;

void guarded(void (*f)(void), void (*then)(void));
__asm__(".text\n"
	".globl undescribed\n"
	".type undescribed, @function\n"
	"undescribed:\n"
	"\tpush %rbp\n"
	"\txor %ebp, %ebp\n"
	"\tcall guarded\n"
	"\tpop %rbp\n"
	"\tret\n"
	".size undescribed, .-undescribed\n");

void leave(void) { longjmp(here, 1); }

void guarded(void (*f)(void), void (*then)(void))
{
	if (setjmp(here) == 0)
		f();
	else
		then();
}
#else
HOOKED void work(void) { KEEP(); }
HOOKED void called(void) { leave(); KEEP(); }
HOOKED void after(void) { KEEP(); }

int main(void)
{
	for (int i = 0; i < 100; i++) {
		undescribed(called, work);
		after();
	}
	return 0;
}
#endif
