/* Coroutines of plain code, switched by its own assembly, call back into hooked code, which has returned before each switch: what either stack
 * calls next is on that stack, though the other has nothing open, be it higher or lower.  Where a stack begins nobody is active.
 *
 * ways: fentry cyg mcount
 * plain: plain.o -c -DPLAIN
 * link: plain.o
 * note: foreign_stack 1
 * expect: 1 0 main
 * expect: 100 0 main resume
 * expect: 100 0 main resume work
 * expect: 100 0 main resume work leaf
 * expect: 100 0 called
 * expect: 100 0 called leaf */
#include "trap.h"

void go_on(void);
void called(void);

#ifdef PLAIN
#include "switch_to.h"

static void *home, *other;
static char stack[65536] __attribute__((aligned(16)));

static void body(void)
{
	for (;;) {
		called();
		switch_to(&other, home);
	}
}

void go_on(void)
{
	void **top = (void **)(stack + sizeof stack) - 2;

	if (!other) {
		*--top = (void *)body;
		other = top - 6;
	}
	switch_to(&home, other);
}
#else
HOOKED void leaf(void) { KEEP(); }
HOOKED void called(void) { leaf(); KEEP(); }
HOOKED void work(void) { leaf(); KEEP(); }
HOOKED void resume(void) { go_on(); work(); KEEP(); }

int main(void)
{
	for (int i = 0; i < 100; i++)
		resume();
	return 0;
}
#endif
