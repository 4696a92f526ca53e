/* The same in a static program: code that runs before the monitor's own start and after its end is counted.
 *
 * na(pg): nothing can be preloaded into a static program
 * flags: -static
 * calls: 1 early
 * calls: 1 c101
 * calls: 1 c102
 * calls: 1 main
 * calls: 1 d101
 * calls: 1 d102
 * calls: 1 at_exit
 * calls: 7 f */
#include <stdlib.h>
#include "trap.h"

HOOKED void f(void) { KEEP(); }
HOOKED void early(int argc, char **argv, char **env) { (void)argc; (void)argv; (void)env; f(); KEEP(); }
__attribute__((section(".preinit_array"), used)) static void (*at_start)(int, char **, char **) = early;
HOOKED __attribute__((constructor(101))) void c101(void) { f(); KEEP(); }
HOOKED __attribute__((constructor(102))) void c102(void) { f(); KEEP(); }
HOOKED __attribute__((destructor(101))) void d101(void) { f(); KEEP(); }
HOOKED __attribute__((destructor(102))) void d102(void) { f(); KEEP(); }
HOOKED void at_exit(void) { f(); KEEP(); }

int main(void)
{
	atexit(at_exit);
	f();
	return 0;
}
