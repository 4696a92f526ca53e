/* Stripped, with the symbols in a file of their own: the same names.
 *
 * post: objcopy --only-keep-debug "$1" "$1.debug" && strip "$1" && objcopy --add-gnu-debuglink="$1.debug" "$1"
 * expect: 1 0 main
 * expect: 10 0 main f */
#include "trap.h"

HOOKED void f(void) { KEEP(); }

int main(void)
{
	for (int i = 0; i < 10; i++)
		f();
	return 0;
}
