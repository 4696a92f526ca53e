/* A directory that the user may not write to: the program runs as ever.
 *
 * need: root setpriv
 * shell: chmod 555 .; exec setpriv --reuid=65534 --regid=65534 --clear-groups "$@"
 * output: done
 * files: 0
 * after: find /dev/shm -name 'amon.out.*' -user 65534 -delete */
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
