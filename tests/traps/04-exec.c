/* A program that burns 50 ms after an exec: no timer of ours reaches it.
 *
 * expect: 1 0 main
 * expect: 1 0 main burn
 * state: running */
#include <time.h>
#include <unistd.h>
#include "trap.h"

HOOKED void burn(clock_t ticks) { clock_t start = clock(); while (clock() - start < ticks) KEEP(); }

int main(void)
{
	burn(CLOCKS_PER_SEC / 20);
	execl("/bin/sh", "sh", "-c", "i=0; while [ $i -lt 40000 ]; do i=$((i+1)); done; exit 0", (char *)0);
	return 1;
}
