/* test_functions.c - who covers an address: sizes, nesting, aliases, hand-written code. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "read/symbols/icf.h"
#include "read/symbols/tests/scratch.h"

/* Every row of bytes below is one address in the table of expectations. */
static const char assembly[] =
	"	.text\n"
	"	.globl main\n"
	"	.type main, @function\n"
	"main:	xor %eax, %eax\n"
	"	ret\n"
	"	.size main, . - main\n"
	"gap:	.fill 13, 1, 0x90\n"		/* 3: untyped, local */
	"	.globl bare\n"
	"bare:	.fill 4, 1, 0x90\n"		/* 16: untyped, global */
	"loop:	.fill 4, 1, 0x90\n"		/* 20: a branch target in it */
	"	.globl second\n"
	"second:	.fill 8, 1, 0x90\n"	/* 24 */
	"	.type outer, @function\n"
	"	.globl outer\n"
	"outer:	.fill 4, 1, 0x90\n"		/* 32: sized, holds the next two */
	"label:	.fill 4, 1, 0x90\n"		/* 36: untyped within a sized one */
	"	.type inner, @function\n"
	"inner:	.fill 4, 1, 0x90\n"		/* 40 */
	"	.size inner, 4\n"
	"	.fill 4, 1, 0x90\n"		/* 44: outer again */
	"	.size outer, 16\n"
	"	.fill 16, 1, 0x90\n"		/* 48: nobody's */
	"	.type unsized, @function\n"
	"unsized:.fill 8, 1, 0x90\n"		/* 64 */
	"	.type last, @function\n"
	"last:	.fill 8, 1, 0x90\n"		/* 72 */
	"	.type __write, @function\n"
	"	.globl __write, write_, Write, zz\n"
	"	.weak write\n"
	"	.set write, __write\n"
	"	.set zz, __write\n"
	"	.set untyped, __write\n"
	"__write:.fill 8, 1, 0x90\n"		/* 80 */
	"	.size __write, 8\n"
	"	.section .note.GNU-stack,\"\",@progbits\n";

static const struct {
	unsigned offset;	/* from main, bytes */
	const char *name;	/* expected; NULL: no symbol */
	unsigned start, size;	/* expected, from main, bytes */
} cases[] = {
	{ 0, "main", 0, 3 }, { 2, "main", 0, 3 },
	{ 3, "gap", 3, 13 }, { 15, "gap", 3, 13 },
	{ 16, "bare", 16, 8 }, { 20, "bare", 16, 8 }, { 23, "bare", 16, 8 },
	{ 24, "second", 24, 8 }, { 31, "second", 24, 8 },
	{ 32, "outer", 32, 16 }, { 36, "outer", 32, 16 }, { 39, "outer", 32, 16 },
	{ 40, "inner", 40, 4 }, { 43, "inner", 40, 4 },
	{ 44, "outer", 32, 16 }, { 47, "outer", 32, 16 },
	{ 48, NULL, 0, 0 }, { 63, NULL, 0, 0 },
	{ 64, "unsized", 64, 8 }, { 71, "unsized", 64, 8 },
	{ 72, "last", 72, 8 }, { 79, "last", 72, 8 },
	{ 80, "zz", 80, 8 }, { 87, "zz", 80, 8 },
};

static void covered(void **state)
{
	uint64_t base;
	struct symbols *s;

	(void)state;
	scratch_file("hand.s", assembly);
	scratch_run("$CC hand.s -o hand");
	base = scratch_address("hand", "main");
	s = scratch_open("hand");
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		const struct symbol *f = symbols_find(s, 0, base + cases[i].offset);
		if (f->known != (cases[i].name != NULL))
			fail_msg("%u: known %d", cases[i].offset, f->known);
		if (!f->known)
			continue;
		assert_string_equal(f->name, cases[i].name);
		assert_int_equal(f->start, base + cases[i].start);
		assert_int_equal(f->size, cases[i].size);
		assert_ptr_equal(f, symbols_find(s, 0, base + cases[i].start));
	}
	symbols_free(s);
}

static void aliases(void **state)
{
	struct symbols *s = scratch_open("hand");
	const struct symbol *f = symbols_find(s, 0, scratch_address("hand", "main") + 80);

	(void)state;
	assert_string_equal(f->name, "zz");
	assert_string_equal(f->aliases, "write==__write=untyped");
	assert_null(symbols_find(s, 0, scratch_address("hand", "main"))->aliases);
	symbols_free(s);
}

/* Labels of one address, functions all, that are put in this order: which of them name other functions than the first. */
static const struct {
	struct label labels[4];
	const char *folded;
} names[] = {
	{ { { .name = "area" }, { .name = "weight" } }, "weight" },
	{ { { .name = "free" }, { .name = "cfree" }, { .name = "__libc_free", .weak = true } }, "" },
	{ { { .name = "memcmp" }, { .name = "bcmp", .weak = true }, { .name = "local", .local = true } }, "local" },
	{ { { .name = "_ZN1AC1Ev", .weak = true }, { .name = "_ZN1AC2Ev", .weak = true }, { .name = "_ZN1BC1Ev", .weak = true } }, "_ZN1BC1Ev" },
	{ { { .name = "_Z1fIiEvT_", .weak = true }, { .name = "_Z1fIjEvT_" } }, "_Z1fIjEvT_" },
	{ { { .name = "_Z1fv" }, { .name = "_Z1fv.localalias", .local = true } }, "" },
	{ { { .name = "__wrap_swapcontext" }, { .name = "front_swapcontext" } }, "" },
	{ { { .name = "many", .indirect = true }, { .name = "pick" } }, "" },
	{ { { .name = "same.constprop.0", .local = true }, { .name = "same.isra.0", .local = true }, { .name = "other" } }, "other" },
};

static void folded(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		char found[200] = "";

		for (const struct label *l = names[i].labels + 1, *first = names[i].labels; l < first + 4 && l->name; l++) {
			struct label a = *first, b = *l;

			a.function = b.function = true;
			strcat(found, icf_is(&a, &b) ? b.name : "");
		}
		assert_string_equal(found, names[i].folded);
	}
	assert_null(icf_names(NULL));
	assert_null(icf_names("write=__write"));
	assert_string_equal(icf_names("write=__write==area=weight"), "area=weight");
	assert_string_equal(icf_names("=weight"), "weight");
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(covered), cmocka_unit_test(aliases), cmocka_unit_test(folded) };

	return cmocka_run_group_tests_name("functions", tests, scratch_begin, scratch_end);
}
