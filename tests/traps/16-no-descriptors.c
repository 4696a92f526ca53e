/* No descriptor is to be had: from the start, or as soon as the program runs.
 *
 * variants: tight full
 * shell(tight): ulimit -n 4; exec "$@"
 * shell(full): ulimit -n 20; exec "$@"
 * output: done
 * files: 0..1
 * note: copied 0..1
 * note: no_file 0..1
 * expect(tight): 1 0 main
 * expect(tight): 1000 0 main f
 * expect(tight): 1 0 main g
 * expect(tight): 1000 0 main g f */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "trap.h"

HOOKED void f(void) { KEEP(); }
HOOKED void g(void) { for (int i = 0; i < 1000; i++) f(); KEEP(); }

/* Before main, and so before the first hook. */
__attribute__((constructor, no_instrument_function)) static void take_all(int argc, char **argv)
{
	if (!strcmp(argv[argc - 1], "full"))
		while (open("/dev/null", O_RDONLY) >= 0)
			;
}

int main(void)
{
	for (int i = 0; i < 1000; i++)
		f();
	while (open("/dev/null", O_RDONLY) >= 0)
		;
	g();
	puts("done");
	return 0;
}
