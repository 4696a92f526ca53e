/* __builtin_longjmp, which is no call, by a routine with hooks into code without.
 *
 * plain: plain.o -c -DPLAIN
 * link: plain.o
 * na(verified !inline): nobody tells of such a jump: until the next call the code that received it is in the context of the one that jumped
 * expect: 1 0 main
 * expect: 1000 0 main called
 * expect: 500 0 main called jump
 * expect: 1000 0 main work
 * expect: 500 0 main handle
 * expect: 500 0 main handle work */
#include "trap.h"

extern void *here[5];
int guarded(void (*f)(int), void (*caught)(void), int n);

#ifdef PLAIN
void *here[5];

__attribute__((noinline)) int guarded(void (*f)(int), void (*caught)(void), int n)
{
	if (__builtin_setjmp(here) == 0)
		f(n);
	else
		caught();
	return 0;
}
#else
HOOKED void work(void) { KEEP(); }
HOOKED void handle(void) { work(); KEEP(); }
HOOKED void jump(void) { __builtin_longjmp(here, 1); }
HOOKED void called(int n) { if (n % 2) jump(); KEEP(); }

int main(void)
{
	for (int i = 0; i < 1000; i++) {
		guarded(called, handle, i);
		work();
	}
	return 0;
}
#endif
