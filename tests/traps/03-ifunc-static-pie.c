/* The resolver of an indirect function runs before the thread's words exist, and so does what it calls: its hooks do no harm. In a
 * static program there is no thread pointer either.
 *
 * na(pg): nothing can be preloaded into a static program
 * flags: -static-pie
 * output: 42 41
 * expect: 1 0 main
 * expect: 1 0 main forty_two
 * expect: 1 0 main forty_one
 * note: early 0..
 * na(inline): the plugin skips resolvers, but not what they call */
#include <stdio.h>
#include "trap.h"

HOOKED int forty_one(void) { KEEP(); return 41; }
HOOKED int forty_two(void) { KEEP(); return 42; }
HOOKED int is_new(int n) { KEEP(); return n > 1; }
HOOKED void *resolver(void) { return is_new(2) ? (void *)forty_two : (void *)forty_one; }
HOOKED void *other_resolver(void) { return is_new(1) ? (void *)forty_two : (void *)forty_one; }
int answer(void) __attribute__((ifunc("resolver")));
int other_answer(void) __attribute__((ifunc("other_resolver")));

int main(void)
{
	printf("%d %d\n", answer(), other_answer());
	return 0;
}
