/* Many contexts, one for each path through layers of two routines: all of them within the usual bound, and under a low one a
 * recorded, explained loss: the calls of each routine are exact all the same.
 *
 * small: 14
 * full: 20
 * variants: usual low
 * env(low): APROF_MEMORY=4M
 * note(low): memory_bound 0..
 * note(low): lost_calls 0
 * told: yes */
#include <stdio.h>
#include <stdlib.h>
#include "../traps/trap.h"

static int most;

#define LAYER(n, next) \
	HOOKED void a##n(int d); HOOKED void b##n(int d); \
	HOOKED void a##n(int d) { if (d < most) { a##next(d + 1); b##next(d + 1); } KEEP(); } \
	HOOKED void b##n(int d) { if (d < most) { a##next(d + 1); b##next(d + 1); } KEEP(); }

HOOKED void a21(int d) { (void)d; KEEP(); }
HOOKED void b21(int d) { (void)d; KEEP(); }
LAYER(20, 21) LAYER(19, 20) LAYER(18, 19) LAYER(17, 18) LAYER(16, 17) LAYER(15, 16) LAYER(14, 15)
LAYER(13, 14) LAYER(12, 13) LAYER(11, 12) LAYER(10, 11) LAYER(9, 10) LAYER(8, 9) LAYER(7, 8) LAYER(6, 7)
LAYER(5, 6) LAYER(4, 5) LAYER(3, 4) LAYER(2, 3) LAYER(1, 2)

int main(int argc, char **argv)
{
	FILE *told = fopen("told", "w");

	most = argc > 2 ? atoi(argv[2]) : 2;
	a1(1);
	a1(1);
	for (int i = 1; i <= most; i++)
		fprintf(told, "calls: %d a%d\n", i == 1 ? 2 : 1 << (i - 1), i);
	fclose(told);
	return 0;
}
