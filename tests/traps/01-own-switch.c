/* Coroutines whose stacks are neighbours in one block, switched by the program's own code, which tells nobody: whatever that does to
 * contexts, each routine comes back to where it was called from.
 *
 * ways: mcount mfentry
 * output: 1000 249500
 * calls: 1000 deep
 * note: unbalanced_exit 0..
 * na(verified): a routine that comes back on another stack is in the context that the one there left behind */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include "switch_to.h"
#include "trap.h"

enum { SIZE = 32768 };

static void *home, *other[2];
static int at, calls;
static long sum;

/* Leaves from deep in its own calls, and comes back into them. */
HOOKED int deep(int n)
{
	if (n % 3 == 0)
		switch_to(&other[at], home);
	calls++;
	KEEP();
	return n;
}

HOOKED int middle(int n) { int m = deep(n); KEEP(); return m; }

HOOKED void body(void)
{
	for (int i = 0;; i++) {
		int n = middle(i);

		sum += n;
		switch_to(&other[at], home);
	}
}

static void *stack_make(char *low)
{
	void **top = (void **)(low + SIZE) - 2;

	*--top = (void *)body;
	return top - 6;
}

HOOKED void resume(int i) { at = i; switch_to(&home, other[i]); KEEP(); }

int main(void)
{
	char *block = malloc(2 * SIZE);

	other[0] = stack_make(block);
	other[1] = stack_make(block + SIZE);
	for (int turn = 0; calls < 1000; turn++)
		resume(turn % 2);
	printf("%d %ld\n", calls, sum);
	return 0;
}
