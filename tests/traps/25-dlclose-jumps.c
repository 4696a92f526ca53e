/* Constructors and destructors of a library jump out of callbacks of the program's code without hooks: they are called by dlopen's and dlclose's caller still.
 *
 * build: lib.so -shared -fPIC -DLIB
 * plain: plain.o -c -DPLAIN
 * link: plain.o -ldl -rdynamic
 * expect: 1 0 main
 * expect: 50 0 main begin
 * expect: 50 0 main begin leave
 * expect: 50 0 main begin rest
 * expect: 50 0 main end
 * expect: 50 0 main end leave
 * expect: 50 0 main end rest */
#include <dlfcn.h>
#include <setjmp.h>
#include "trap.h"

void out(void);
void guard(void (*f)(void), void (*g)(void));

#ifdef PLAIN
static jmp_buf here;

void out(void) { longjmp(here, 1); }

void guard(void (*f)(void), void (*g)(void))
{
	if (setjmp(here) == 0)
		f();
	else
		g();
}
#elif defined(LIB)
static HOOKED void leave(void) { out(); KEEP(); }
static HOOKED void rest(void) { KEEP(); }
static HOOKED __attribute__((constructor)) void begin(void) { guard(leave, rest); KEEP(); }
static HOOKED __attribute__((destructor)) void end(void) { guard(leave, rest); KEEP(); }
#else
int main(void)
{
	for (int i = 0; i < 50; i++)
		dlclose(dlopen("./lib.so", RTLD_NOW));
	return 0;
}
#endif
