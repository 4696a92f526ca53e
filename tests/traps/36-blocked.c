/* All signals blocked for a second, few pending ones allowed: the program lives, and its time is accounted for.
 *
 * shell: ulimit -i 5; exec "$@"
 * bare: 1
 * env: APROF_RATE=1000
 * expect: 1 0 main
 * expect: 1 0 main burn */
#include <signal.h>
#include <stdlib.h>
#include <time.h>
#include "trap.h"

HOOKED void burn(clock_t time) { clock_t start = clock(); while (clock() - start < time) KEEP(); }

int main(int argc, char **argv)
{
	sigset_t all;

	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, NULL);
	burn(argc > 1 ? atol(argv[1]) : CLOCKS_PER_SEC);
	return 0;
}
