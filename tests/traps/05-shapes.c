/* Functions of unusual shapes: nested ones with a static chain, __builtin_apply, alloca, another section, another target, a
 * result in vectors; pure ones that the compiler may call once for several calls keep what it decided.
 *
 * cc: gcc
 * flags: -Wno-psabi
 * expect: 1 0 main
 * expect: 1 0 main outer
 * expect: 5 0 main outer inner.0
 * expect: 1 0 main apply
 * expect: 1 0 main apply applied
 * expect: 3 0 main room
 * expect: 3 0 main room filled
 * expect: 1 0 main special
 * expect: 1 0 main special applied
 * expect: 2 0 main vectors
 * output: 15 42 6 8 12.0
 */
#include <alloca.h>
#include <stdio.h>
#include "trap.h"

typedef double vector __attribute__((vector_size(32)));

HOOKED int outer(int n)
{
	int total = 0;
	__attribute__((noinline, noclone)) void inner(int k) { total += k; KEEP(); }

	for (int i = 1; i <= n; i++)
		inner(i);
	KEEP();
	return total;
}

HOOKED long applied(long a) { KEEP(); return a; }
HOOKED long apply(long a)
{
	void *result = __builtin_apply((void (*)())applied, __builtin_apply_args(), 64);

	KEEP();
	(void)a;
	__builtin_return(result);
}

HOOKED int filled(const char *room, int n) { KEEP(); return room[0] + n; }
HOOKED int room(int n)
{
	char *place = alloca(n);
	int r;

	place[0] = n;
	r = filled(place, 0);
	KEEP();
	return r;
}

__attribute__((section(".text.special"), cold)) HOOKED long special(long a) { long r = applied(a); KEEP(); return r; }
HOOKED vector vectors(double x) { KEEP(); return (vector){ x, x, x, x }; }

int main(void)
{
	vector v = vectors(1) + vectors(2);
	int rooms = room(1) + room(2) + room(3);
	int total = outer(5);
	long a = apply(42), s = special(8);

	printf("%d %ld %d %ld %.1f\n", total, a, rooms, s, v[0] + v[1] + v[2] + v[3]);
	return 0;
}
