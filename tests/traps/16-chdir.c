/* The file stays where the process started, wherever the process goes.
 *
 * expect: 1 0 main
 * expect: 1 0 main f
 * after: test -f amon.out && test ! -e sub/amon.out */
#include <sys/stat.h>
#include <unistd.h>
#include "trap.h"

HOOKED void f(void) { KEEP(); }

int main(void)
{
	mkdir("sub", 0777);
	if (chdir("sub"))
		return 1;
	f();
	return 0;
}
