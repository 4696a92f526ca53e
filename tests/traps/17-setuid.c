/* A set-uid program is not profiled, and nothing is written.
 *
 * need: root setpriv
 * shell: chmod 4755 prog; chmod 777 .; exec setpriv --reuid=65534 --regid=65534 --clear-groups "$@"
 * output: 0
 * files: 0 */
#include <stdio.h>
#include <unistd.h>
#include "trap.h"

HOOKED void f(void) { KEEP(); }

int main(void)
{
	f();
	printf("%d\n", (int)geteuid());
	return 0;
}
