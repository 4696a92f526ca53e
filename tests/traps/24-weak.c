/* Of a weak function there are two, and each has callers that reach it by a name of its own, whichever the linker has taken for the name that they share.
 *
 * build: second.o -c -DSECOND
 * link: second.o
 * na(cyg): GCC tells its hooks where the name leads, which is to the other
 * expect: 1 0 main
 * expect: 3 0 main shared
 * expect: 1 0 main second
 * expect: 5 0 main second own_second
 */
#include "trap.h"

static int calls;

HOOKED __attribute__((weak)) void shared(void) { calls++; KEEP(); }

#ifdef SECOND
static void own_second(void) __attribute__((alias("shared")));

HOOKED void second(void)
{
	for (int i = 0; i < 5; i++)
		own_second();
	KEEP();
}
#else
static void own(void) __attribute__((alias("shared")));
void second(void);

int main(void)
{
	for (int i = 0; i < 3; i++)
		own();
	second();
	return calls == 3 ? 0 : 1;
}
#endif
