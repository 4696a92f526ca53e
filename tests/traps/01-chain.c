/* A nested function is as deep as any other: what it calls from a frame of its own return address alone is called by it, and
 * its callers are found after a jump into code without hooks.  GCC has more than a push in front of the hook.
 *
 * cc: gcc
 * flags: -fcf-protection -fpatchable-function-entry=2
 * output: 600 200
 * expect: 1 0 main
 * expect: 100 0 main outer
 * expect: 100 0 main outer apply
 * expect: 300 0 main outer apply count.0
 * expect: 300 0 main outer apply count.0 add
 * expect: 300 0 main outer apply count.0 add leaf
 * expect: 100 0 main around
 * expect: 200 0 main around jump
 * expect: 200 0 main around received.1
 * expect: 200 0 main around received.1 leaf
 * depth: 0 */
#include <setjmp.h>
#include <stdio.h>
#include "trap.h"

static jmp_buf place;
static int received_twice;

static HOOKED void leaf(void) { KEEP(); }
static HOOKED int add(int i) { leaf(); return i + 1; }
HOOKED void jump(void) { KEEP(); longjmp(place, 1); }
HOOKED int apply(int (*f)(int), int n) { int sum = 0; for (int i = 0; i < n; i++) sum += f(i); KEEP(); return sum; }

HOOKED int outer(int n)
{
	int calls = 0;

	int HOOKED count(int i) { calls++; KEEP(); return add(i) * 0 + 1; }

	return apply(count, n) + calls;
}

UNHOOKED void catch(void (*f)(void))
{
	if (!setjmp(place))
		jump();
	f();
	KEEP();
}

HOOKED void around(void)
{
	int calls = 0;

	void HOOKED received(void) { calls++; leaf(); KEEP(); }

	catch(received);
	catch(received);
	received_twice += calls;
	KEEP();
}

int main(void)
{
	int sum = 0;

	for (int i = 0; i < 100; i++) {
		sum += outer(3);
		around();
	}
	printf("%d %d\n", sum, received_twice);
	return 0;
}
