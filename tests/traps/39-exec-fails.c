/* An exec that fails changes nothing.
 *
 * expect: 1 0 main
 * expect: 200 0 main work */
#include <unistd.h>
#include "trap.h"

HOOKED void work(void) { KEEP(); }

int main(void)
{
	for (int i = 0; i < 100; i++)
		work();
	execl("/nonexistent", "nothing", (char *)0);
	for (int i = 0; i < 100; i++)
		work();
	return 0;
}
