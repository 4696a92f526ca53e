/* A jump into a function without hooks, called by a part of a routine that GCC has put far from the rest, since it is hardly ever needed; or Clang,
 * whose blocks are told to stand each for itself.
 *
 * plain: plain.o -c -DPLAIN
 * link: plain.o
 * variants: near far
 * flags(clang inline): -fbasic-block-sections=all
 * post(inline gcc -O2): nm $1 | grep -q ' outer.cold$'
 * expect: 1 0 main
 * expect(near): 100 0 main outer
 * expect(near): 100 0 main outer called
 * expect(near): 100 0 main outer called deeper
 * expect(near): 50 0 main outer handle
 * expect(near): 50 0 main outer handle work
 * expect(near): 100 0 main work
 * expect(far): 100 0 main outer
 * expect(far): 100 0 main outer rare
 * expect(far): 100 0 main outer called
 * expect(far): 100 0 main outer called deeper
 * expect(far): 50 0 main outer handle
 * expect(far): 50 0 main outer handle work
 * expect(far): 100 0 main work */
#define OWN_MAIN
#include "02-longjmp-plain.c"

#ifndef PLAIN
#include <string.h>

HOOKED __attribute__((cold)) void rare(void) { KEEP(); }

HOOKED int outer(int n, int far)
{
	if (far) {
		rare();
		return guarded(called, handle, n) + 1;
	}
	return guarded(called, handle, n) + 2;
}

int main(int argc, char **argv)
{
	int sum = 0, far = argc > 1 && !strcmp(argv[1], "far");

	for (int i = 0; i < 100; i++) {
		sum += outer(i, far);
		work();
	}
	return sum == 0;
}
#endif
