/* endbr64 before the hook, and calls of the hook through the GOT: the names are right all the same.
 *
 * flags: -fcf-protection=full -fno-plt -fPIE -pie
 * expect: 1 0 main
 * expect: 10 0 main first
 * expect: 10 0 main first second
 * expect: 10 0 main third */
#include "trap.h"

HOOKED void second(void) { KEEP(); }
HOOKED void first(void) { second(); KEEP(); }
HOOKED void third(int n) { volatile char a[600]; a[n] = 1; KEEP(); }

int main(void)
{
	void (*volatile pointer)(int) = third;

	for (int i = 0; i < 10; i++) {
		first();
		pointer(i);
	}
	return 0;
}
