/* Under valgrind, whose own code stands in the map of memory, too: no complaint of what the monitor does. (Clang's
 * descriptions for debuggers are too new for Debian 12's valgrind, with aprof or without.)
 *
 * ways: inline fentry cyg
 * cc: gcc
 * need: valgrind
 * shell: valgrind -q --error-exitcode=3 "$@" 2>&1
 * expect: 1 0 main
 * expect: 100 0 main work */
#include "trap.h"

HOOKED void work(void) { __asm__ volatile(""); }

int main(void)
{
	for (int i = 0; i < 100; i++)
		work();
	return 0;
}
