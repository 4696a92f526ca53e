/* test_select.c - patterns, and the filter of assembly that serves them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "compile/select.h"
#include "compile/assembly.h"

/* A selection from words: +PATTERN is --aprof-only, -PATTERN is --aprof-except. */
static struct select selection(const char *words)
{
	struct list patterns = {0};
	struct select s = {0};
	struct error err;

	list_add_words(&patterns, words);
	for (size_t i = 0; i < patterns.count; i++)
		assert_true(select_add(&s, patterns.items[i][0] == '+', patterns.items[i] + 1, &err));
	list_free(&patterns);
	return s;
}

static bool file(const char *words, const char *path)
{
	struct select s = selection(words);
	bool yes = select_file(&s, path);

	select_free(&s);
	return yes;
}

static bool name(const char *words, const char *symbol)
{
	struct select s = selection(words);
	bool yes = select_name(&s, symbol);

	select_free(&s);
	return yes;
}

static void test_files(void **state)
{
	(void)state;
	assert_true(file("", "a.c"));
	assert_true(file("+a.c", "a.c"));
	assert_true(file("+a.c", "../x/a.c"));
	assert_false(file("+a.c", "ba.c"));
	assert_true(file("+src/*.c", "/home/src/a.c"));
	assert_false(file("+src/*.c", "/home/osrc/a.c"));
	assert_true(file("+src/", "src/deep/a.c"));
	assert_false(file("-src/", "x/src/deep/a.c"));
	assert_true(file("+*.c -b.c", "a.c"));
	assert_false(file("+*.c -b.c", "b.c"));
	assert_true(file("+a.c +b.c", "b.c"));
	assert_true(file("+name:a.c", "x.c"));
	assert_false(file("+file:abc", "x"));
	assert_true(file("+main -f", "x.c"));
}

static void test_names(void **state)
{
	(void)state;
	assert_true(name("+main", "main"));
	assert_false(name("+main", "domain"));
	assert_true(name("+lua_*", "lua_call"));
	assert_false(name("+lua_* -*call", "lua_call"));
	assert_true(name("+f", "f.part.0"));
	assert_false(name("-f", "f.constprop.0.cold"));
	assert_true(name("+ns::*", "_ZN2ns1fEi"));
	assert_true(name("+ns::f", "_ZN2ns1fEi"));
	assert_true(name("+ns::f(int)", "_ZN2ns1fEi"));
	assert_false(name("+ns::g", "_ZN2ns1fEi"));
	assert_true(name("-x.c", "f"));
}

static void test_travels(void **state)
{
	struct select s = selection("+src/ -a.c +f* -name:g.h"), copy = {0};
	char *text = select_write(&s), *again;
	struct error err;

	(void)state;
	assert_true(select_read(&copy, text, &err));
	again = select_write(&copy);
	assert_string_equal(text, again);
	assert_string_equal(text, "ofile%3asrc/%0aefile%3aa.c%0aoname%3af*%0aename%3ag.h%0a");
	free(text);
	free(again);
	select_free(&s);
	select_free(&copy);
}

/* Two routines as GCC 12 writes them, the second one with a cold part. */
static const char assembly[] =
	"\t.type\tf, @function\n"
	"f:\n"
	"1:\tcall\t*__aprof_entry@GOTPCREL(%rip)\n"
	"\tcall\tother\n"
	"\tcall\t__return__\n"
	"\tjmp\tother\n"
	"\t.type\tg, @function\n"
	"g:\n"
	"\tcall\t__aprof_entry\n"
	"\tcall\t__return__\n"
	"\tjmp\t*%rax\n"
	"\t.type\tg.cold, @function\n"
	"g.cold:\n"
	"\tcall\t__return__\n";

static char *filter(const char *words, const char *from, unsigned way)
{
	struct select s = selection(words);
	char *text = NULL;
	size_t size;
	bool changed;
	FILE *in = fmemopen((void *)from, strlen(from), "r"), *out = open_memstream(&text, &size);

	assert_true(assembly_filter(in, out, &s, way, &changed, NULL));
	fclose(in);
	fclose(out);
	assert_int_equal(changed, !!strcmp(from, text));
	select_free(&s);
	return text;
}

static void expect(const char *words, const char *from, const char *expected)
{
	char *text = filter(words, from, 0);

	assert_string_equal(text, expected);
	free(text);
}

/* Inlined hooks of way cyg, of routines and of what is inlined into them. */
static const char inlined[] =
	"\t.type\tf, @function\n"
	"f:\n"
	"\tpushq\t%rbp\n"
	"\t#aprof\tcall\t*__aprof_enter@GOTPCREL(%rip)\t#f\n"
	"\t#aprof\tcall\t*__aprof_enter@GOTPCREL(%rip)\t#g\n"
	"\t#aprof\tcall\t*__aprof_enter@GOTPCREL(%rip)\t#ff\n"
	"\tcall\tother\n"
	"\t.type\tf.cold, @function\n"
	"f.cold:\n"
	"\t#aprof\tcall\t*__aprof_leave@GOTPCREL(%rip)\t#g\n"
	"\t#aprof\tcall\t*__aprof_leave@GOTPCREL(%rip)\t#f\n"
	"\t.type\tg.constprop.0, @function\n"
	"g.constprop.0:\n"
	"\tpushq\t%rbp\n"
	"\t#aprof\tcall\t*__aprof_enter@GOTPCREL(%rip)\t#g\n"
	"\t#aprof\tcall\t*__aprof_leave@GOTPCREL(%rip)\t#-24(%rbp)\n"
	"\t#aprof\tcall\t*__aprof_leave@GOTPCREL(%rip)\t#%rax\n"
	"\t#aprofit\n";

static void test_inlined(void **state)
{
	(void)state;
	expect("", inlined,
	       "\t.type\tf, @function\n"
	       "f:\n"
	       "\tpushq\t%rbp\n"
	       "\tcall\t*__aprof_enter@GOTPCREL(%rip)\t#f\n"
	       ".Laprof_self1:\n"
	       "\tcall\tother\n"
	       "\t.type\tf.cold, @function\n"
	       "f.cold:\n"
	       "\tcall\t*__aprof_leave@GOTPCREL(%rip)\t#f\n"
	       "\t.type\tg.constprop.0, @function\n"
	       "g.constprop.0:\n"
	       "\tpushq\t%rbp\n"
	       "\tcall\t*__aprof_enter@GOTPCREL(%rip)\t#g\n"
	       ".Laprof_self2:\n"
	       "\tcall\t*__aprof_leave@GOTPCREL(%rip)\t#-24(%rbp)\n"
	       "\tcall\t*__aprof_leave@GOTPCREL(%rip)\t#%rax\n"
	       "\t#aprofit\n");
}

/* A routine that is inlined into itself, its pieces too, one of them written before it. */
static void test_inlined_again(void **state)
{
	static const char enters[] = "\t#aprof\tcall\t*__aprof_enter@GOTPCREL(%rip)\t#f\n", label[] = "\t.type\t%s, @function\n%s:\n\tpushq\t%%rbp\n%s%s";
	static const char *const functions[] = { "f.part.0", "f", "f.cold", "f.isra.0", "g" };
	char from[2048] = "", *text;

	(void)state;
	for (int i = 0; i < 5; i++)
		sprintf(from + strlen(from), label, functions[i], functions[i], enters, enters);
	text = filter("", from, 0);
	assert_string_equal(text,
	       "\t.type\tf.part.0, @function\n"
	       "f.part.0:\n"
	       "\tpushq\t%rbp\n"
	       "\tleaq\t.Laprof_self1(%rip), %rax\n"
	       "\tcall\t*__aprof_enter_inlined@GOTPCREL(%rip)\t#f\n"
	       ".Laprof_self1:\n"
	       "\tleaq\t.Laprof_self1(%rip), %rax\n"
	       "\tcall\t*__aprof_enter_inlined@GOTPCREL(%rip)\t#f\n"
	       "\t.type\tf, @function\n"
	       "f:\n"
	       "\tpushq\t%rbp\n"
	       "\tcall\t*__aprof_enter@GOTPCREL(%rip)\t#f\n"
	       ".Laprof_self2:\n"
	       "\tleaq\t.Laprof_self2(%rip), %rax\n"
	       "\tcall\t*__aprof_enter_inlined@GOTPCREL(%rip)\t#f\n"
	       "\t.type\tf.cold, @function\n"
	       "f.cold:\n"
	       "\tpushq\t%rbp\n"
	       "\tleaq\t.Laprof_self2(%rip), %rax\n"
	       "\tcall\t*__aprof_enter_inlined@GOTPCREL(%rip)\t#f\n"
	       "\tleaq\t.Laprof_self2(%rip), %rax\n"
	       "\tcall\t*__aprof_enter_inlined@GOTPCREL(%rip)\t#f\n"
	       "\t.type\tf.isra.0, @function\n"
	       "f.isra.0:\n"
	       "\tpushq\t%rbp\n"
	       "\tcall\t*__aprof_enter@GOTPCREL(%rip)\t#f\n"
	       ".Laprof_self3:\n"
	       "\tleaq\t.Laprof_self3(%rip), %rax\n"
	       "\tcall\t*__aprof_enter_inlined@GOTPCREL(%rip)\t#f\n"
	       "\t.type\tg, @function\n"
	       "g:\n"
	       "\tpushq\t%rbp\n");
	free(text);
}

/* What GCC writes at the end of a function in two parts, and of one that is left out. */
static void test_parts(void **state)
{
	static const char ends[] = "\t.section\t.text.unlikely\n.LCOLDE%d:\n\t.text\n.LHOTE%d:\n";
	char from[512], *text;

	(void)state;
	sprintf(from, "\t.type\tf, @function\nf:\n");
	sprintf(from + strlen(from), ends, 7, 7);
	sprintf(from + strlen(from), "\t.type\tout, @function\nout:\n");
	sprintf(from + strlen(from), ends, 8, 8);
	text = filter("-out", from, 0);
	assert_string_equal(text,
	       "\t.type\tf, @function\n"
	       "f:\n"
	       "\t.section\t.text.unlikely\n"
	       ".LCOLDE7:\n"
	       "\t.text\n"
	       ".LHOTE7:\n"
	       "\t.pushsection .aprof.note,\"ao?\",@note,.LHOTE7\n"
	       "\t.balign 4\n"
	       "\t.long 6, 8, 2\n"
	       "\t.asciz \"aprof\"\n"
	       "\t.balign 4\n"
	       "\t.long .LCOLDE7-1-.\n"
	       "\t.long .LHOTE7-1-.\n"
	       "\t.popsection\n"
	       "\t.type\tout, @function\n"
	       "out:\n"
	       "\t.section\t.text.unlikely\n"
	       ".LCOLDE8:\n"
	       "\t.text\n"
	       ".LHOTE8:\n");
	free(text);
}

/* A routine as GCC 12 writes it, its cold part, one whose frame nobody describes, and one of another hook. */
static const char framed[] =
	"\t.type\tf, @function\n"
	"f:\n"
	"\t.cfi_startproc\n"
	"1:\tcall\t*__aprof_entry@GOTPCREL(%rip)\n"
	"\tpushq\t%rbx\n"
	"\tcall\t__return__\n"
	"\tret\n"
	"\tcall\t__return__\n"
	"\tjmp\tother\n"
	"\t.cfi_endproc\n"
	"\t.type\tf.cold, @function\n"
	"f.cold:\n"
	"\t.cfi_startproc\n"
	"\tcall\tabort\n"
	"\t.cfi_endproc\n"
	"\t.type\tg, @function\n"
	"g:\n"
	"\tcall\t__aprof_entry\n"
	"\tcall\t__return__\n"
	"\tret\n";

/* The Nth line of TEXT that has WORD in it, from 0; aborts the test where there is none. */
static const char *line_with(const char *text, const char *word, int n)
{
	for (text = strstr(text, word); text && n > 0; n--)
		text = strstr(text + 1, word);
	assert_non_null(text);
	return text;
}

static int count_of(const char *text, const char *word)
{
	int n = 0;

	while ((text = strstr(text, word)) != NULL) {
		text++;
		n++;
	}
	return n;
}

/* The hooks are written out in f, their rest behind its last instruction; a jump away calls the exit hook, and g, with no description
 * of its frame, the entry hook. */
static void test_written(void **state)
{
	char *text = filter("", framed, ASSEMBLY_WRITES);
	const char *rest = line_with(text, "jmp\taprof_entry_miss", 0);

	(void)state;
	assert_int_equal(count_of(text, "incq"), 1);
	assert_int_equal(count_of(text, "jmp\taprof_entry_miss"), 1);
	assert_int_equal(count_of(text, "call\t__aprof_entry\n"), 1);
	assert_int_equal(count_of(text, "jne\t__aprof_return"), 2);
	assert_int_equal(count_of(text, "call\t__return__"), 1);
	assert_true(line_with(text, "1:\n", 0) < line_with(text, "incq", 0));
	assert_true(line_with(text, "jmp\tother", 0) < rest && rest < line_with(text, ".cfi_endproc", 0));
	free(text);
	text = filter("+f", framed, ASSEMBLY_WRITES);
	assert_int_equal(count_of(text, "__aprof_entry"), 0);
	free(text);
}

#define BARE_ASM "#APP\n# 1 \"n.c\" 1\n\tlea (%rdi,%rsi), %rax\n\tret\n# 0 \"\" 2\n#NO_APP\n"
#define NOTE(what) "\t.pushsection\t.aprof_left_out,\"MS\",@progbits,1\n\t.string\t\"" what "\"\n\t.popsection\n"
#define NAKED_NOTE NOTE("naked:f")
#define ROUTINE(body) "\t.type\tf, @function\nf:\n\t.cfi_startproc\n" body "\t.cfi_endproc\n\t.size\tf, .-f\n"
#define ENTERS "1:\tcall\t*__aprof_entry@GOTPCREL(%rip)\n"

/* Way fentry: behind the entry hook of a naked routine is asm, and nothing that is the compiler's but what no control reaches; or calls from a stack that is
 * as it was at the entry. */
static void test_naked(void **state)
{
	static const char *const kept[] = {
		ROUTINE(ENTERS "\tud2\n"), ROUTINE(ENTERS BARE_ASM "\tpopq\t%rbx\n"), ROUTINE(ENTERS "\tsubq\t$8, %rsp\n" BARE_ASM "\tud2\n"),
		ROUTINE(ENTERS BARE_ASM ".L2:\n\tjmp\t.L2\n"), ROUTINE(ENTERS BARE_ASM "\tcall\t__return__\n\tjmp\tg\n"),
		ROUTINE(ENTERS "\tjne\t.L2\n\tpushq\t%rax\n.L2:\n\tcall\tabort\n"), ROUTINE(ENTERS "\tcall\tabort\n\tsubq\t$8, %rsp\n"),
		ROUTINE(ENTERS BARE_ASM "\t.type\tf.cold, @function\n"), "\t.type\tf, @function\nf:\n" ENTERS BARE_ASM,
	};
	char *text = filter("", ROUTINE(ENTERS BARE_ASM "\tud2\n"), ASSEMBLY_WRITES);

	(void)state;
	assert_string_equal(text, ROUTINE(NAKED_NOTE BARE_ASM "\tud2\n"));
	free(text);
	expect("", ROUTINE(ENTERS BARE_ASM "\tnop\n\tud2\n"), ROUTINE(NAKED_NOTE BARE_ASM "\tnop\n\tud2\n"));
	expect("", ROUTINE(ENTERS "\tcmpq\t$7, (%rsp)\n\tjne\t.L2\n.L2:\n\tcall\tabort\n"),
	       ROUTINE(NAKED_NOTE "\tcmpq\t$7, (%rsp)\n\tjne\t.L2\n.L2:\n\tcall\tabort\n"));
	expect("+g", ROUTINE(ENTERS BARE_ASM "\tud2\n"), ROUTINE(NOTE("name:f") BARE_ASM "\tud2\n"));
	for (size_t i = 0; i < sizeof kept / sizeof *kept; i++)
		expect("", kept[i], kept[i]);
}

#define LOADS(address) "\tmovq\t8(%rbp), %rax\n\tmovq\t%rax, %rsi\n" address
#define HIGH "\tmovq\tf@GOTPCREL(%rip), %rax\n\tmovq\t%rax, %rdi\n"
#define LOW "\tmovl\t$f, %edi\n"
#define FRAME "\tpushq\t%rbp\n\tmovq\t%rsp, %rbp\n"
#define INLINED(hook, owner) "#APP\n\t#aprof\tcall\t*__aprof_" hook "@GOTPCREL(%rip)\t#" owner "\n#NO_APP\n"

/* Way cyg: a naked routine has its hooks, inlined or not, before there is a frame. */
static void test_naked_cyg(void **state)
{
	static const char *const kept[] = {
		ROUTINE(FRAME LOADS(LOW) "\tcall\t__cyg_profile_func_enter\n"), ROUTINE(LOADS(LOW) "\tcall\tother\n"),
		ROUTINE(LOADS(LOW) "\tmovq\t%rax, %rcx\n\tcall\t__cyg_profile_func_exit\n"), ROUTINE("\tcall\t__cyg_profile_func_enter\n"),
		"\t.type\tf, @function\nf:\n" LOADS(LOW),
	};

	(void)state;
	expect("", ROUTINE(INLINED("enter", "f") BARE_ASM INLINED("leave", "f") "\tud2\n"),
	       ROUTINE("#APP\n" NAKED_NOTE "#NO_APP\n" BARE_ASM "#APP\n#NO_APP\n\tud2\n"));
	expect("", ROUTINE(LOADS(HIGH) "\tcall\t__cyg_profile_func_enter@PLT\n" BARE_ASM LOADS(HIGH) "\tcall\t__cyg_profile_func_exit@PLT\n\tud2\n"),
	       ROUTINE(NAKED_NOTE BARE_ASM "\tud2\n"));
	expect("", ROUTINE("\tendbr64\n" LOADS(LOW) "\tcall\t*__cyg_profile_func_enter@GOTPCREL(%rip)\n" BARE_ASM),
	       ROUTINE("\tendbr64\n" NAKED_NOTE BARE_ASM));
	for (size_t i = 0; i < sizeof kept / sizeof *kept; i++)
		expect("", kept[i], kept[i]);
}

/* What such a hook is told is in a register that the program may need. */
static void test_naked_refused(void **state)
{
	static const char text[] = ROUTINE("\tleaq\tf(%rip), %rbx\n" INLINED("enter", "%rbx") BARE_ASM);
	struct select s = selection("");
	struct error err = {0};
	bool changed;
	FILE *in = fmemopen((void *)text, sizeof text - 1, "r"), *out = fopen("/dev/null", "w");

	(void)state;
	assert_false(assembly_filter(in, out, &s, 0, &changed, &err));
	assert_non_null(strstr(err.text, "f: a routine with attribute naked"));
	fclose(in);
	fclose(out);
	select_free(&s);
}

/* A routine that is left out has no hook, and a note that says so. */
/* A source that was left out as a whole has no hooks; one whose assembly somebody wrote by hand was none. */
static void test_marks(void **state)
{
	static const char bare[] =
		"\t.file\t\"part.c\"\n"
		"\t.type\tf, @function\n"
		"f:\n"
		"\tret\n"
		"\t.type\tf.cold, @function\n"
		"f.cold:\n"
		"\tret\n"
		"\t.type\touter, @function\n";
	char hooked[sizeof assembly + 64], *text = filter("", bare, ASSEMBLY_MARKS);

	(void)state;
	assert_int_equal(strncmp(text, bare, strlen(bare)), 0);
	assert_string_equal(text + strlen(bare), "\t.pushsection\t.aprof_left_out,\"MS\",@progbits,1\n\t.string\t\"file:f\"\n\t.popsection\n");
	free(text);
	text = filter("", bare, 0);
	assert_string_equal(text, bare);
	free(text);
	text = filter("", strchr(bare, '\n') + 1, ASSEMBLY_MARKS);
	assert_string_equal(text, strchr(bare, '\n') + 1);
	free(text);
	snprintf(hooked, sizeof hooked, "\t.file\t\"main.c\"\n%s", assembly);
	text = filter("", hooked, ASSEMBLY_MARKS);
	assert_null(strstr(text, "left_out"));
	free(text);
}

static void test_filter(void **state)
{
	(void)state;
	expect("+f +g", assembly, assembly);
	expect("+f", assembly,
	       "\t.type\tf, @function\n"
	       "f:\n"
	       "1:\tcall\t*__aprof_entry@GOTPCREL(%rip)\n"
	       "\tcall\tother\n"
	       "\tcall\t__return__\n"
	       "\tjmp\tother\n"
	       "\t.type\tg, @function\n"
	       "g:\n"
	       NOTE("name:g")
	       "\tjmp\t*%rax\n"
	       "\t.type\tg.cold, @function\n"
	       "g.cold:\n");
}

/* An exit without an entry is no routine's; a part that was put far away has its entry elsewhere. */
static void test_thunk(void **state)
{
	(void)state;
	expect("", "\t.type\tf, @function\nf:\n\tcall\t__aprof_entry\n\tcall\t__return__\n\tjmp\tg\n"
	       "\t.type\tt, @function\nt:\n\tcall\t__return__\n\tjmp\tg\n",
	       "\t.type\tf, @function\nf:\n\tcall\t__aprof_entry\n\tcall\t__return__\n\tjmp\tg\n"
	       "\t.type\tt, @function\nt:\n\tjmp\tg\n");
	expect("", assembly, assembly);
}

/* An exit before a return becomes a jump; nothing else does, whatever it is called. */
static void test_exits(void **state)
{
	static const char *const kept[] = {
		"\tcall\tf\n\tret\n", "\tcall\tf__return__\n\tret\n", "\tcall\t__return__s\n\tret\n", "\tcall\t__aprof_entry\n\tret\n",
		"\tcall\t__return__\n\tret\t$8\n", "\tcall\t__return__\n\tretq.x\n", "\tcall\t__return__\n", "\tcall\t__return__\n\tnop\n\tret\n",
	};

	(void)state;
	expect("", "\tcall\t__return__\n\tret\n", "\tjmp\t__aprof_return\n\tret\n");
	expect("", "1:\tcall\t*__return__@GOTPCREL(%rip)\n\tret\t\n", "1:\tjmp\t*__aprof_return@GOTPCREL(%rip)\n\tret\t\n");
	expect("", "\tcall\t__return__\n\tcall\t__return__\n\tret", "\tcall\t__return__\n\tjmp\t__aprof_return\n\tret");
	for (size_t i = 0; i < sizeof kept / sizeof *kept; i++)
		expect("", kept[i], kept[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_files),
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_travels),
		cmocka_unit_test(test_marks),
		cmocka_unit_test(test_filter), cmocka_unit_test(test_inlined),
		cmocka_unit_test(test_inlined_again),
		cmocka_unit_test(test_parts), cmocka_unit_test(test_written),
		cmocka_unit_test(test_exits), cmocka_unit_test(test_thunk),
		cmocka_unit_test(test_naked), cmocka_unit_test(test_naked_cyg), cmocka_unit_test(test_naked_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
