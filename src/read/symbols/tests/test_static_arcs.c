/* test_static_arcs.c - which calls and tail calls stand in the code, of each kind of binary and machine. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "read/symbols/tests/scratch.h"

static const char program[] =
	"volatile int no;\n"
	"__attribute__((noipa)) void leaf(void) { no = 0; }\n"
	"__attribute__((noipa)) int tail(int x) { if (no) return x; leaf(); return x + 1; }\n"
	"__attribute__((noipa)) int again(int x) { return no ? again(x + 1) + again(x) : x; }\n"
	"void (*volatile pointer)(void) = leaf;\n"
	"__attribute__((noipa)) int jumps(int x) { return tail(x + 1); }\n"
	"__attribute__((noipa)) void points(void) { pointer(); no = 1; }\n"
	"int main(void) { return jumps(again(-3)); }\n";

static const char expected[] = "tail>leaf jumps>tail main>jumps main>again";

static int begin(void **state)
{
	if (scratch_begin(state))
		return -1;
	scratch_file("p.c", program);
	return 0;
}

struct list {
	char text[4000];	/* "from>to", separated by blanks */
};

static void collect(void *arg, const struct symbol *from, const struct symbol *to)
{
	struct list *list = arg;
	size_t n = strlen(list->text);

	snprintf(list->text + n, sizeof list->text - n, "%s%s>%s", n ? " " : "", from->name, to->name);
}

static bool has(const struct list *list, const char *arc, size_t length)
{
	const char *text = list->text;

	for (const char *at = text; (at = strstr(at, arc)) != NULL; at++)
		if ((at == text || at[-1] == ' ') && (at[length] == ' ' || !at[length]))
			return true;
	return false;
}

static size_t count(const char *text)
{
	size_t n = *text != '\0';

	for (; *text; text++)
		n += *text == ' ';
	return n;
}

/* PATH has the arcs WANTED, in some order; and no others, unless ALL. */
static void check(const char *path, bool hooked, const char *wanted, bool others)
{
	struct list list = { "" };
	struct symbols *s = scratch_open(path);

	assert_true(symbols_static_arcs(s, 0, hooked, collect, &list));
	for (const char *arc = wanted; *arc; arc += strspn(arc, " ")) {
		size_t n = strcspn(arc, " ");
		char one[100];

		snprintf(one, sizeof one, "%.*s", (int)n, arc);
		if (!has(&list, one, n))
			fail_msg("%s: no %s in %s", path, one, list.text);
		arc += n;
	}
	if (!others && count(list.text) != count(wanted))
		fail_msg("%s: %s, not %s", path, list.text, wanted);
	symbols_free(s);
}

/* crt files have calls of their own. */
static void in_every_model(void **state)
{
	static const char *const models[] = {
		"-O2 -fno-pie -no-pie", "-O2 -fPIE -pie", "-O2 -fPIE -pie -fcf-protection", "-O2 -static-pie -fPIE",
		"-Os -fPIE -pie -ffunction-sections", "-O2 -fPIE -pie -g -Wl,-z,now",
	};

	(void)state;
	for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
		scratch_run("$CC p.c -o p %s", models[i]);
		check("p", false, expected, true);
	}
	scratch_run("$CC -O2 -nostdlib -static -Wl,-e,main p.c -o p");
	check("p", false, expected, false);
}

/* Calls of a shared object's own functions that others may replace: by its PLT, by its GOT, in every kind of PLT. */
static void through_slots(void **state)
{
	static const char *const models[] = {
		"-fPIC", "-fPIC -fno-plt", "-fPIC -fcf-protection -Wl,-z,ibtplt", "-fPIC -Wl,-z,now", "-fPIC -Wl,-z,norelro",
		"-fPIC -fvisibility=hidden",
	};

	(void)state;
	for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
		scratch_run("$CC -O2 -nostdlib -shared %s p.c -o p.so", models[i]);
		check("p.so", false, expected, false);
	}
}

/* Only functions with hooks: main has none, and the hooks' own calls are no arcs. */
static void hooked_ones(void **state)
{
	static const char *const ways[] = {
		"-pg", "-pg -mfentry", "-pg -fno-pie -no-pie", "-finstrument-functions cyg.c",
		"-pg -mfentry -mfentry-name=__aprof_entry -minstrument-return=call entry.s",
	};

	(void)state;
	scratch_run("sed 's/int main/__attribute__((no_instrument_function)) int main/' p.c > q.c");
	scratch_file("cyg.c", "__attribute__((no_instrument_function)) void __cyg_profile_func_enter(void *f, void *s) { (void)f; (void)s; }\n"
		"__attribute__((no_instrument_function)) void __cyg_profile_func_exit(void *f, void *s) { (void)f; (void)s; }\n");
	scratch_file("entry.s", ".text\n.globl __aprof_entry, __return__\n__aprof_entry: ret\n__return__: ret\n"
		".section .note.GNU-stack,\"\",@progbits\n");
	for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
		scratch_run("$CC -O2 q.c %s -o q", ways[i]);
		check("q", true, "tail>leaf jumps>tail", false);
		check("q", false, expected, true);
	}
}

/* A function's jumps to its own pieces are no calls, and the pieces' calls are arcs. */
static void pieces(void **state)
{
	(void)state;
	scratch_file("pieces.s",
		".globl _start, other\n.text\n"
		".type _start, @function\n_start: call work\n jmp work\n .size _start, . - _start\n"
		".type work, @function\nwork: jne work.cold\n ret\n .size work, . - work\n"
		".type other, @function\nother: jmp inside\ninside: ret\n jmp work + 2\n .size other, . - other\n"
		".section .text.unlikely, \"ax\"\n"
		".type work.cold, @function\nwork.cold: call other\n jmp work + 2\n .size work.cold, . - work.cold\n");
	scratch_run("$CC -nostdlib -static pieces.s -o pieces");
	check("pieces", false, "_start>work work.cold>other", false);
}

/* Of another machine, in a file whose header says so: the linker need not know it. */
static void aarch64(void **state)
{
	(void)state;
	scratch_file("arm.s",
		".macro branch opcode, to, mask, shift\n"
		"9: .long \\opcode + ((((\\to - 9b) >> 2) & \\mask) << \\shift)\n"
		".endm\n"
		".globl _start\n.text\n"
		".type a, @function\na: ret_: .long 0xd65f03c0\n .size a, . - a\n"
		".type b, @function\nb: .long 0xd503201f\n branch 0x14000000, a, 0x3ffffff, 0\n .size b, . - b\n"
		".type c, @function\nc: branch 0xb4000000, b, 0x7ffff, 5\n branch 0x54000001, d, 0x7ffff, 5\n .size c, . - c\n"
		".type d, @function\nd: branch 0x36080003, e, 0x3fff, 5\n branch 0x35000001, a + 4, 0x7ffff, 5\n .size d, . - d\n"
		".type e, @function\ne: .long 0xd63f0020\n .long 0xd61f0220\n .size e, . - e\n"
		".type _start, @function\n_start: branch 0x94000000, e, 0x3ffffff, 0\n branch 0x94000000, a, 0x3ffffff, 0\n"
		" branch 0x94000000, a, 0x3ffffff, 0\n .size _start, . - _start\n");
	scratch_run("$CC -nostdlib -static arm.s -o arm && printf '\\267' | dd of=arm bs=1 seek=18 conv=notrunc status=none");
	check("arm", false, "b>a c>b c>d d>e d>b _start>e _start>a", false);
}

static void none(void *arg, const struct symbol *from, const struct symbol *to)
{
	(void)arg;
	fail_msg("%s>%s", from->name, to->name);
}

/* What cannot be read says so; a stripped program has no functions and no arcs. */
static void nothing_to_read(void **state)
{
	struct symbols *s;

	(void)state;
	scratch_run("$CC -O2 p.c -o p && strip -o stripped p && cp p s390 && printf '\\026' | dd of=s390 bs=1 seek=18 conv=notrunc status=none");
	s = scratch_open("s390");
	assert_false(symbols_static_arcs(s, 0, false, none, NULL));
	assert_false(symbols_static_arcs(s, PROFILE_NONE, false, none, NULL));
	symbols_free(s);
	s = scratch_open("stripped");
	assert_true(symbols_static_arcs(s, 0, true, none, NULL));
	symbols_free(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(in_every_model), cmocka_unit_test(through_slots), cmocka_unit_test(hooked_ones),
		cmocka_unit_test(pieces), cmocka_unit_test(aarch64), cmocka_unit_test(nothing_to_read),
	};

	return cmocka_run_group_tests_name("static arcs", tests, begin, scratch_end);
}
