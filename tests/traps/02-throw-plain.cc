/* Destructors that run during unwinding, called by way of plain code: the frame left is still above theirs, and a shadow
 * stack cannot know that it is dead. GCC's way cyg has an exit hook on the way out.
 *
 * na(pg): limit: hooked code below plain code during unwinding stands under the frame that threw
 * expect: 1 0 main
 * expect: 100 0 main t1(int)
 * expect: 100 0 main t1(int) t2(int)
 * expect: 100 0 main t1(int) dropped()
 * depth: 0 */
#include "trap.h"

HOOKED void dropped() { KEEP(); }
struct guard { UNHOOKED ~guard() { dropped(); KEEP(); } };

HOOKED void t2(int n) { KEEP(); throw n; }
HOOKED void t1(int n) { guard g; t2(n); KEEP(); }

int main()
{
	for (int i = 0; i < 100; i++)
		try {
			t1(i);
		} catch (int) {
		}
	return 0;
}
