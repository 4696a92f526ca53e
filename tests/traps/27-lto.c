/* Link-time optimisation: the same counts as without.
 *
 * flags: -flto
 * na(clang): needs LLVM's linker plugin, which is not everywhere
 * expect: 1 0 main
 * expect: 10 0 main f
 * expect: 10 0 main f g */
#include "trap.h"

HOOKED void g(void) { KEEP(); }
HOOKED void f(void) { g(); KEEP(); }

int main(void)
{
	for (int i = 0; i < 10; i++)
		f();
	return 0;
}
