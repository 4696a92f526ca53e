/* Calls at random among 60 routines that recurse: the contexts would never end.  Beyond the bound they fold, and the calls of
 * each routine are exact.
 *
 * small: 300000
 * full: 30000000
 * env: APROF_MEMORY=8M
 * note: memory_bound 1..
 * note: lost_calls 0
 * told: yes
 * after: test $(stat -c %s amon.out) -lt 16777216 */
#include <stdio.h>
#include <stdlib.h>
#include "../traps/trap.h"

enum { ROUTINES = 60 };

static long left, made[ROUTINES];
static unsigned state = 1;

static unsigned next(void) __attribute__((no_instrument_function));
static unsigned next(void)
{
	state = state * 1664525 + 1013904223;
	return state >> 8;
}

static void choose(int depth) __attribute__((no_instrument_function));

#define R(n) HOOKED void r##n(int depth) { made[n]++; choose(depth + 1); KEEP(); }
#define TEN(t) R(t##0) R(t##1) R(t##2) R(t##3) R(t##4) R(t##5) R(t##6) R(t##7) R(t##8) R(t##9)
R(0) R(1) R(2) R(3) R(4) R(5) R(6) R(7) R(8) R(9) TEN(1) TEN(2) TEN(3) TEN(4) TEN(5)
#define N(t) r##t##0, r##t##1, r##t##2, r##t##3, r##t##4, r##t##5, r##t##6, r##t##7, r##t##8, r##t##9
static void (*const routines[ROUTINES])(int) = { r0, r1, r2, r3, r4, r5, r6, r7, r8, r9, N(1), N(2), N(3), N(4), N(5) };

static void choose(int depth)
{
	for (int calls = next() % 3; calls > 0 && depth < 40 && left > 0; calls--) {
		left--;
		routines[next() % ROUTINES](depth);
	}
}

int main(int argc, char **argv)
{
	FILE *told = fopen("told", "w");

	left = argc > 1 ? atol(argv[1]) : 1;
	while (left > 0)
		choose(0);
	for (int i = 0; i < ROUTINES; i++)
		fprintf(told, "calls: %ld r%d\n", made[i], i);
	fclose(told);
	return 0;
}
