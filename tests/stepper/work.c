/* work.c - the stepper's hooked routines.  No two are alike: the compiler makes one of twins. */
#include "work.h"

#include <stdarg.h>

#ifdef __clang__
#define HOOKED __attribute__((noinline))
#else
#define HOOKED __attribute__((noinline, noclone))
#endif
#define KEEP(name) __asm__ volatile("# " name : : : "memory")

sigjmp_buf way_out;

HOOKED void target(void) { KEEP("target"); }
HOOKED void after(void) { KEEP("after"); }
HOOKED void tail(void) { KEEP("tail"); after(); }
HOOKED void recurse(int n) { if (n) recurse(n - 1); KEEP("recurse"); }
HOOKED void inner(void) { KEEP("inner"); }

HOOKED double values(long a, long b, long c, long d, long e, long f, double g, double h, ...)
{
	va_list more;
	double sum = (double)(a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f) + g * 7 + h * 8;

	va_start(more, h);
	sum += (double)va_arg(more, long) * 9;
	sum += va_arg(more, double) * 10;
	va_end(more);
	return sum;
}

static inline __attribute__((always_inline)) void within(void) { KEEP("within"); }
HOOKED void outer(void) { within(); KEEP("outer"); }

HOOKED void handler(int sig)
{
	handler_begins(sig);
	inner();
	target();
	recurse(2);
	inner();
	handler_ends(sig);
	KEEP("handler");
}

HOOKED void base(void)
{
	if (!sigsetjmp(way_out, 1))
		site();
	KEEP("base");
}

#define EACH(level, x) x(level, a) x(level, b) x(level, c) x(level, d) x(level, e) x(level, f) x(level, g) \
	x(level, h) x(level, i) x(level, j) x(level, k) x(level, l) x(level, m) x(level, n)
#define LEVEL(level, c) static HOOKED void level##_##c(void) { descend(); KEEP(#level #c); }
EACH(first, LEVEL)
EACH(second, LEVEL)
EACH(third, LEVEL)

#define NAME(level, c) level##_##c,
void (*const levels[DEPTH][CHOICES])(void) = { { EACH(first, NAME) }, { EACH(second, NAME) }, { EACH(third, NAME) } };
