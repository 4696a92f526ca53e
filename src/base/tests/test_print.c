/* test_print.c - times with their units, and the columns that hold them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/print.h"

static const struct { double ns; const char *text; } times[] = {
	{ 0, "0" }, { 0.001, "0.00 ns" }, { 0.31, "0.31 ns" }, { 2.4, "2.40 ns" }, { 9.994, "9.99 ns" }, { 9.996, "10.0 ns" },
	{ 29, "29.0 ns" }, { 99.96, "100 ns" }, { 999, "999 ns" }, { 999.4, "999 ns" }, { 999.6, "1.00 us" }, { 1234, "1.23 us" },
	{ 99.96e3, "100 us" }, { 999.6e3, "1.00 ms" }, { 29e6, "29.0 ms" }, { 999.4e6, "999 ms" }, { 999.6e6, "1.00 s" },
	{ 59.94e9, "59.9 s" }, { 999.6e9, "1000 s" }, { 12345e9, "12345 s" }, { 99999.4e9, "99999 s" }, { 99999.6e9, "27.8 h" },
	{ 1e15, "278 h" }, { 3.5e17, "97222 h" },
};
enum { TIMES = sizeof times / sizeof *times };

static void times_have_three_digits(void **state)
{
	char text[PRINT_TIME_SIZE];

	(void)state;
	for (size_t i = 0; i < TIMES; i++)
		assert_string_equal(print_time_text(text, times[i].ns), times[i].text);
}

/* What is no time is never told as one. */
static void amounts_have_their_units(void **state)
{
	static const struct { double amount; const char *unit, *text, *cell; } amounts[] = {
		{ 0, "bytes", "0", "+0   " }, { 17, "bytes", "17 B", "+17 B " }, { 1200, "bytes", "1.20 kB", "+1.20 kB" }, { 1.2e9, "bytes", "1.20 GB", "+1.20 GB" },
		{ 17, "count", "17", "+17   " }, { 2.5, "count", "2.50", "+2.50   " }, { 999.6, "count", "1.00 k", "+1.00 k " }, { 3.4e6, "count", "3.40 M", "+3.40 M " },
		{ 17, "cycles", "17 cycles", "+17   " }, { 2.1e9, "cycles", "2.10 G cycles", "+2.10 G " }, { 1e19, "count", "10000 P", "+10000 P " },
	};
	char text[PRINT_TIME_SIZE];

	(void)state;
	for (size_t i = 0; i < sizeof amounts / sizeof *amounts; i++) {
		assert_string_equal(print_amount_text(text, amounts[i].amount, amounts[i].unit), amounts[i].text);
		assert_string_equal(print_change_cell(text, amounts[i].amount, amounts[i].unit), amounts[i].cell);
	}
}

static void changes_have_signs(void **state)
{
	char text[PRINT_TIME_SIZE];

	(void)state;
	assert_string_equal(print_change_text(text, -1.5e6, "ns"), "-1.50 ms");
	assert_string_equal(print_change_text(text, 12345e9, "ns"), "+12345 s");
	assert_string_equal(print_change_text(text, 0, "ns"), "+0");
}

static char *column(double ns, int width)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	print_amount(out, ns, "ns", width);
	fclose(out);
	return text;
}

/* Whatever the time, its column is as wide, and its number and its unit stand where those of others do. */
static void columns_do_not_shift(void **state)
{
	(void)state;
	for (int width = PRINT_TIME; width < PRINT_TIME + 3; width++)
		for (size_t i = 0; i < TIMES; i++) {
			char *text = column(times[i].ns, width), *number = text + strspn(text, " ");
			size_t len = strcspn(number, " ");

			assert_int_equal(strlen(text), width);
			assert_ptr_equal(number + len, text + width - 3);
			assert_memory_equal(number, times[i].text, len);
			free(text);
		}
}

static void parts_have_the_unit_of_the_whole(void **state)
{
	static const struct { uint64_t amount; const char *of, *name; int decimals; } wholes[] = {
		{ 0, "ns", " ns", 0 }, { 999, "ns", " ns", 0 }, { 1234, "ns", " us", 3 }, { 92010000, "ns", " ms", 2 }, { 861000000, "ns", " ms", 1 },
		{ 1863000000, "ns", " s", 3 }, { 9999600000, "ns", " s", 2 }, { 123400000000, "ns", " s", 1 }, { 12345000000000, "ns", " s", 0 },
		{ 17, "count", "", 0 }, { 1234, "count", " k", 3 }, { 17, "bytes", " B", 0 }, { 92010000, "bytes", " MB", 2 }, { 1863000000, "cycles", " G cycles", 3 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof wholes / sizeof *wholes; i++) {
		struct print_unit unit = print_unit_of(wholes[i].amount, wholes[i].of);

		assert_string_equal(unit.name, wholes[i].name);
		assert_int_equal(unit.decimals, wholes[i].decimals);
	}
}

/* Runs that differ by a digit have the same columns, and a number fits in any case. */
static void counts_widen_in_steps(void **state)
{
	(void)state;
	assert_int_equal(print_count_width(99999999, 8), 8);
	assert_int_equal(print_count_width(100000000, 8), 12);
	assert_int_equal(print_count_width(999999999999, 8), 12);
	assert_int_equal(print_count_width(UINT64_MAX, 8), 20);
}

/* What is too wide loses first parts, at no `::` within brackets, and then its end. */
static void names_fit(void **state)
{
	static const struct { const char *name, *brief; size_t room; const char *shown; } names[] = {
		{ "int a::b<int>(int)", NULL, 24, "a::b" }, { "a::b", "a::b", 3, "..." }, { "main", NULL, 24, "main" },
		{ "std::vector<std::map<int, ...>>::reserve", "std::vector<std::map<int, ...>>::reserve", 24, "...::reserve" },
		{ "first::second::third::last", NULL, 20, "...::third::last" }, { "a_name_of_one_part_only", NULL, 20, "a_name_of_one_par..." },
	};

	(void)state;
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		char *text = print_fitted(names[i].name, names[i].brief, names[i].room, &(struct text_style){ 0 });

		assert_string_equal(text, names[i].shown);
		free(text);
	}
}

/* Lines are broken at blanks behind words, whatever colours are between. */
static void lines_wrap(void **state)
{
	static const struct { const char *text, *wrapped; size_t width; } texts[] = {
		{ "one two\n\nthree\n", "one two\n\nthree\n", 20 },
		{ "one two three four five six\n", "one two three\n      four five\n      six\n", 15 },
		{ "   name in a.c: 12 %\n", "   name in a.c:\n      12 %\n", 16 },
		{ "\033[1mone\033[0m two\n", "\033[1mone\033[0m two\n", 7 },
		{ "a-word-that-is-too-long b\n", "a-word-that-is-too-long\n      b\n", 12 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
		char *text;
		size_t size;
		FILE *out = open_memstream(&text, &size);

		assert_non_null(out);
		print_wrapped(out, texts[i].text, texts[i].width);
		assert_int_equal(fclose(out), 0);
		assert_string_equal(text, texts[i].wrapped);
		free(text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(times_have_three_digits), cmocka_unit_test(amounts_have_their_units), cmocka_unit_test(changes_have_signs), cmocka_unit_test(columns_do_not_shift),
		cmocka_unit_test(parts_have_the_unit_of_the_whole), cmocka_unit_test(counts_widen_in_steps),
		cmocka_unit_test(names_fit), cmocka_unit_test(lines_wrap),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
