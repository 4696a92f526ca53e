/* GCC splits a routine: it inlines the beginning, with way cyg's entry hook, and calls the rest (.part) from there, with the exit hook.
 * Here that is done by hand, as what it splits is its own secret, and where GCC calls all hooks.
 *
 * opt: -O0
 * ways: cyg
 * na(verified): made by hand, its code has no exit hook where the routine ends: nothing there says that it is left already
 * expect: 1 0 main
 * expect: 1000 0 main first
 * expect: 1000 0 main first work
 * expect: 1000 0 main first after
 * expect: 1000 0 main second
 * expect: 2000 0 main second split
 * expect: 2000 0 main second split work
 * expect: 3000 0 main second after */
#include "trap.h"

void __cyg_profile_func_enter(void *routine, void *site);
void __cyg_profile_func_exit(void *routine, void *site);

HOOKED void work(void) { KEEP(); }
HOOKED void after(void) { KEEP(); }
UNHOOKED void split(int deep);

/* What is left of it, in a frame of its own. */
UNHOOKED void rest(int deep)
{
	volatile char frame[400];

	frame[0] = (char)deep;
	work();
	__cyg_profile_func_exit((void *)split, __builtin_return_address(0));
	KEEP();
}

#define SPLIT(deep) do { \
	__cyg_profile_func_enter((void *)split, __builtin_return_address(0)); \
	if (deep >= 0) \
		rest(deep); \
} while (0)

UNHOOKED void split(int deep) { SPLIT(deep); KEEP(); }

HOOKED void first(void) { work(); after(); KEEP(); }

HOOKED void second(int deep)
{
	after();
	SPLIT(deep);
	after();
	split(deep);
	after();
	KEEP();
}

int main(void)
{
	for (int i = 0; i < 1000; i++) {
		second(i);
		first();
	}
	return 0;
}
