/* Ten million calls deep.
 *
 * shell: ulimit -s unlimited; exec "$@"
 * output: 10000000
 * expect: 1 0 main
 * expect: 1 9999999 main down
 * depth: 0 */
#include <stdio.h>
#include "trap.h"

HOOKED int down(int n) { int r = n > 1 ? down(n - 1) + 1 : 1; KEEP(); return r; }

int main(void)
{
	printf("%d\n", down(10000000));
	return 0;
}
