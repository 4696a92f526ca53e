/* Assembly without frame descriptions, as in GMP, which holds 0 where others hold the frame pointer: no stack begins there.  It works by itself, and calls back.
 *
 * expect: 1 0 main
 * expect: 4 0 main outer
 * expect: 4 0 main outer inner */
#include "trap.h"

/* All but the red zone is kept: work(n) counts down from n with rbp 0; back(n, f) calls f(n) with rbp 0. */
void work(long n);
void back(long n, void (*f)(long));
__asm__(".text\n"
	".globl work\n"
	".type work, @function\n"
	"work:\n"
	"\tpush %rbp\n"
	"\txor %ebp, %ebp\n"
	"1:\tdec %rdi\n"
	"\tjnz 1b\n"
	"\tpop %rbp\n"
	"\tret\n"
	".size work, .-work\n"
	".globl back\n"
	".type back, @function\n"
	"back:\n"
	"\tpush %rbp\n"
	"\txor %ebp, %ebp\n"
	"\tcall *%rsi\n"
	"\tpop %rbp\n"
	"\tret\n"
	".size back, .-back\n"
	".section .note.GNU-stack,\"\",@progbits\n"
	".text\n");

static volatile long sink;

HOOKED void inner(long n)
{
	for (long i = 0; i < n; i++)
		sink += i;
	KEEP();
}

HOOKED void outer(void)
{
	work(60000000);
	back(20000000, inner);
	KEEP();
}

int main(void)
{
	for (int i = 0; i < 4; i++)
		outer();
	return 0;
}
