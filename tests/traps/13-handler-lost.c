/* A signal in code without hooks that has received a jump, and was called by assembly without frame descriptions: nobody can tell in which context that
 * is.  The handler has no caller, so nothing is lost, and no note says so.
 *
 * plain: plain.o -c -DPLAIN
 * link: plain.o
 * expect: 1 0 main
 * expect: 100 0 main called
 * expect: 100 0 main after
 * expect: 100 0 handler
 * expect: 100 0 handler inner */
#include <signal.h>
#include "trap.h"

void undescribed(void (*f)(void));
void leave(void);

#ifdef PLAIN
#include <setjmp.h>

static jmp_buf here;

void guarded(void (*f)(void));
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

void guarded(void (*f)(void))
{
	if (setjmp(here) == 0)
		f();
	else
		raise(SIGUSR1);
}
#else
HOOKED void inner(void) { KEEP(); }
HOOKED void handler(int sig) { (void)sig; inner(); KEEP(); }
HOOKED void called(void) { leave(); KEEP(); }
HOOKED void after(void) { KEEP(); }

int main(void)
{
	signal(SIGUSR1, handler);
	for (int i = 0; i < 100; i++) {
		undescribed(called);
		after();
	}
	return 0;
}
#endif
