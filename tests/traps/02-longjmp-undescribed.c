/* A jump into code without hooks, and hooked code called after it by assembly without frame descriptions that holds 0 in rbp: whose callers these are
 * nobody can tell.  They are lost, and said to be, rather than none; and so is what main calls from then on.
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

void guarded(void (*f)(void), void (*then)(void));
void leave(void);

#ifdef PLAIN
#include <setjmp.h>

static jmp_buf here;

void back(void (*f)(void));
__asm__(".text\n"
	".type back, @function\n"
	"back:\n"
	"\tpush %rbp\n"
	"\txor %ebp, %ebp\n"
	"\tcall *%rdi\n"
	"\tpop %rbp\n"
	"\tret\n"
	".size back, .-back\n");

void leave(void) { longjmp(here, 1); }

void guarded(void (*f)(void), void (*then)(void))
{
	if (setjmp(here) == 0)
		f();
	else
		back(then);
}
#else
HOOKED void work(void) { KEEP(); }
HOOKED void called(void) { leave(); KEEP(); }
HOOKED void after(void) { KEEP(); }

int main(void)
{
	for (int i = 0; i < 100; i++) {
		guarded(called, work);
		after();
	}
	return 0;
}
#endif
