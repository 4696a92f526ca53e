/* throws.cc - plain code that receives exceptions. */
#include "tests/time_truth/pieces.h"
#include "tests/time_truth/truth.h"

void catch_throw(void (*called)(void), long count, void (*after)(void))
{
	int node = truth_node();

	try {
		called();
	} catch (int) {
		truth_caught(node);
	}
	spin(count);
	if (after)
		after();
}

void leave_by_throw(void)
{
	truth_throwing();
	throw 1;
}
