/* test_go_table.c - Go's own table of functions, in the forms of its versions and links: names, bounds, and where return addresses are. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "read/symbols/go_table.h"
#include "read/symbols/tests/scratch.h"

/* Two functions of 16 bytes, as Go's linker describes them.  The first has its return address on top of the stack for 4 bytes, and then 8 bytes above. */
static const char source[] =
	"	.text\n"
	"	.globl main\n"
	"main:	ret\n"
	"	.balign 32\n"
	"text:	.fill 16, 1, 0x90\n"
	"	.fill 16, 1, 0xcc\n"
	"	.section SECTION, \"aw\", @progbits\n"
	"	.balign 32\n"
	"	.fill BEFORE, 1, 0\n"
	"table:	.long MAGIC\n"
	"	.byte 0, 0, 1, 8\n"
	"	.quad 2, 1\n"
	"#ifndef WIDE\n"
	"	.quad text\n"
	"#endif\n"
	"	.quad names - table, 0, 0, pcs - table, functions - table\n"
	"names:	.byte 0\n"
	"one_:	.asciz \"runtime.one\"\n"
	"two_:	.asciz \"main.(*T).two\"\n"
	"pcs:	.byte 0\n"
	"depths:	.byte 2, 4, 16, 12, 0\n"
	"	.balign 8\n"
	"functions:\n"
	"#ifdef WIDE\n"
	"	.quad text, one - functions, text + 16, two - functions, text + 32\n"
	"one:	.quad text\n"
	"#else\n"
	"	.long 0, one - functions, 16, two - functions, 32\n"
	"one:	.long 0\n"
	"#endif\n"
	"	.long one_ - names, 0, 0, depths - pcs, 0, 0, 0, 0, 0\n"
	"two:	.long 16\n"
	"#ifdef WIDE\n"
	"	.long 0\n"
	"#endif\n"
	"	.long two_ - names, 0, 0, 0, 0, 0, 0, 0, 0\n"
	"	.section .go.buildinfo, \"aw\", @progbits\n"
	"	.quad 0\n"
	"	.section .note.GNU-stack, \"\", @progbits\n";

static const char *const forms[] = {
	"-DMAGIC=0xfffffff0 -DSECTION=.gopclntab -DBEFORE=0 -no-pie",
	"-DMAGIC=0xfffffff1 -DSECTION=.gopclntab -DBEFORE=0 -no-pie",
	"-DMAGIC=0xfffffffa -DWIDE -DSECTION=.gopclntab -DBEFORE=0 -no-pie",
	"-DMAGIC=0xfffffff1 -DSECTION=.data.rel.ro.gopclntab -DBEFORE=0 -pie",		/* the text's address is a relocation; the linker drops the section's name */
	"-DMAGIC=0xfffffff0 -DSECTION=.data.rel.ro -DBEFORE=64 -pie",
};

static void hold(const struct binary *b, uint64_t text)
{
	struct go_table t;
	struct go_function f;
	uint64_t end;
	uint32_t depth;

	assert_true(go_table_read(&t, b));
	assert_int_equal(t.n, 2);
	assert_true(go_table_find(&t, text + 15, &f));
	assert_string_equal(f.name, "runtime.one");
	assert_int_equal(f.start, text);
	assert_int_equal(f.end, text + 16);
	assert_true(go_table_depth(&t, &f, text + 3, &depth, &end));
	assert_int_equal(depth, 0);
	assert_int_equal(end, text + 4);
	assert_true(go_table_depth(&t, &f, text + 4, &depth, &end));
	assert_int_equal(depth, 8);
	assert_int_equal(end, text + 16);
	assert_true(go_table_find(&t, text + 16, &f));
	assert_string_equal(f.name, "main.(*T).two");
	assert_false(go_table_depth(&t, &f, text + 16, &depth, &end));
	assert_false(go_table_find(&t, text + 32, &f));
	assert_false(go_table_find(&t, text - 1, &f));
}

static void forms_read(void **state)
{
	static const Dwfl_Callbacks callbacks = { .find_elf = dwfl_build_id_find_elf, .find_debuginfo = dwfl_standard_find_debuginfo };

	(void)state;
	scratch_file("go.S", source);
	for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
		struct binary b;
		struct error err;
		struct symbols *s;
		uint64_t text;

		scratch_run("$CC %s go.S -o go", forms[i]);
		text = scratch_address("go", "text");
		scratch_run("strip go");
		assert_true(binary_open(&b, "./go", &callbacks, &err));
		hold(&b, text);
		binary_close(&b);
		s = scratch_open("go");
		assert_string_equal(symbols_find(s, 0, text + 20)->name, "main.(*T).two");
		symbols_free(s);
	}
}

/* One byte of the table after the other is another: nothing outside of it is read, and what is said is within it. */
static void wrong_bytes(void **state)
{
	static const Dwfl_Callbacks callbacks = { .find_elf = dwfl_build_id_find_elf, .find_debuginfo = dwfl_standard_find_debuginfo };
	unsigned char bytes[512];
	struct go_table whole, t;
	struct binary b;
	struct error err;

	(void)state;
	scratch_run("$CC %s go.S -o go", forms[0]);
	assert_true(binary_open(&b, "./go", &callbacks, &err));
	assert_true(go_table_read(&whole, &b));
	assert_in_range(whole.size, 1, sizeof bytes);
	for (size_t i = 0; i < 2 * whole.size; i++) {
		struct go_function f;
		uint64_t end;
		uint32_t depth;

		memcpy(bytes, whole.bytes, whole.size);
		bytes[i / 2] = i % 2 ? 0xff : 0x80;
		t = whole;
		t.bytes = bytes;
		for (uint32_t k = 0; k < t.n; k++)
			if (go_table_function(&t, k, &f)) {
				assert_true((const unsigned char *)f.name >= bytes && (const unsigned char *)f.name + strlen(f.name) < bytes + t.size);
				go_table_depth(&t, &f, f.start, &depth, &end);
			}
	}
	binary_close(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(forms_read), cmocka_unit_test(wrong_bytes) };

	return cmocka_run_group_tests_name("go_table", tests, scratch_begin, scratch_end);
}
