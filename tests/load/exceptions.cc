/* Exceptions through 20 frames, and the calls that follow in the same frames.
 *
 * small: 5000
 * full: 100000
 * told: yes
 * note: resync 0.. */
#include <cstdio>
#include <cstdlib>
#include "../traps/trap.h"

extern "C" {

HOOKED void thrower(int n) { KEEP(); if (n >= 0) throw n; }
HOOKED void deep(int depth, int n) { if (depth > 0) deep(depth - 1, n); else thrower(n); KEEP(); }
HOOKED void after() { KEEP(); }

#define LEVEL(n, next) HOOKED void level##n(int i) { next(i); KEEP(); }
LEVEL(1, thrower) LEVEL(2, level1) LEVEL(3, level2) LEVEL(4, level3) LEVEL(5, level4) LEVEL(6, level5) LEVEL(7, level6)
LEVEL(8, level7) LEVEL(9, level8) LEVEL(10, level9) LEVEL(11, level10) LEVEL(12, level11) LEVEL(13, level12)
LEVEL(14, level13) LEVEL(15, level14) LEVEL(16, level15) LEVEL(17, level16) LEVEL(18, level17) LEVEL(19, level18)

}

UNHOOKED void tell(int n, int caught)
{
	FILE *told = fopen("told", "w");

	fprintf(told, "expect: 1 0 main\nexpect: %d 0 main after\nexpect: %d %d main deep\nexpect: %d 0 main deep thrower\n", caught,
		n / 2, 18 * (n / 2), n / 2);
	for (int last = 19; last >= 0; last--) {
		fprintf(told, "expect: %d 0 main", n / 2);
		for (int k = 19; k >= last && k > 0; k--)
			fprintf(told, " level%d", k);
		fprintf(told, last ? "\n" : " thrower\n");
	}
	fclose(told);
}

int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 2, caught = 0;

	for (int i = 0; i < n; i++)
		try {
			if (i % 2)
				level19(i);
			else
				deep(18, i);
		} catch (int) {
			caught++;
			after();
		}
	tell(n, caught);
	return 0;
}
