/* test_hot.c - what a report says of made profiles: it keeps within the screen, and stacks that the header does not count yet are none. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "show/report/report.h"
#include "show/report/verification.h"
#include "tests/lib/make_amon.h"

/* Read what M makes, into IN; M is freed. */
static void input_make(struct input *in, struct make_amon *m)
{
	char name[] = "/tmp/test_hot.XXXXXX", *files[] = { name };
	struct error err = { .text = "" };
	size_t len;
	uint8_t *data = make_amon_finish(m, &len);
	int fd = mkstemp(name);

	assert_true(fd >= 0 && write(fd, data, len) == (ssize_t)len && close(fd) == 0);
	assert_true(input_read(in, files, 1, NULL, &err));
	assert_true(input_build(in, NULL, &(struct graph_options){ .thread = GRAPH_NONE }, &err));
	unlink(name);
	free(data);
	make_amon_free(m);
}

/* Lines of hot on a screen of ROWS. */
static int lines_on(const struct input *in, int rows)
{
	const struct report_options options = { .screen = true, .rows = rows, .style = { .width = 80 } };
	struct error err;
	char *text;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	int n = 0;

	assert_non_null(out);
	assert_true(hot_text(&in->report, &options, out, &err));
	assert_int_equal(fclose(out), 0);
	for (size_t i = 0; i < size; i++)
		n += text[i] == '\n';
	free(text);
	return n;
}

/* On a terminal the head, with a line before it, the cases, a line behind them, the commands for more and the next one that is typed take all rows, or
 * fewer.  SEED makes one, two or three of the cases. */
static void check_screen(uint64_t seed, uint32_t routines, uint32_t callees, uint32_t mean)
{
	enum { AROUND = 1 + 1 + 1 + 1, LEAST = 22, MOST = 60 };
	struct input in = { 0 };
	int full = 0;

	input_make(&in, make_amon_random(&(struct made_program){ .seed = seed, .routines = routines, .callees = callees, .threads = 1, .calls = 20000,
		.mean = mean, .deepest = 40, .ticks = 0.2 }));
	for (int rows = LEAST; rows <= MOST; rows++) {
		int lines = lines_on(&in, rows), others = AROUND + (int)report_head_rows(&(struct report_options){ .rows = rows });

		assert_in_range(lines, 1, rows - others);
		full += lines == rows - others;
	}
	assert_true(full > 0);
	input_free(&in);
}

static void test_screen(void **state)
{
	(void)state;
	check_screen(614, 6, 1, 4);		/* two, and why there is no third if there is room */
	check_screen(612, 6, 1, 2);
	check_screen(422, 4, 2, 2);
}

/* Seven stacks that fit, and three of the table that differ, of COUNTED that the header has. */
static struct verification verified_of(uint64_t counted)
{
	struct make_amon *m = make_amon_new();
	uint32_t module = make_amon_module(m, "/made/program", NULL, 0, 0x1000, 0), thread = make_amon_thread(m, "x");
	uint32_t routine = make_amon_routine(m, module, 0x10, 0);
	struct input in = { 0 };
	struct verification v;

	make_amon_module_record(m, module)->main_program = 1;
	make_amon_enter(m, thread, routine);
	for (int i = 0; i < 3; i++)
		make_amon_stack(m, thread, 0x14, AMON_STACK_OPEN, AMON_NONE);
	make_amon_leave(m, thread);
	make_amon_header(m)->stacks[AMON_STACK_FITS] = 7;
	make_amon_header(m)->stacks[AMON_STACK_OPEN] = counted;
	input_make(&in, m);
	v = verification_make(&in.report);
	input_free(&in);
	return v;
}

/* While a program runs, the table may have stacks that its header does not count yet: no number falls below 0. */
static void test_stacks_not_counted_yet(void **state)
{
	struct verification all = verified_of(5), some = verified_of(2);

	(void)state;
	assert_int_equal(all.differ, 3);
	assert_int_equal(all.at_hook, 2);
	assert_int_equal(all.checked, 7 + 5);
	assert_int_equal(some.differ, 2);
	assert_int_equal(some.at_hook, 0);
	assert_int_equal(some.checked, 7 + 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_screen), cmocka_unit_test(test_stacks_not_counted_yet) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
