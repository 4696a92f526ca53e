/* jumps.c - plain code that receives longjmp. */
#include <setjmp.h>

#include "tests/time_truth/pieces.h"
#include "tests/time_truth/truth.h"

static __thread jmp_buf caught;

void catch_jump(void (*called)(void), long count, void (*after)(void))
{
	int node = truth_node();

	if (!setjmp(caught))
		called();
	else
		truth_caught(node);
	spin(count);
	if (after)
		after();
}

void leave_by_jump(void)
{
	truth_throwing();
	longjmp(caught, 1);
}
