/* test_escape.c - what is escaped in names, and what is left alone. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/escape.h"

static void check(const char *name, unsigned flags, const char *expected, size_t width)
{
	char buffer[256], *printed;
	size_t size;
	FILE *out = open_memstream(&printed, &size);

	assert_int_equal(escape_string(buffer, sizeof buffer, name, flags), strlen(expected));
	assert_string_equal(buffer, expected);
	assert_int_equal(escape_print(out, name, flags), width);
	fclose(out);
	assert_string_equal(printed, expected);
	free(printed);
}

static void plain_names(void **state)
{
	(void)state;
	check("", 0, "", 0);
	check("main", 0, "main", 4);
	check("std::vector<int, A>::at(unsigned long) const", 0,
	      "std::vector<int, A>::at(unsigned long) const", 44);
	check("gr\xc3\xbc\xc3\x9f" "e\xe2\x82\xac\xf0\x9f\x98\x80", 0, "gr\xc3\xbc\xc3\x9f" "e\xe2\x82\xac\xf0\x9f\x98\x80", 7);
}

static void separators(void **state)
{
	(void)state;
	check("a;b", 0, "a;b", 3);
	check("a;b\\;", ESCAPE_STACK, "a\\x3bb\\\\\\x3b", 12);
	check("operator\"\" _s, x", ESCAPE_QUOTE, "operator\"\"\"\" _s, x", 18);
}

static void controls(void **state)
{
	(void)state;
	check("\x1b[31m<script>", 0, "\\x1b[31m<script>", 16);
	check("a\nb\tc\rd\x7f", 0, "a\\x0ab\\x09c\\x0dd\\x7f", 20);
	check("\xc2\x9b" "31m", 0, "\\u{9b}31m", 9);
	check("a\\x1b", 0, "a\\\\x1b", 6);
}

static void unseen_characters(void **state)
{
	(void)state;
	check("a\xe2\x80\xae" "b", 0, "a\\u{202e}b", 10);
	check("a\xe2\x81\xa6" "b\xe2\x81\xa9", 0, "a\\u{2066}b\\u{2069}", 18);
	check("a\xe2\x80\x8b\xef\xbb\xbf", 0, "a\\u{200b}\\u{feff}", 17);
	check("\xd8\x9c", 0, "\\u{61c}", 7);
	check("\xf3\xa0\x80\x81", 0, "\\u{e0001}", 9);
	check("\xf4\x8f\xbf\xbf", 0, "\\u{10ffff}", 10);
}

static void not_utf8(void **state)
{
	(void)state;
	check("\xff", 0, "\\xff", 4);
	check("a\xc3", 0, "a\\xc3", 5);
	check("\xc3(", 0, "\\xc3(", 5);
	check("\xe2\x82", 0, "\\xe2\\x82", 8);
	check("\xc0\xaf", 0, "\\xc0\\xaf", 8);
	check("\xe0\x9f\xbf", 0, "\\xe0\\x9f\\xbf", 12);
	check("\xed\xa0\x80", 0, "\\xed\\xa0\\x80", 12);
	check("\xf4\x90\x80\x80", 0, "\\xf4\\x90\\x80\\x80", 16);
}

static void ascii_only(void **state)
{
	(void)state;
	check("gr\xc3\xbcn", ESCAPE_ASCII, "gr\\u{fc}n", 9);
	check("\xf0\x9f\x98\x80", ESCAPE_ASCII, "\\u{1f600}", 9);
}

static void words(void **state)
{
	(void)state;
	check("operator new", ESCAPE_WORD, "operator\\x20new", 15);
	check("P'", ESCAPE_WORD, "P\\x27", 5);
	check("f<'a'>", ESCAPE_WORD, "f<'a'>", 6);
}

static void short_buffers(void **state)
{
	char buffer[8];

	(void)state;
	memset(buffer, '#', sizeof buffer);
	assert_int_equal(escape_string(buffer, 0, "abc", 0), 3);
	assert_int_equal(buffer[0], '#');
	assert_int_equal(escape_string(buffer, 1, "abc", 0), 3);
	assert_string_equal(buffer, "");
	assert_int_equal(escape_string(buffer, 3, "abc", 0), 3);
	assert_string_equal(buffer, "ab");
	assert_int_equal(escape_string(buffer, 5, "ab\x1b" "c", 0), 7);
	assert_string_equal(buffer, "ab");
	assert_int_equal(escape_string(buffer, 4, "a\xe2\x82\xac" "b", 0), 5);
	assert_string_equal(buffer, "a");
}

static void check_shell(const char *word, unsigned flags, const char *expected)
{
	char *printed;
	size_t size;
	FILE *out = open_memstream(&printed, &size);

	escape_shell(out, word, flags);
	fclose(out);
	assert_string_equal(printed, expected);
	free(printed);
}

static void shell_words(void **state)
{
	(void)state;
	check_shell("./a.out", 0, "./a.out");
	check_shell("--rate=5", 0, "--rate=5");
	check_shell("", 0, "''");
	check_shell("a b", 0, "'a b'");
	check_shell("$HOME/*", 0, "'$HOME/*'");
	check_shell("a\\b", 0, "'a\\b'");
	check_shell("it's", 0, "'it'\\''s'");
	check_shell("~", 0, "'~'");
	check_shell("gr\xc3\xbcn", 0, "'gr\xc3\xbcn'");
	check_shell("gr\xc3\xbcn", ESCAPE_ASCII, "$'gr\\303\\274n'");
	check_shell("\x1b[31m1's\\", 0, "$'\\033[31m1\\'s\\\\'");
	check_shell("a\n1\xff" "7", 0, "$'a\\0121\\3777'");
	check_shell("a\xe2\x80\xae" "b", 0, "$'a\\342\\200\\256b'");
}

enum { WORDS = 200 };

/* Word I of ROUND: four bytes of any kind, or fewer. */
static void word_make(char word[5], uint32_t round, uint32_t i)
{
	uint32_t bits = (round * WORDS + i) * 2654435761u;

	memcpy(word, &bits, 4);
	word[4] = 0;
}

/* A command line that prints the words of ROUND, each with a NUL behind it; malloc'ed. */
static char *line_make(uint32_t round)
{
	char word[5], *line;
	size_t size;
	FILE *out = open_memstream(&line, &size);

	fputs("printf '%s\\0'", out);
	for (uint32_t i = 0; i < WORDS; i++) {
		word_make(word, round, i);
		putc(' ', out);
		escape_shell(out, word, round & 1 ? ESCAPE_ASCII : 0);
	}
	fclose(out);
	return line;
}

/* bash takes what was printed for the word itself, whatever it is. */
static void shell_reads_back(void **state)
{
	char word[5], read[5];

	(void)state;
	if (system("bash -c :") != 0)
		skip();
	for (uint32_t round = 0; round < 20; round++) {
		char *line = line_make(round);
		FILE *in;

		assert_int_equal(setenv("LINE", line, 1), 0);
		in = popen("exec bash -c 'eval \"$LINE\"'", "r");
		for (uint32_t i = 0; i < WORDS; i++) {
			word_make(word, round, i);
			assert_int_equal(fread(read, 1, strlen(word) + 1, in), strlen(word) + 1);
			assert_string_equal(read, word);
		}
		assert_int_equal(getc(in), EOF);
		assert_int_equal(pclose(in), 0);
		free(line);
	}
}

/* The bound that the header gives to those who allocate. */
static void bound(void **state)
{
	char name[5], buffer[64];

	(void)state;
	name[4] = 0;
	for (uint32_t i = 0; i < 200000; i++) {
		uint32_t bits = i * 2654435761u | 0x01010101u;
		memcpy(name, &bits, 4);
		assert_true(escape_string(buffer, sizeof buffer, name, ESCAPE_ASCII) <= 4 * strlen(name));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(plain_names),
		cmocka_unit_test(separators),
		cmocka_unit_test(controls),
		cmocka_unit_test(unseen_characters),
		cmocka_unit_test(not_utf8),
		cmocka_unit_test(ascii_only),
		cmocka_unit_test(words),
		cmocka_unit_test(short_buffers),
		cmocka_unit_test(bound),
		cmocka_unit_test(shell_words),
		cmocka_unit_test(shell_reads_back),
	};

	return cmocka_run_group_tests_name("escape", tests, NULL, NULL);
}
