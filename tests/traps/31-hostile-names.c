/* A name with an escape sequence and markup in it is shown escaped.
 *
 * post: objcopy --redefine-sym f="$(printf '\033[31m<script>')" "$1"
 * expect: 1 0 main
 * expect: 1 0 main \x1b[31m<script>
 * after: ! "$APROF" report -- amon.out | grep -q "$(printf '\033')" */
#include "trap.h"

HOOKED void f(void) { KEEP(); }

int main(void)
{
	f();
	return 0;
}
