/* All signals blocked for a second, few pending ones allowed: the program lives, and its time is accounted for.
 *
 * shell: ulimit -i 5; exec "$@"
 * env: APROF_RATE=1000
 * expect: 1 0 main
 * expect: 1 0 main burn */
#include <signal.h>
#include <time.h>
#include "trap.h"

HOOKED void burn(void) { clock_t start = clock(); while (clock() - start < CLOCKS_PER_SEC) KEEP(); }

int main(void)
{
	sigset_t all;

	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, NULL);
	burn();
	return 0;
}
