/* Two of the same program in one directory at the same time: two files, both whole. One after another: the newer one.
 *
 * variants: together apart
 * shell(together): "$@" & "$@"; wait
 * shell(apart): "$@"; "$@"
 * expect(together): 2 0 main
 * expect(together): 2000 0 main f
 * files(together): 2
 * expect(apart): 1 0 main
 * expect(apart): 1000 0 main f */
#include <unistd.h>
#include "trap.h"

HOOKED void f(void) { KEEP(); }

int main(void)
{
	for (int i = 0; i < 1000; i++)
		f();
	usleep(200000);
	return 0;
}
