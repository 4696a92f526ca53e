/* The resolver of an indirect function runs before the thread's words exist; it must not be hooked, or do no harm.
 *
 * output: 42
 * na: limit: a hooked resolver faults; give it no_instrument_function */
#include <stdio.h>
#include "trap.h"

HOOKED int forty_two(void) { KEEP(); return 42; }
HOOKED void *resolver(void) { return (void *)forty_two; }
int answer(void) __attribute__((ifunc("resolver")));

int main(void)
{
	printf("%d\n", answer());
	return 0;
}
