/* A program that is itself built with hooks, and defines them (as GCC's eeprof-1.c): they are called as without aprof, by the same routines, in the
 * same order, with the same arguments, never by the monitor.  Also where a routine ends with a call, is inlined, or is excluded.
 *
 * ways: inline fentry mcount mfentry
 * cc: gcc
 * flags: -finstrument-functions -finstrument-functions-exclude-function-list=excluded
 * output: 1201 0
 * output: <main<outer<leaf>leaf<inlined>inlined<tail<leaf>leaf>tail>outer<leaf>leaf
 * expect: 1 0 main
 * expect: 100 0 main outer
 * expect: 100 0 main outer leaf
 * expect: 100 0 main outer tail
 * expect: 100 0 main outer tail leaf
 * expect: 100 0 main excluded
 * expect: 100 0 main excluded leaf
 * depth: 0 */
#include <stdio.h>
#include "trap.h"

static struct call { char what; void *routine, *site; } calls[2000];
static int count, wrong;

static UNHOOKED void record(char what, void *routine, void *site)
{
	calls[count++] = (struct call){ what, routine, site };
}

UNHOOKED void __cyg_profile_func_enter(void *routine, void *site) { record('<', routine, site); }
UNHOOKED void __cyg_profile_func_exit(void *routine, void *site) { record('>', routine, site); }

/* The last call was by this routine's entry. */
#define CHECK(name) (wrong += calls[count - 1].what != '<' || calls[count - 1].routine != (void *)name || \
		     calls[count - 1].site != __builtin_return_address(0))

HOOKED void leaf(void) { CHECK(leaf); KEEP(); }
HOOKED void tail(void) { CHECK(tail); leaf(); }
static inline __attribute__((always_inline)) void inlined(void) { CHECK(inlined); }
HOOKED void outer(void) { CHECK(outer); leaf(); inlined(); tail(); }
HOOKED void excluded(void) { leaf(); KEEP(); }

static UNHOOKED const char *name(void *routine)
{
	return routine == (void *)leaf ? "leaf" : routine == (void *)tail ? "tail" : routine == (void *)inlined ? "inlined" :
	       routine == (void *)outer ? "outer" : "main";
}

UNHOOKED static void print(void)
{
	printf("%d %d\n", count, wrong);
	for (int i = 0; i < 13; i++)
		printf("%c%s", calls[i].what, name(calls[i].routine));
	putchar('\n');
}

int main(void)
{
	for (volatile int i = 0; i < 100; i++) {
		outer();
		excluded();
	}
	print();
	return 0;
}
