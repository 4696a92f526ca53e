/* An exit that libc itself makes, by err(3): it is seen at the latest possible moment.
 *
 * status: 7
 * expect: 1 0 main
 * expect: 1 0 main l1
 * expect: 1 0 main l1 l2 */
#include <err.h>
#include "trap.h"

HOOKED void l2(void) { KEEP(); errx(7, "leaving"); }
HOOKED void l1(void) { l2(); KEEP(); }

int main(void)
{
	l1();
	return 0;
}
