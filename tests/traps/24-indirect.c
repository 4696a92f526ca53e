/* The name of an indirect function, which target_clones makes, leads to a jump of the linker's, and so does that of a library's function whose address
 * a program takes. Way cyg tells its hooks the name: the routine is the code behind the jump.
 *
 * cc: gcc
 * flags: -fno-pie
 * build: libtaken.so -DTAKEN -fPIC -shared
 * link: -no-pie -L. -ltaken -Wl,-rpath,$ORIGIN
 * expect: 1 0 main
 * expect: 5 0 main many.sse2
 * expect: 5 0 main taken
 */
#include "trap.h"

#ifdef TAKEN
HOOKED int taken(int n) { KEEP(); return n; }
#else
int taken(int n);

__attribute__((noinline, target_clones("sse2", "default"))) int many(int n) { KEEP(); return 2 * n; }

int main(void)
{
	int (*volatile call)(int) = taken;
	int sum = 0;

	for (int i = 0; i < 5; i++)
		sum += many(i) + call(i);
	return sum == 30 ? 0 : 1;
}
#endif
