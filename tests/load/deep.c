/* Recursion as deep as the stack goes: no crash, every call is counted.
 *
 * small: 1000000
 * full: 10000000
 * shell: ulimit -s unlimited; exec "$@"
 * told: yes
 * note: stack_overflow 0.. */
#include <stdio.h>
#include <stdlib.h>
#include "../traps/trap.h"

HOOKED long even(long n);
HOOKED long down(long n) { long below = n > 0 ? down(n - 1) : 0; KEEP(); return below + 1; }
HOOKED long odd(long n) { long below = n > 0 ? even(n - 1) : 0; KEEP(); return below + 1; }
HOOKED long even(long n) { long below = n > 0 ? odd(n - 1) : 0; KEEP(); return below + 1; }
HOOKED void after(void) { KEEP(); }

int main(int argc, char **argv)
{
	long n = argc > 1 ? atol(argv[1]) : 1, made = down(n - 1), alternating = even(n - 1);
	FILE *told = fopen("told", "w");

	after();
	fprintf(told, "calls: %ld down\ncalls: %ld even\ncalls: %ld odd\nexpect: 1 0 main after\nignore: down\nignore: even\n"
		"expect: 1 0 main\n", made, (alternating + 1) / 2, alternating / 2);
	fclose(told);
	return 0;
}
