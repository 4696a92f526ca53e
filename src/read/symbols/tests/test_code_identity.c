/* test_code_identity.c - the digest of a function's code: the same wherever it is, another where an instruction, or whom it calls, is. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "read/symbols/tests/scratch.h"

/* MORE is put in front of all, ONE and CALLED are of the function that is looked at. */
static const char program[] =
	"static volatile int numbers[100]; _Thread_local volatile int own; volatile int far[1000];\n"
	"MORE\n"
	"__attribute__((noipa)) int leaf(int x) { return x + far[9]; }\n"
	"__attribute__((noipa)) int other(int x) { return x - far[9]; }\n"
	"__attribute__((noipa)) int looked(int x)\n"
	"{\n"
	"	for (int i = 0; i < 100; i++)\n"
	"		x += numbers[i] * ONE + own;\n"
	"	if (x != 5)\n"
	"		__asm__ volatile(\"inc %0; .p2align 6\" : \"+r\"(x));\n"
	"	if (x == 3)\n"
	"		far[x] = (int)(long)&far[5];\n"
	"	return CALLED(x) + x;\n"
	"}\n"
	"int main(int n, char **v) { return looked(n) + leaf(n) + other(n) + (v == 0); }\n";

static int begin(void **state)
{
	if (scratch_begin(state))
		return -1;
	scratch_file("p.c", program);
	return 0;
}

/* The digest of looked, of the program built with FLAGS. */
static uint64_t digest(const char *flags, const char *more, const char *one, const char *called)
{
	struct symbols *s;
	uint64_t found;

	scratch_run("$CC -O2 -g %s -DMORE='%s' -DONE=%s -DCALLED=%s -o p p.c", flags, more, one, called);
	s = scratch_open("p");
	found = symbols_code(s, 0, scratch_address("p", "looked") + 3);
	symbols_free(s);
	return found;
}

static const char moved[] = "int table[77] = { 1 }; _Thread_local int mine[5] = { 1 }; int first(int x) { return x * 7 + table[x] + mine[x]; }";

static void is_the_same_elsewhere(void **state)
{
	static const char *const links[] = { "-pie -fPIE", "-no-pie -fno-pie" };

	(void)state;
#ifndef __x86_64__
	skip();
#endif
	for (int i = 0; i < 2; i++) {
		uint64_t code = digest(links[i], "", "3", "leaf");

		assert_int_not_equal(code, 0);
		assert_int_equal(code, digest(links[i], moved, "3", "leaf"));
		assert_int_not_equal(code, digest(links[i], "", "5", "leaf"));
		assert_int_not_equal(code, digest(links[i], moved, "3", "other"));
	}
}

static void is_unknown_without_code(void **state)
{
	struct symbols *s;

	(void)state;
	scratch_run("$CC -O2 -DMORE= -DONE=3 -DCALLED=leaf -o p p.c");
	s = scratch_open("p");
	assert_int_equal(symbols_code(s, 0, 8), 0);
	assert_int_equal(symbols_code(s, PROFILE_NONE, scratch_address("p", "looked")), 0);
	symbols_free(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(is_the_same_elsewhere),
		cmocka_unit_test(is_unknown_without_code),
	};

	return cmocka_run_group_tests(tests, begin, scratch_end);
}
