/* A program with an unwinder of its own throws through its routines, and through ones of plain code: no function of a library can
 * stand in front of that.
 *
 * na(clang): as gcc
 * na(verified): nobody tells of such a throw: until the next call the routine that caught is in the context of the one that threw
 * ways: mcount mfentry
 * link: -static-libgcc -static-libstdc++
 * output: 1000 caught, 2000 dropped
 * expect: 1 0 main
 * expect: 1000 0 main t1(int)
 * expect: 1000 0 main t1(int) t2(int)
 * expect: 1000 0 main t1(int) t2(int) t3(int)
 * expect: 1000 0 main after()
 * depth: 0 */
#include <cstdio>
#include "trap.h"

static int dropped;
struct guard { UNHOOKED ~guard() { dropped++; } };

HOOKED void t3(int n) { guard g; KEEP(); throw n; }
UNHOOKED void plain(int n) { t3(n); KEEP(); }
HOOKED void t2(int n) { guard g; plain(n); KEEP(); }
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
	printf("%d caught, %d dropped\n", caught, dropped);
	return 0;
}
