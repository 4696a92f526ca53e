/* GCC's way cyg: hooks come before inlining, and those of what was inlined are taken out again.  Clones, cold parts, an inlined recursion, routines that
 * are compiled for another target or without optimisation, into which GCC inlines no hook, or not in the usual way.
 *
 * ways: cyg
 * cc: gcc
 * opt: -O2
 * output: 1800
 * expect: 1 0 main
 * expect: 100 0 main outer
 * expect: 200 0 main outer leaf
 * expect: 100 0 main outer clone
 * expect: 100 0 main outer clone leaf
 * expect: 100 0 main other
 * expect: 100 0 main other leaf
 * expect: 100 0 main plain
 * expect: 100 0 main plain leaf
 * expect: 100 0 main thrower
 * expect: 50 0 main thrower rare
 * expect: 50 0 main after
 * expect: 100 0 main down
 * expect: 100 0 main down leaf
 * depth: 0 */
#include <setjmp.h>
#include <stdio.h>
#include "trap.h"

static jmp_buf env;

HOOKED void leaf(void) { KEEP(); }
static inline void twice(void) { leaf(); leaf(); }
static inline int deeper(int n) { return n < 2 ? n : deeper(n - 1) + 1; }
static HOOKED int clone(int n, int always) { leaf(); KEEP(); return n * always; }
HOOKED int outer(int n) { twice(); int r = clone(n, 3) + deeper(n % 3); KEEP(); return r; }
HOOKED __attribute__((target("general-regs-only"))) int other(int n) { leaf(); KEEP(); return n; }
HOOKED __attribute__((optimize("O0"))) int plain(int n) { leaf(); return n; }
HOOKED __attribute__((cold, noreturn)) void rare(void) { longjmp(env, 1); }
HOOKED void after(void) { KEEP(); }
static inline void throws(int n) { if (__builtin_expect(n % 2, 0)) rare(); }
HOOKED int thrower(int n) { throws(n); KEEP(); return n; }
HOOKED int down(int n)
{
	volatile char frame[200];

	frame[n % 200] = 1;
	leaf();
	KEEP();
	return frame[n % 200];
}

int main(void)
{
	volatile long total = 0;

	for (volatile int i = 0; i < 100; i++) {
		total += other(1);
		total += plain(1);
		if (setjmp(env))
			after();
		else if (outer(i) >= 0)
			thrower(i);
		total += down(i) * 16;
	}
	printf("%ld\n", total);
	return 0;
}
