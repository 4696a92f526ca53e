/* Other hooks of a program's own: a call of its own function at each edge (-fsanitize-coverage), and room for a patch before each routine
 * (-fpatchable-function-entry).  They are called as often as without aprof, and the room is there.
 *
 * ways: inline fentry mcount mfentry
 * cc: gcc
 * flags: -fsanitize-coverage=trace-pc -fpatchable-function-entry=7,5
 * expect: 1 0 main
 * expect: 1000 0 main outer
 * expect: 1000 0 main outer leaf
 * depth: 0 */
#include <stdio.h>
#include "trap.h"

volatile long edges;

__asm__(".text\n.globl __sanitizer_cov_trace_pc\n.type __sanitizer_cov_trace_pc, @function\n"
	"__sanitizer_cov_trace_pc:\n\tincq edges(%rip)\n\tret\n");

HOOKED void leaf(void) { KEEP(); }
HOOKED void outer(void) { leaf(); KEEP(); }

/* No-ops before the routine. */
static UNHOOKED int room(const void *routine)
{
	const unsigned char *code = routine;
	int n = 0;

	__asm__("" : "+r"(code));
	while (n < 9 && code[-1 - n] == 0x90)
		n++;
	return n < 5 ? n : 5;
}

int main(void)
{
	long before = edges;

	for (volatile int i = 0; i < 1000; i++)
		outer();
	printf("%ld %d\n", edges - before, room((const void *)outer));
	return 0;
}
