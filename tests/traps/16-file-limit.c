/* A limit on the size of files: the program is neither killed nor changed, and the loss is said if there is one.
 *
 * variants: small none
 * shell(small): ulimit -f 1; exec "$@"
 * shell(none): ulimit -f 0; exec "$@"
 * files: 0..1
 * output: done
 * expect: 1 0 main
 * expect: 1000 0 main f
 * note: copied 0..1
 * note: no_file 0..1 */
#include <stdio.h>
#include "trap.h"

HOOKED void f(void) { KEEP(); }

int main(void)
{
	for (int i = 0; i < 1000; i++)
		f();
	puts("done");
	return 0;
}
