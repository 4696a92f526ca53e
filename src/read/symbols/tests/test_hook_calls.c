/* test_hook_calls.c - which functions have entry hooks, and of which kind. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "read/symbols/tests/scratch.h"

#define FENTRY "-pg -mfentry -mfentry-name=__aprof_entry -minstrument-return=call"
#define RECORD "-mrecord-mcount"

static const char program[] =
	"static int called(int x) { return x + 1; }\n"
	"int never(int x) { return x * 2; }\n"
	"__attribute__((noinline, no_instrument_function)) int plain(int x) { return x * 3; }\n"
	"int main(void) { return called(-1) + (plain(0) != 0); }\n";

/* Stands for the monitor. */
static const char monitor[] =
	"	.text\n"
	"	.globl __aprof_entry, __return__, __monstartup, _mcleanup, __aprof_enter, aprof_entry_miss\n"
	"	.type __aprof_entry, @function\n"
	"	.type __return__, @function\n"
	"	.type __monstartup, @function\n"
	"	.type _mcleanup, @function\n"
	"__aprof_entry: ret\n"
	"	.size __aprof_entry, . - __aprof_entry\n"
	"__return__: ret\n"
	"__aprof_enter: ret\n"
	"aprof_entry_miss: jmp *%r11\n"
	"__monstartup: ret\n"
	"_mcleanup: ret\n"
	"	.section .note.aprof, \"a\", @note\n"
	"	.balign 4\n"
	"	.long 6, 0, 1\n"
	"	.string \"aprof\"\n"
	"	.balign 4\n"
	"	.section .note.GNU-stack,\"\",@progbits\n";

static int begin(void **state)
{
	if (scratch_begin(state))
		return -1;
	scratch_file("p.c", program);
	scratch_file("m.s", monitor);
	scratch_file("empty.c", "int main(void) { return 0; }\n");
	scratch_run("$CC -c m.s && $CC -shared m.o -o libaprof-test.so");
	return 0;
}

static void collect(void *arg, const struct symbol *symbol)
{
	char *names = arg;

	sprintf(names + strlen(names), "%s%s", *names ? " " : "", symbol->name);
}

/* Hooked functions of PATH, sorted by address; main() goes first only at -O0. */
static void check_hooked(const char *path, const char *expected, bool complete)
{
	struct symbols *s = scratch_open(path);
	char names[1000] = "";

	assert_int_equal(symbols_hooked(s, 0, false, collect, names), complete);
	assert_string_equal(names, expected);
	symbols_free(s);
}

static void check_kinds(const char *path, uint32_t expected)
{
	struct error err = { 0 };
	uint32_t hooks = ~0u;

	assert_true(symbols_has_hooks(path, &hooks, &err));
	assert_int_equal(hooks, expected);
}

static void fentry_in_every_model(void **state)
{
	static const char *const models[] = {
		"m.o", "-fPIE -pie m.o", "-no-pie -fno-pie m.o", "-static m.o", "-static-pie -fPIE m.o",
		"-fPIE -pie -fcf-protection m.o", "-no-pie -fno-pie -fcf-protection m.o",
		"-fPIE -pie -L. -Wl,-rpath,. -laprof-test", "-no-pie -fno-pie -L. -laprof-test",
		"-no-pie -fno-pie -fcf-protection -Wl,-z,ibtplt -L. -laprof-test",
		"-fPIE -pie -fno-plt -fcf-protection -Wl,-z,now -L. -laprof-test",
		"-O2 -fno-inline -fno-reorder-functions -fno-ipa-icf -L. -laprof-test",
		"-no-pie -fno-pie " RECORD " m.o", "-fPIE -pie -Wl,-w " RECORD " m.o",
	};

	(void)state;
	for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
		scratch_run("$CC -fno-toplevel-reorder " FENTRY " p.c -o p %s", models[i]);
		check_hooked("p", "called never main", true);
		check_kinds("p", SYMBOLS_FENTRY | SYMBOLS_MONITOR);
	}
}

/* gprof's own hooks, where a monitor took their place. */
static void gprofs_in_every_model(void **state)
{
	static const char *const models[] = {
		"-fPIE -pie", "-no-pie -fno-pie", "-mfentry -fPIE -pie", "-mfentry -no-pie -fno-pie", "-mfentry -fcf-protection -fno-plt", "-static",
	};

	(void)state;
	for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
		struct symbols *s;
		char names[1000] = "";

		scratch_run("$CC -fno-toplevel-reorder -pg p.c -o p %s", models[i]);
		check_hooked("p", "", false);
		s = scratch_open("p");
		assert_true(symbols_hooked(s, 0, true, collect, names));
		if (strcmp(models[i], "-static"))
			assert_string_equal(names, "called never main");
		symbols_free(s);
	}
}

static void stripped(void **state)
{
	char expected[100];
	struct symbols *s;
	char names[1000] = "";

	(void)state;
	scratch_run("$CC -no-pie -fno-pie -fno-toplevel-reorder " FENTRY " " RECORD " p.c -o p -L. -laprof-test && strip p -o q");
	snprintf(expected, sizeof expected, "0x%lx 0x%lx 0x%lx", scratch_address("p", "called"),
		 scratch_address("p", "never"), scratch_address("p", "main"));
	s = scratch_open("q");
	assert_true(symbols_hooked(s, 0, false, collect, names));
	assert_string_equal(names, expected);
	symbols_free(s);
	check_kinds("q", SYMBOLS_FENTRY | SYMBOLS_MONITOR);
	scratch_run("$CC -static " FENTRY " p.c m.o -o p && strip p");
	check_kinds("p", SYMBOLS_MONITOR);
}

static void shared_object(void **state)
{
	(void)state;
	scratch_run("$CC -fno-toplevel-reorder -shared -fPIC " FENTRY " p.c -o p.so");
	check_hooked("p.so", "called never main", true);
	check_kinds("p.so", SYMBOLS_FENTRY);
}

/* Write h.c: called, never, plain and main, of which all but plain have HOOK, the text of an asm statement. */
static void write_hooked(const char *hook)
{
	char text[1000];

	snprintf(text, sizeof text, "#define HOOK __asm__ volatile (\"%s\" ::: \"rax\", \"r9\", \"r10\", \"r11\", \"cc\", \"memory\")\n"
		 "__attribute__((noinline)) int called(int x) { x++; HOOK; return x; }\n"
		 "int never(int x) { HOOK; return x * 2; }\n"
		 "int plain(int x) { return x * 3; }\n"
		 "int main(void) { HOOK; return called(-1); }\n", hook);
	scratch_file("h.c", text);
}

/* Way cyg where inlined routines have no hooks: the calls stand in the bodies. */
static void bodies(void **state)
{
	(void)state;
	write_hooked("call *__aprof_enter@GOTPCREL(%%rip)");
	scratch_run("$CC -fno-toplevel-reorder -mno-red-zone h.c m.o -o p");
	check_hooked("p", "called never main", true);
	check_kinds("p", SYMBOLS_CYG | SYMBOLS_MONITOR);
	scratch_run("$CC -fno-toplevel-reorder -mno-red-zone -shared -fPIC h.c -o p.so");
	check_hooked("p.so", "called never main", true);
	check_kinds("p.so", SYMBOLS_CYG);
}

/* Way fentry where its hooks are written out: each entry can go to one place. */
static void written(void **state)
{
	(void)state;
	write_hooked("clc; jnc 1f; jmp aprof_entry_miss; 1:");
	scratch_run("$CC -fno-toplevel-reorder h.c m.o -o p");
	check_hooked("p", "called never main", true);
	check_kinds("p", SYMBOLS_FENTRY | SYMBOLS_MONITOR);
}

static void other_ways(void **state)
{
	(void)state;
	scratch_run("$CC -finstrument-functions p.c -o p");
	check_hooked("p", "", false);
	check_kinds("p", SYMBOLS_CYG);
	scratch_run("$CC -finstrument-functions -static p.c -o p");
	check_kinds("p", SYMBOLS_CYG);
	scratch_run("$CC -pg p.c -o p");
	check_hooked("p", "", false);
	check_kinds("p", SYMBOLS_MCOUNT);
	scratch_run("$CC -pg -mfentry p.c -o p");
	check_kinds("p", SYMBOLS_MCOUNT);
	assert_int_equal(symbols_loading("p"), SYMBOLS_DYNAMIC);
	scratch_run("$CC -pg -mfentry -mnop-mcount -mrecord-mcount -no-pie -fno-pie p.c -o p");
	check_kinds("p", SYMBOLS_NOPS);
	scratch_run("$CC -pg -static p.c -o p");
	check_kinds("p", SYMBOLS_MCOUNT);
	assert_int_equal(symbols_loading("p"), SYMBOLS_STATIC);
}

/* What the plugin of way inline makes of a function (its unlikely part maybe apart), and of one that was left out. */
static const char inlined[] =
	"	.text\n"
	"	.macro function name\n"
	"	.globl \\name\n"
	"	.type \\name, @function\n"
	"\\name:\n"
	"	.endm\n"
	"	function called\n"
	"	leaq 1f(%rip), %r11\n"
	"	jmp *aprof_inline_miss@GOTPCREL(%rip)\n"
	"1:	ret\n"
	"	.size called, . - called\n"
	"	function never\n"
	"	jmp never.cold\n"
	"	.size never, . - never\n"
	"	function left\n"
	"	ret\n"
	"	.size left, . - left\n"
	"	function main\n"
	"	xorl %eax, %eax\n"
	"	ret\n"
	"	.size main, . - main\n"
	"	.section .text.unlikely, \"ax\", @progbits\n"
	"	.type never.cold, @function\n"
	"never.cold:\n"
	"	leaq 0(%rip), %rax\n"
	"	jmp *aprof_inline_miss@GOTPCREL(%rip)\n"
	"	.size never.cold, . - never.cold\n"
	"	.section .aprof_left_out, \"MS\", @progbits, 1\n"
	"	.string \"leaf:left\"\n"
	"	.string \"name:_ZN1n1fEi\"\n"
	"	.string \"whim:left\"\n"
	"	.string \"without a colon\"\n"
	"	.section .note.GNU-stack, \"\", @progbits\n";

static const char inline_monitor[] =
	"	.text\n"
	"	.globl aprof_inline_miss\n"
	"	.type aprof_inline_miss, @function\n"
	"aprof_inline_miss: jmp *%r11\n"
	"	.size aprof_inline_miss, . - aprof_inline_miss\n"
	"	.section .note.GNU-stack,\"\",@progbits\n";

static void collect_left(void *arg, enum symbols_left_out why, const char *name, const char *linked)
{
	char *names = arg;

	assert_non_null(linked);

	sprintf(names + strlen(names), "%s%d %s", *names ? ", " : "", why, name);
}

static void check_left_out(const char *path)
{
	struct symbols *s = scratch_open(path);
	char expected[100], names[1000] = "";

	snprintf(expected, sizeof expected, "%d left, %d n::f(int)", SYMBOLS_LEFT_LEAF, SYMBOLS_LEFT_NAME);
	symbols_left_out(s, 0, collect_left, names);
	assert_string_equal(names, expected);
	symbols_free(s);
}

static void inline_in_every_model(void **state)
{
	static const char *const models[] = {
		"i.o", "-fPIE -pie i.o", "-no-pie -fno-pie i.o", "-static i.o", "-static-pie -fPIE i.o",
		"-fPIE -pie -L. -Wl,-rpath,. -l:inline.so", "-no-pie -L. -l:inline.so", "-Wl,--no-relax i.o",
	};

	(void)state;
	scratch_file("f.s", inlined);
	scratch_file("i.s", inline_monitor);
	scratch_run("$CC -c i.s && $CC -shared i.o -o inline.so");
	for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
		scratch_run("$CC f.s -o p %s", models[i]);
		check_hooked("p", "never called", true);
		check_kinds("p", SYMBOLS_INLINE);
		check_left_out("p");
	}
	scratch_run("$CC -shared f.s -o p.so && strip p.so");
	check_left_out("p.so");
	check_kinds("p.so", SYMBOLS_INLINE);
}

static void no_hooks(void **state)
{
	struct error err = { 0 };
	uint32_t hooks = 1;

	(void)state;
	scratch_run("$CC empty.c -o p");
	check_kinds("p", 0);
	scratch_run("$CC -static empty.c -o p");
	check_kinds("p", 0);
	scratch_run("cp $(ldd /bin/sh | awk '/libc\\.so/ { print $3 }') libc");
	check_kinds("libc", 0);
	scratch_file("script", "#!/bin/sh\n");
	assert_false(symbols_has_hooks("script", &hooks, &err));
	assert_int_equal(err.code, ERROR_NOT_ELF);
	assert_int_equal(hooks, 0);
	assert_false(symbols_has_hooks("nowhere", &hooks, &err));
	assert_int_equal(err.code, ERROR_SYSTEM);
	scratch_run("$CC -c p.c");
	assert_false(symbols_has_hooks("p.o", &hooks, &err));
	assert_int_equal(err.code, ERROR_NOT_ELF);
	assert_false(symbols_has_hooks("/dev/tty", &hooks, &err));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fentry_in_every_model),
		cmocka_unit_test(gprofs_in_every_model),
		cmocka_unit_test(stripped),
		cmocka_unit_test(shared_object),
		cmocka_unit_test(bodies), cmocka_unit_test(written), cmocka_unit_test(other_ways),
		cmocka_unit_test(inline_in_every_model),
		cmocka_unit_test(no_hooks),
	};

	return cmocka_run_group_tests_name("hooks", tests, begin, scratch_end);
}
