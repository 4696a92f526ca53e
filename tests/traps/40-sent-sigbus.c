/* A SIGBUS that somebody sends ends the program as it would without the monitor, whose handler waits for those of its file; one that is ignored
 * from the start does not.
 *
 * variants: default ignored
 * shell(ignored): trap '' BUS; exec "$@"
 * signal(default): BUS
 * status(ignored): 3
 * state(default): running
 * expect: 1 0 main
 * expect: 1 0 main before
 * expect(ignored): 1 0 main after */
#include <signal.h>
#include "trap.h"

HOOKED void before(void) { KEEP(); }
HOOKED void after(void) { KEEP(); }

int main(void)
{
	before();
	raise(SIGBUS);
	after();
	return 3;
}
