/* test_hook_code.c - which instructions are aprof's among the program's own. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "read/symbols/tests/scratch.h"

enum { STEP = 16 };	/* bytes from one instruction to the next */

struct line {
	const char *text;	/* an instruction; WORDS and BASE: see write_program */
	bool ours;		/* it is of the hooks */
};

/* What the plugin makes, mixed with a routine that has a branch, a call and two ways out. */
static const struct line lines[] = {
	{ "push %rbx", false },
	{ "mov 8(%rsp), %r10", true },			/* where it returns to */
	{ "sub $16, %rsp", false },
	{ "mov 8(%rsp), %r11", false },			/* what the program has there */
	{ "add 24(%rsp), %r11", false },
	{ "add $16, %rsp", false },
	{ "mov %edi, %r8d", false },
	{ "lea main(%rip), %rcx", true },
	{ "mov WORDS+16BASE, %rsi", true },
	{ "mov 8(%rsi), %rbx", true },
	{ "lea (%rbx,%rcx), %rax", true },
	{ "mov %fs:40, %r9", false },			/* the stack protector's */
	{ "imul $-0x61c8864f, %rax, %rax", true },
	{ "mov %rax, %rdx", true },
	{ "shr $29, %rdx", true },
	{ "and WORDS+8BASE, %rdx", true },
	{ "lea 1(%r8), %edi", false },
	{ "mov (%rdx), %rdx", true },
	{ "cmp %rax, 16(%rdx)", true },
	{ "jne miss", true },
	{ "incq (%rdx)", true },
	{ "mov %rax, 8(%rsi)", true },
	{ "mov %edi, %eax", false },			/* what was ours is the program's from here */
	{ "test %eax, %eax", false },
	{ "jz other", false },
	{ "xor %ecx, %ecx", false },
	{ "call leaf", false },
	{ "mov %eax, %edx", false },
	{ "mov WORDS+16BASE, %rsi", true },
	{ "mov %rbx, 8(%rsi)", true },
	{ "pop %rbx", false },
	{ "ret", false },
	{ "other: mov %esi, %eax", false },		/* behind a way out nothing is known to be ours but what was at the branch */
	{ "mov %rbx, WORDS+56BASE", true },
	{ "pop %rbx", false },
	{ "ret", false },
	{ "miss: ud2", false },
};

/* What Clang makes by way cyg: plain hooks are passed the routine and where it returns to. */
static const struct line passing[] = {
	{ "push %rbp", false },
	{ "mov %rsp, %rbp", false },
	{ "push %r14", false },				/* the program's own value has it */
	{ "push %r13", true },
	{ "push %r12", true },
	{ "mov %rdi, %r14", false },
	{ "mov 8(%rbp), %r13", true },
	{ "lea main(%rip), %r12", true },
	{ "mov %r12, %rdi", true },
	{ "mov %r13, %rsi", true },
	{ "call leaf", true },				/* the entry hook */
	{ "mov 8(%r14), %esi", false },
	{ "mov %r14, %rdi", false },
	{ "call leaf", false },
	{ "mov %eax, %r14d", false },
	{ "mov %r12, %rdi", true },
	{ "mov %r13, %rsi", true },
	{ "call leaf", true },
	{ "mov %r14d, %eax", false },
	{ "pop %r12", true },
	{ "pop %r13", true },
	{ "pop %r14", false },
	{ "pop %rbp", false },
	{ "ret", false },
};

/* A routine that tells its call site, as way inline does, and calls no plain hooks: what it saves is the program's. */
static const struct line telling[] = {
	{ "push %rbp", false },
	{ "mov %rsp, %rbp", false },
	{ "push %rbx", false },
	{ "mov 8(%rbp), %r8", true },
	{ "lea main(%rip), %rbx", true },
	{ "call leaf", false },
	{ "pop %rbx", false },
	{ "pop %rbp", false },
	{ "ret", false },
};

/* A routine that has rbp for something else, and its own address in a register. */
static const struct line unframed[] = {
	{ "push %r12", false },
	{ "mov 8(%rbp), %r13", false },
	{ "lea main(%rip), %r12", true },
	{ "call leaf", false },
	{ "mov %r13, %rax", false },
	{ "pop %r12", false },
	{ "ret", false },
};

/* The N lines of PROGRAM with WORDS and BASE as the model has them. */
static void write_program(const struct line *program, size_t n, const char *words, const char *base)
{
	FILE *f = fopen("h.s", "w");

	assert_non_null(f);
	fputs("	.text\n	.globl main\n	.type main, @function\n	.balign 16\nmain:\n", f);
	for (size_t i = 0; i < n; i++) {
		fputs("	.balign 16, 0x90\n", f);
		for (const char *p = program[i].text; *p; p++)
			if (!strncmp(p, "WORDS", 5))
				fputs(words, f), p += 4;
			else if (!strncmp(p, "BASE", 4))
				fputs(base, f), p += 3;
			else
				fputc(*p, f);
		fputc('\n', f);
	}
	fputs("	.size main, . - main\nleaf: ret\n	.section .tbss, \"awT\", @nobits\n	.skip 24\n"
	      "	.globl aprof_tls\n	.type aprof_tls, @object\n	.size aprof_tls, 64\naprof_tls: .skip 64\n"
	      "	.section .note.GNU-stack, \"\", @progbits\n", f);
	assert_int_equal(fclose(f), 0);
}

static void check(const char *path, const struct line *program, size_t n)
{
	struct symbols *s = scratch_open(path);
	uint64_t start = scratch_address(path, "main");

	for (size_t i = 0; i < n; i++)
		if (symbols_in_hooks(s, 0, start + STEP * i) != program[i].ours)
			fail_msg("%s: %s: %s", path, program[i].text, program[i].ours ? "not found to be ours" : "taken for ours");
	symbols_free(s);
}

/* An executable with the monitor in it. */
static void fixed_offset(void **state)
{
	(void)state;
	write_program(lines, sizeof lines / sizeof *lines, "%fs:aprof_tls@tpoff", "");
	scratch_run("$CC -c h.s && $CC -o fixed h.o");
	check("fixed", lines, sizeof lines / sizeof *lines);
}

/* What plain hooks are passed, and the registers that are saved to keep it. */
static void passed(void **state)
{
	(void)state;
	write_program(passing, sizeof passing / sizeof *passing, "", "");
	scratch_run("$CC -c h.s && $CC -o passed h.o");
	check("passed", passing, sizeof passing / sizeof *passing);
	write_program(telling, sizeof telling / sizeof *telling, "", "");
	scratch_run("$CC -c h.s && $CC -o telling h.o");
	check("telling", telling, sizeof telling / sizeof *telling);
	write_program(unframed, sizeof unframed / sizeof *unframed, "", "");
	scratch_run("$CC -c h.s && $CC -o unframed h.o");
	check("unframed", unframed, sizeof unframed / sizeof *unframed);
}

/* Code that asks where the thread's words are. */
static void by_slot(void **state)
{
	struct symbols *s;
	uint64_t start;

	(void)state;
	scratch_file("g.s", "	.text\n	.globl routine\n	.type routine, @function\n	.balign 16\nroutine:\n"
		"	mov aprof_tls@gottpoff(%rip), %rdx\n	.balign 16, 0x90\n"
		"	mov %fs:56(%rdx), %rdi\n	.balign 16, 0x90\n"
		"	mov %fs:56(%rcx), %rsi\n	ret\n	.size routine, . - routine\n"
		"	.section .note.GNU-stack, \"\", @progbits\n");
	scratch_run("$CC -c g.s && $CC -shared -o libg.so g.o");
	s = scratch_open("libg.so");
	start = scratch_address("libg.so", "routine");
	assert_true(symbols_in_hooks(s, 0, start));
	assert_true(symbols_in_hooks(s, 0, start + STEP));
	assert_false(symbols_in_hooks(s, 0, start + 2 * STEP));
	symbols_free(s);
}

/* A note as the monitor has one, with what it says in the place of %s. */
static const char noted[] = "	.section .note.aprof, \"a\", @note\n	.balign 4\n	.long 6, %s, 1\n	.string \"aprof\"\n	.balign 4\n	%s\n"
	"	.section .note.GNU-stack, \"\", @progbits\n";

/* Whether NAME, in PATH, is taken for the monitor's, its last byte and the one behind it too; from STRIPPED, which has the same code. */
static void check_bounds(const char *path, const char *stripped, const char *name, bool first, bool last, bool next)
{
	struct symbols *s = scratch_open(stripped);
	uint64_t at = scratch_address(path, name);

	assert_int_equal(symbols_in_hooks(s, 0, at), first);
	assert_int_equal(symbols_in_hooks(s, 0, at + STEP - 1), last);
	assert_int_equal(symbols_in_hooks(s, 0, at + STEP), next);
	symbols_free(s);
}

/* What stands between the bounds of the monitor's note is its own, with a name or without; and nothing else, whatever it is called. */
static void monitors_own(void **state)
{
	static const char code[] = "	.text\n	.balign 16\n	.globl aprof_before, inner, main\n	.type aprof_before, @function\n"
		"aprof_before: ret\n	.balign 16\nbegins:\n	.type inner, @function\ninner: ret\n	.balign 16\nends:\n"
		"	.type main, @function\nmain: ret\n	.balign 16\n";
	static const struct { const char *size, *says; bool own; } notes[] = {
		{ "16", ".quad begins - ., ends - .", true }, { "24", ".quad begins - ., ends - ., 7", true }, { "0", "", false },
		{ "8", ".quad begins - .", false }, { "16", ".quad ends - ., begins - .", false }, { "16", ".quad 0, 0", false },
	};
	char text[1000];

	(void)state;
	for (size_t i = 0; i < sizeof notes / sizeof *notes; i++) {
		size_t n = (size_t)snprintf(text, sizeof text, "%s", code);

		snprintf(text + n, sizeof text - n, noted, notes[i].size, notes[i].says);
		scratch_file("n.s", text);
		scratch_run("$CC -o note n.s && strip -o bare note");
		for (int j = 0; j < 2; j++) {
			check_bounds("note", j ? "bare" : "note", "aprof_before", false, false, notes[i].own);
			check_bounds("note", j ? "bare" : "note", "inner", notes[i].own, notes[i].own, false);
		}
	}
}

/* A program without any. */
static void nothing_of_ours(void **state)
{
	struct symbols *s;

	(void)state;
	scratch_file("f.c", "void aprof_like(void) { }\nint main(void) { return 0; }\n");
	scratch_run("$CC -o functions f.c");
	s = scratch_open("functions");
	assert_false(symbols_in_hooks(s, 0, scratch_address("functions", "aprof_like")));
	assert_false(symbols_in_hooks(s, 0, scratch_address("functions", "main")));
	assert_false(symbols_in_hooks(s, 0, 1));
	assert_false(symbols_in_hooks(s, PROFILE_NONE, 1));
	symbols_free(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fixed_offset), cmocka_unit_test(passed),
		cmocka_unit_test(by_slot),
		cmocka_unit_test(monitors_own),
		cmocka_unit_test(nothing_of_ours),
	};

	return cmocka_run_group_tests(tests, scratch_begin, scratch_end);
}
