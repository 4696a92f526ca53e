/* A file system mounted read-only, /dev/shm as well or not: the program runs as ever.
 *
 * need: mounts
 * variants: here everywhere
 * shell(here): exec unshare -m sh -c 'mount --bind . . && mount -o remount,ro,bind . && cd "$PWD" && exec "$@"' sh "$@"
 * shell(everywhere): exec unshare -m sh -c 'mount --bind . . && mount -o remount,ro,bind . && mount -t tmpfs -o ro none /dev/shm && cd "$PWD" && exec "$@"' sh "$@"
 * output: done
 * files: 0 */
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
