/* Functions with attribute naked are asm that returns by itself, with its arguments in registers: they get no hooks by GCC, which is told, and their
 * calls are not known.  By Clang way cyg's hooks change their arguments, as -finstrument-functions does without aprof.
 *
 * cc: gcc
 * expect: 1 0 main
 * expect: 1000 0 main after
 * expect: 1000 0 main after deeper
 * na(pg): GCC calls gprof's hook there too, and nothing sees the assembly
 * report: no hooks +2 as bare assembly \(attribute naked\)
 * after: test "$("$APROF" info amon.out | sed -n '/^No hooks, as bare assembly/,$p' | grep -c '^  \(add\|six\)$')" = 2
 * output: 1022000
 */
#include <stdio.h>
#include "trap.h"

__attribute__((naked, used)) HOOKED long add(long a, long b) { __asm__("lea (%rdi,%rsi), %rax\n\tret"); }
__attribute__((naked, used)) HOOKED long six(long a, long b, long c, long d, long e, long f)
{
	__asm__("lea (%r8,%r9), %rax\n\tadd %rdi, %rax\n\tadd %rsi, %rax\n\tadd %rdx, %rax\n\tadd %rcx, %rax\n\tret");
}

HOOKED long deeper(long n) { KEEP(); return n + 1; }
HOOKED long after(long n)
{
	long r = deeper(n);

	KEEP();
	return r;
}

int main(void)
{
	long sum = 0;

	for (int i = 0; i < 1000; i++) {
		sum += add(i, 1);
		sum += six(1, 2, 3, 4, 5, 6);
		sum += after(i);
	}
	printf("%ld\n", sum);
	return 0;
}
