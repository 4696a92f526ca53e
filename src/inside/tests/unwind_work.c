/* unwind_work.c - what unwind_test.c walks through: frames of every kind that compilers and libc make. */
#include <alloca.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define APART __attribute__((noinline))

void unwind_work(void (*begin_steps)(void), void (*end_steps)(void));

static void (*begin)(void);
static volatile int sum;

static APART int leaf(int n) { return sum += n; }
static APART int tail(int n) { sum++; return leaf(n); }
static APART int recursion(int n) { return n ? recursion(n - 1) + leaf(n) : tail(n); }

/* Many registers to save. */
static APART int wide(int a, int b, int c, int d, int e, int f, int g, int h)
{
	int x = leaf(a), y = leaf(b), z = leaf(c), w = leaf(d);

	return leaf(e + x) + leaf(f + y) + leaf(g + z) + leaf(h + w) + a * b * c * d * e * f * g * h;
}

static APART int room(int n)
{
	char *p = alloca((size_t)n);

	memset(p, n, (size_t)n);
	return leaf(p[n / 2]);
}

/* A frame that begins at a multiple of 64, with a part whose size is not known. */
static APART int aligned(int n)
{
	_Alignas(64) volatile char whole[64];
	char *p = alloca((size_t)n);

	whole[n & 63] = 1;
	p[0] = whole[0];
	return leaf(p[0]) + leaf(whole[n & 63]);
}

/* The unlikely part goes to a section of its own. */
static APART void failed(int n) __attribute__((cold));
static void failed(int n) { leaf(n); }

static APART int split(int n)
{
	if (n > 100) {
		failed(n);
		failed(n + 1);
	}
	return leaf(n) + 1;
}

static APART int early(int n)
{
	if (n < 10)
		return n;
	return wide(n, n, n, n, n, n, n, n);
}

static APART int many(const char *format, ...)
{
	char text[80];
	va_list ap;
	int n;

	va_start(ap, format);
	n = vsnprintf(text, sizeof text, format, ap);
	va_end(ap);
	return n;
}

static int less(const void *a, const void *b) { return leaf(*(const int *)a - *(const int *)b); }

static APART void by_libc(void)
{
	int numbers[] = { 5, 3, 9, 1 };

	qsort(numbers, 4, sizeof *numbers, less);
	many("%d %s %g", numbers[0], "text", 1.5);
	free(malloc(100));
	leaf(atoi("17"));
	leaf((int)strtol("0x11", NULL, 16));
}

static jmp_buf back;
static volatile int jumping = 1;	/* always: the compiler takes what never returns for endless recursion */

static APART void out(int n)
{
	if (n)
		out(n - 1);
	else if (jumping)
		longjmp(back, 1);
	leaf(n);
}

static APART void jumps(void)
{
	if (!setjmp(back))
		out(3);
	else
		leaf(1);
}

static void handler(int sig)
{
	begin();
	recursion(sig & 3);
	by_libc();
}

static void signals(void)
{
	static char other[65536];
	stack_t alternate = { .ss_sp = other, .ss_size = sizeof other };
	struct sigaction action = { .sa_handler = handler, .sa_flags = SA_ONSTACK };

	sigaction(SIGUSR1, &action, NULL);
	sigaltstack(&alternate, NULL);
	raise(SIGUSR1);
	action.sa_flags = 0;
	sigaction(SIGUSR1, &action, NULL);
	raise(SIGUSR1);
}

#ifndef __clang__
static APART int call(int (*f)(int), int n) { return f(n) + 1; }

static APART int nested(int n)
{
	int inner(int m) { return leaf(n + m); }

	return call(inner, 3);
}
#else
static APART int nested(int n) { return leaf(n); }
#endif

void unwind_work(void (*begin_steps)(void), void (*end_steps)(void))
{
	begin = begin_steps;
	begin_steps();
	recursion(5);
	wide(1, 2, 3, 4, 5, 6, 7, 8);
	room(40);
	aligned(33);
	split(1);
	split(101);
	early(1);
	early(11);
	jumps();
	by_libc();
	signals();
	nested(1);
	end_steps();
}
