/* 1000 exceptions through three frames, with destructors that run hooked code on the way.
 *
 * expect: 1 0 main
 * expect: 1000 0 main t1(int)
 * expect: 1000 0 main t1(int) t2(int)
 * expect: 1000 0 main t1(int) t2(int) t3(int)
 * expect: 1000 0 main t1(int) t2(int) guard::~guard()
 * expect: 1000 0 main t1(int) t2(int) guard::~guard() dropped()
 * expect: 1000 0 main after()
 * output: 1000 caught
 * depth: 0 */
#include <stdio.h>
#include "trap.h"

HOOKED void dropped() { KEEP(); }
struct guard { HOOKED ~guard() { dropped(); KEEP(); } };

HOOKED void t3(int n) { KEEP(); throw n; }
HOOKED void t2(int n) { guard g; t3(n); KEEP(); }
HOOKED void t1(int n) { t2(n); KEEP(); }
HOOKED void after() { KEEP(); }

int main()
{
	int caught = 0;

	for (int i = 0; i < 1000; i++)
		try {
			t1(i);
		} catch (int n) {
			caught += n == i;
			after();
		}
	printf("%d caught\n", caught);
	return 0;
}
