/* test_demangle.c - C++, Rust and D names, and names that want to do harm. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "read/symbols/demangle.h"

static const struct {
	const char *name;	/* mangled */
	const char *expected;	/* NULL: it is none */
} cases[] = {
	{ "main", NULL },
	{ "_start", NULL },
	{ "_Zebra", NULL },
	{ "_Does_it", NULL },
	{ "_Really", NULL },
	{ "_Z3foov", "foo()" },
	{ "_ZN3foo3barEid", "foo::bar(int, double)" },
	{ "_ZNKSt6vectorIiSaIiEE4sizeEv", "std::vector<int, std::allocator<int> >::size() const" },
	{ "_ZNSt8ios_base4InitC1Ev", "std::ios_base::Init::Init()" },
	{ "_Z3foov._omp_fn.0", "foo() [clone ._omp_fn.0]" },
	{ "_GLOBAL__I_main", "global constructors keyed to main" },
	{ "_GLOBAL__sub_I_main", "static initialisers keyed to main" },
	{ "_GLOBAL__sub_I_names.cc", "static initialisers keyed to names.cc" },
	{ "_GLOBAL__sub_I__ZN4shop5stockE", "static initialisers keyed to shop::stock" },
	{ "_GLOBAL__sub_D__ZN4shop5stock3addIiEEvT_", "static destructors keyed to shop::stock::add" },
	{ "_GLOBAL__sub_I.00101_main", "static initialisers keyed to main" },
	{ "__memset_avx2_unaligned_erms", "memset (__memset_avx2_unaligned_erms)" },
	{ "_GLOBAL__sub_I_", NULL },
	{ "_GLOBAL__sub_marine", NULL },
	{ "_ZN4core3fmt9Formatter3pad17h0123456789abcdefE", "core::fmt::Formatter::pad" },
	{ "_ZN71_$LT$Test$u20$$u2b$$u20$$u27$static$u20$as$u20$foo..Bar$LT$Test$GT$$GT$3bar17h930b740aa94f1d3aE",
	  "<Test + 'static as foo::Bar<Test>>::bar" },
	{ "_RNvC6_123foo3bar", "123foo::bar" },
	{ "_RNvNtCs1234_7mycrate3foo3bar", "mycrate::foo::bar" },
	{ "_RINvNtC3std3mem8align_ofdE", "std::mem::align_of::<f64>" },
	{ "_Dmain", "D main" },
	{ "_D8demangle4testFaZv", "demangle.test(char)" },
	{ "_D3std5stdio7writelnFAyaZv", "std.stdio.writeln(immutable(char)[])" },
};

static void names(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		char *got = demangle(cases[i].name);
		if (!got != !cases[i].expected || (got && strcmp(got, cases[i].expected)))
			fail_msg("%s: %s", cases[i].name, got ? got : "(none)");
		free(got);
	}
}

/* gprof prints the names of static objects' code as linked, and so do its users' scripts expect them. */
static void names_as_gprof(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		bool ours = strncmp(cases[i].name, "_GLOBAL__sub_", strlen("_GLOBAL__sub_")) == 0 || strncmp(cases[i].name, "__", 2) == 0;
		const char *expected = ours ? NULL : cases[i].expected;
		char *got = demangle_as_gprof(cases[i].name);
		if (!got != !expected || (got && strcmp(got, expected)))
			fail_msg("%s: %s", cases[i].name, got ? got : "(none)");
		free(got);
	}
}

/* A name with a component of 1500 characters, more than libiberty takes by default. */
static void long_name(void **state)
{
	char name[2048] = "_Z1500", *got;

	(void)state;
	memset(name + 6, 'x', 1500);
	strcpy(name + 1506, "v");
	got = demangle(name);
	assert_non_null(got);
	assert_int_equal(strlen(got), 1502);
	free(got);
}

/* Each substitution doubles the result. */
static void exploding_name(void **state)
{
	char name[1024] = "_Z1fSt4pairIiiES_IS0_S0_ES_IS1_S1_E";

	(void)state;
	for (int i = 2; i < 30; i++) {
		char step[32];
		const char *digit = &"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"[i];
		snprintf(step, sizeof step, "S_IS%c_S%c_E", *digit, *digit);
		strcat(name, step);
	}
	free(demangle(name));
}

static void deep_and_huge_names(void **state)
{
	static char name[200001];

	(void)state;
	memset(name, 'P', sizeof name - 1);
	memcpy(name, "_Z1f", 4);
	assert_null(demangle(name));
	for (size_t length = 1000; length <= 4096; length += 516) {
		name[length - 1] = 'i';
		name[length] = 0;
		free(demangle(name));
		name[length - 1] = name[length] = 'P';
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names),
		cmocka_unit_test(names_as_gprof),
		cmocka_unit_test(long_name),
		cmocka_unit_test(exploding_name),
		cmocka_unit_test(deep_and_huge_names),
	};

	return cmocka_run_group_tests_name("demangle", tests, NULL, NULL);
}
