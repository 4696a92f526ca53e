/* test_hook_state.c - where it is open whether a routine is entered for the monitor. */
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
	const char *text;	/* an instruction; W+n: the thread's word at byte n */
	bool open;		/* before it is executed the routine may be out */
};

/* As way inline makes it: a way out of line, a landing pad that puts the context back and goes on, an early way out, an exit that a jump
 * back leads to. */
static const struct line by_inline[] = {
	{ "push %rbx", true },
	{ "lea main(%rip), %rcx", true },
	{ "mov W+56, %rbx", true },
	{ "jne miss", true },
	{ "incq (%rdx)", true },
	{ "mov %rax, W+56", true },
	{ "mov %fs:40, %r9", false },
	{ "joined: test %edi, %edi", false },
	{ "je pad", false },
	{ "jmp more", false },
	{ "out: pop %rbx", true },
	{ "ret", true },
	{ "more: call leaf", false },
	{ "test %eax, %eax", false },
	{ "js other", false },
	{ "mov %rbx, W+56", false },
	{ "jmp out", true },
	{ "pad: mov %rcx, W+56", false },
	{ "call leaf", true },
	{ "mov %eax, %edi", false },
	{ "jmp joined", false },
	{ "other: mov %rbx, W+56", false },
	{ "pop %rbx", true },
	{ "jmp leaf", true },
	{ "miss: lea back(%rip), %r11", true },
	{ "jmp *(%r11)", true },
	{ "back: jmp joined", false },
	{ "mov %rbx, W+56", false },			/* a case of a switch */
	{ "ret", true },
};

/* As way fentry writes it out, and with its exit. */
static const struct line by_fentry[] = {
	{ "mov W+16, %r11", true },
	{ "jbe 1f", true },
	{ "addq $24, W+16", true },
	{ "mov %rsp, 24(%r11)", true },
	{ "2: call leaf", false },
	{ "mov W+16, %r11", false },
	{ "movq $0, (%r11)", false },
	{ "subq $24, W+16", true },
	{ "ret", true },
	{ "1: lea 2b(%rip), %r11", true },
	{ "jmp leaf", true },
};

/* Hooks that are called. */
static const struct line by_calls[] = {
	{ "push %rbp", true },
	{ "call __cyg_profile_func_enter", true },
	{ "call leaf", false },
	{ "addr32 call __cyg_profile_func_exit", false },
	{ "pop %rbp", true },
	{ "ret", true },
};

static void write_line(FILE *f, const char *text)
{
	const char *word = strstr(text, "W+");

	fputs("	.balign 16, 0x90\n", f);
	if (word)
		fprintf(f, "%.*s%%fs:aprof_tls@tpoff+%s\n", (int)(word - text), text, word + 2);
	else
		fprintf(f, "%s\n", text);
}

static void check(const struct line *lines, size_t n, const char *path)
{
	FILE *f = fopen("s.s", "w");
	struct symbols *s;
	uint64_t start;

	assert_non_null(f);
	fputs("	.text\n	.globl main\n	.type main, @function\n	.balign 16\nmain:\n", f);
	for (size_t i = 0; i < n; i++)
		write_line(f, lines[i].text);
	fputs("	.size main, . - main\nleaf: ret\n	.globl __cyg_profile_func_enter, __cyg_profile_func_exit\n"
	      "__cyg_profile_func_enter: ret\n__cyg_profile_func_exit: ret\n"
	      "	.section .tbss, \"awT\", @nobits\n	.skip 24\n"
	      "	.globl aprof_tls\n	.type aprof_tls, @object\n	.size aprof_tls, 80\naprof_tls: .skip 80\n"
	      "	.section .note.GNU-stack, \"\", @progbits\n", f);
	assert_int_equal(fclose(f), 0);
	scratch_run("$CC -c s.s && $CC -o %s s.o", path);
	s = scratch_open(path);
	start = scratch_address(path, "main");
	for (size_t i = 0; i < n; i++)
		if (symbols_is_open(s, 0, start + STEP * i) != lines[i].open)
			fail_msg("%s: %s: %s", path, lines[i].text, lines[i].open ? "not found to be open" : "taken to be open");
	assert_false(symbols_is_open(s, 0, 1));
	assert_false(symbols_is_open(s, PROFILE_NONE, start));
	symbols_free(s);
}

static void way_inline(void **state)
{
	(void)state;
	check(by_inline, sizeof by_inline / sizeof *by_inline, "inline");
}

static void way_fentry(void **state)
{
	(void)state;
	check(by_fentry, sizeof by_fentry / sizeof *by_fentry, "fentry");
}

static void hooks_called(void **state)
{
	(void)state;
	check(by_calls, sizeof by_calls / sizeof *by_calls, "calls");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(way_inline),
		cmocka_unit_test(way_fentry),
		cmocka_unit_test(hooks_called),
	};

	return cmocka_run_group_tests(tests, scratch_begin, scratch_end);
}
