/* Every kind of argument and result passes the hooks unchanged, in calls that miss and in calls that hit.
 *
 * need: avx2
 * calls: 6 pass */
#include <complex.h>
#include <errno.h>
#include <immintrin.h>
#include <stdarg.h>
#include <stdio.h>
#include "trap.h"

struct pair { double a, b; };
struct mixed { long a; double b; };
struct large { double all[8]; };

HOOKED double sum(int n, ...)
{
	double total = 0;
	va_list list;

	va_start(list, n);
	while (n-- > 0)
		total += va_arg(list, double);
	va_end(list);
	return total;
}

HOOKED double eight(double a, double b, double c, double d, double e, double f, double g, double h)
{
	KEEP();
	return a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f + 7 * g + 8 * h;
}

HOOKED struct pair two(double a, double b) { KEEP(); return (struct pair){ b, a }; }
HOOKED struct mixed mix(double a, long b) { KEEP(); return (struct mixed){ b, a }; }
HOOKED struct large many(double a) { struct large l; for (int i = 0; i < 8; i++) l.all[i] = a + i; KEEP(); return l; }
HOOKED long double extended(long double a, double b) { KEEP(); return a / 3 + b; }
HOOKED _Complex double turned(_Complex double a) { KEEP(); return a * I; }
HOOKED float narrow(float a, int b, float c) { KEEP(); return a * (float)b + c; }
HOOKED __int128 wide(__int128 a, int b) { KEEP(); return a * b; }
HOOKED __attribute__((target("avx2"))) __m256d twice(__m256d a) { KEEP(); return _mm256_add_pd(a, a); }
HOOKED int fails(int e) { errno = e; KEEP(); return -1; }
HOOKED long integers(long a, long b, long c, long d, long e, long f, long g, long h)
{
	KEEP();
	return a - b * c + d * e - f * g + h;
}

HOOKED __attribute__((target("avx2"))) void pass(void)
{
	struct large l = many(1.5);
	union { __m256d v; double d[4]; } x = { twice(_mm256_set_pd(1, 2, 3, 4)) };
	struct pair p = two(1.25, 2.5);
	struct mixed m = mix(0.5, 77);

	printf("%g %g\n", sum(4, 1.0, 2.0, 3.0, 4.0), sum(10, 1., 2., 3., 4., 5., 6., 7., 8., 9., 10.));
	printf("%g\n", eight(1, 2, 3, 4, 5, 6, 7, 8));
	printf("%g %g %ld %g %g %g\n", p.a, p.b, m.a, m.b, l.all[0], l.all[7]);
	printf("%.18Lg %g %g\n", extended(10.0L, 0.125), creal(turned(3 + 4 * I)), narrow(1.5f, 2, 0.25f));
	printf("%lld %g %g %g %g\n", (long long)wide((__int128)1 << 40, 3), x.d[0], x.d[1], x.d[2], x.d[3]);
	printf("%d", fails(ENOENT));
	printf(" %d %ld\n", errno == ENOENT, integers(1, 2, 3, 4, 5, 6, 7, 8));
}

HOOKED void again(void) { pass(); KEEP(); }

int main(void)
{
	for (int i = 0; i < 3; i++) {
		pass();
		again();
	}
	return 0;
}
