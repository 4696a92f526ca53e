/* Exceptions caught half-way, thrown again, and thrown while another one is handled.
 *
 * expect: 1 0 main
 * expect: 300 0 main outer(int)
 * expect: 300 0 main outer(int) middle(int)
 * expect: 300 0 main outer(int) middle(int) inner(int)
 * expect: 300 0 main outer(int) middle(int) handle()
 * expect: 100 0 main outer(int) second()
 * expect: 200 0 main caught()
 * depth: 0 */
#include <stdexcept>
#include "trap.h"

HOOKED void handle() { KEEP(); }
HOOKED void second() { KEEP(); }
HOOKED void caught() { KEEP(); }
HOOKED void inner(int n) { KEEP(); throw n; }

HOOKED void middle(int n)
{
	try {
		inner(n);
	} catch (int) {
		handle();
		if (n % 3 == 0)
			throw;
		if (n % 3 == 1)
			throw std::runtime_error("another");
	}
	KEEP();
}

HOOKED void outer(int n)
{
	middle(n);
	second();
	KEEP();
}

int main()
{
	for (int i = 0; i < 300; i++)
		try {
			outer(i);
		} catch (...) {
			caught();
		}
	return 0;
}
