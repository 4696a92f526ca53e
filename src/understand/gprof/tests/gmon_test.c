/* gmon_test.c - gmon.out files as bytes: what is read of them, and what is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "understand/gprof/tests/made_gmon.h"

static const struct gmon_layout layouts[] = { { 8, false }, { 4, false }, { 8, true }, { 4, true } };
enum { LAYOUTS = sizeof layouts / sizeof *layouts };

static struct made_gmon file;
static const uint16_t bins[4] = { 1, 0, 65535, 7 };

/* A file of all kinds of records. */
static void make_all(struct gmon_layout layout)
{
	static const struct gmon_block blocks[] = { { 0x1004, 3 }, { 0x1010, 5 } };

	made_begin(&file, layout, 1);
	made_histogram(&file, 0x1000, 0x1010, bins, 4, 250);
	made_arc(&file, 0x1004, 0x1008, 42);
	made_arc(&file, 0x1006, 0x1008, 0xffffffff);
	made_blocks(&file, blocks, 2);
}

static void check_all(const struct gmon *g, unsigned times)
{
	assert_int_equal(g->nhistograms, 1);
	assert_int_equal(g->histograms[0].low, 0x1000);
	assert_int_equal(g->histograms[0].high, 0x1010);
	assert_int_equal(g->histograms[0].nbins, 4);
	for (int i = 0; i < 4; i++)
		assert_int_equal(g->histograms[0].bins[i], times * bins[i]);
	assert_int_equal(g->rate, 250);
	assert_string_equal(g->dimension, "seconds");
	assert_int_equal(g->abbreviation, 's');
	assert_true(g->scale == 2.0);
	assert_int_equal(g->narcs, 2 * times);
	assert_int_equal(g->arcs[0].from, 0x1004);
	assert_int_equal(g->arcs[1].count, 0xffffffff);
	assert_int_equal(g->nblocks, 2 * times);
	assert_int_equal(g->blocks[1].address, 0x1010);
	assert_int_equal(g->blocks[1].count, 5);
}

static void test_all_layouts(void **state)
{
	(void)state;
	for (int i = 0; i < LAYOUTS; i++) {
		struct gmon g;

		make_all(layouts[i]);
		gmon_init(&g, layouts[i]);
		assert_true(gmon_read(&g, file.data, file.len, GMON_AUTO, "made", NULL));
		check_all(&g, 1);
		assert_true(gmon_read(&g, file.data, file.len, GMON_RECORDS, "made", NULL));
		check_all(&g, 2);
		assert_int_equal(g.nfiles, 2);
		assert_int_equal(g.files[1].arcs, 2);
		gmon_free(&g);
	}
}

/* What was written says what was read, with bins and counts that one record cannot hold. */
static void test_written(void **state)
{
	(void)state;
	for (int i = 0; i < LAYOUTS; i++) {
		struct gmon g, again;
		size_t len;
		void *data;

		make_all(layouts[i]);
		gmon_init(&g, layouts[i]);
		gmon_init(&again, layouts[i]);
		for (int times = 0; times < 3; times++)
			assert_true(gmon_read(&g, file.data, file.len, GMON_AUTO, "made", NULL));
		data = gmon_write(&g, &len, NULL);
		assert_non_null(data);
		assert_true(gmon_read(&again, data, len, GMON_AUTO, "sum", NULL));
		assert_int_equal(again.histograms[0].bins[2], 3 * 65535);
		assert_int_equal(again.histograms[0].bins[0], 3);
		assert_int_equal(again.arcs[0].count, 3 * 42);
		assert_int_equal(again.arcs[1].count + again.arcs[2].count + again.arcs[3].count, 3 * UINT64_C(0xffffffff));
		assert_int_equal(again.nblocks, 2);
		assert_int_equal(again.blocks[0].count, 9);
		free(data);
		gmon_free(&g);
		gmon_free(&again);
	}
}

static void test_bsd(void **state)
{
	(void)state;
	for (int i = 0; i < LAYOUTS; i++)
		for (uint32_t rate = 0; rate <= 250; rate += 250) {
			struct gmon g;

			made_bsd(&file, layouts[i], 0x1000, 0x1010, bins, 4, rate);
			made_bsd_arc(&file, 0x1004, 0x1008, 42);
			assert_true(gmon_is_bsd(file.data, file.len, layouts[i]));
			gmon_init(&g, layouts[i]);
			assert_true(gmon_read(&g, file.data, file.len, GMON_AUTO, "made", NULL));
			assert_int_equal(g.rate, rate ? rate : 100);
			assert_int_equal(g.histograms[0].bins[2], 65535);
			assert_int_equal(g.narcs, 1);
			assert_int_equal(g.arcs[0].count, 42);
			assert_int_equal(gmon_read(&g, file.data, file.len, GMON_BSD44, "made", NULL), rate != 0);
			gmon_free(&g);
		}
}

/* A version 0 block has its count first, and names. */
static void test_old_blocks(void **state)
{
	struct gmon g;

	(void)state;
	made_begin(&file, layouts[0], 0);
	made_number(&file, 2, 1);
	made_number(&file, 1, 4);
	made_number(&file, 'f', 2);		/* "f" */
	made_address(&file, 7);
	made_address(&file, 0x1234);
	made_number(&file, 'g', 2);
	made_number(&file, 0, 1);
	made_number(&file, 12, 4);
	gmon_init(&g, layouts[0]);
	assert_true(gmon_read(&g, file.data, file.len, GMON_AUTO, "made", NULL));
	assert_int_equal(g.blocks[0].address, 0x1234);
	assert_int_equal(g.blocks[0].count, 7);
	gmon_free(&g);
}

/* Cut off anywhere but between records it is refused, with one line that names it. */
static void test_every_cut(void **state)
{
	(void)state;
	for (int i = 0; i < LAYOUTS; i++) {
		unsigned word = layouts[i].word;
		size_t histogram = 20 + 1 + 2 * word + 8 + 16 + 8, arc = 1 + 2 * word + 4;

		make_all(layouts[i]);
		for (size_t len = 0; len < file.len; len++) {
			struct error err = { .text = "" };
			struct gmon g;
			bool whole = len == 20 || len == histogram || len == histogram + arc || len == histogram + 2 * arc;

			gmon_init(&g, layouts[i]);
			assert_int_equal(gmon_read(&g, file.data, len, GMON_RECORDS, "made", &err), whole);
			if (!whole)
				assert_ptr_equal(strstr(err.text, "made: "), err.text);
			gmon_free(&g);
		}
	}
}

static void refuse(const char *why)
{
	struct error err = { .text = "" };
	struct gmon g;

	gmon_init(&g, file.layout);
	if (gmon_read(&g, file.data, file.len, GMON_AUTO, "made", &err) || !strstr(err.text, why))
		fail_msg("expected \"%s\", not \"%s\"", why, err.text);
	gmon_free(&g);
}

static void test_refused(void **state)
{
	(void)state;
	made_begin(&file, layouts[0], 2);
	refuse("version 2");
	made_begin(&file, layouts[0], 1);
	made_number(&file, 3, 1);
	refuse("unknown kind 3");
	made_begin(&file, layouts[0], 1);
	made_histogram(&file, 0x1010, 0x1000, bins, 4, 100);
	refuse("ends before it begins");
	made_begin(&file, layouts[0], 1);
	made_histogram(&file, 0x1000, 0x1010, bins, 4, 0);
	refuse("no samples a second");
	made_begin(&file, layouts[0], 1);
	made_histogram(&file, 0x1000, 0x1010, bins, 4, 100);
	made_histogram(&file, 0x1008, 0x1018, bins, 4, 100);
	refuse("a part of the addresses");
	made_begin(&file, layouts[0], 1);
	made_histogram(&file, 0x1000, 0x1010, bins, 4, 100);
	made_histogram(&file, 0x1010, 0x1018, bins, 4, 100);
	refuse("bins of another size");
	made_begin(&file, layouts[0], 1);
	made_histogram(&file, 0x1000, 0x1010, bins, 4, 100);
	made_histogram(&file, 0x1000, 0x1010, bins, 2, 100);
	refuse("bins");
	made_begin(&file, layouts[0], 1);
	made_histogram(&file, 0x1000, 0x1010, bins, 0, 100);	/* its bins are missing, its head says 4000000000 */
	memset(file.data + 20 + 17, 0xee, 4);
	refuse("within the bins");
	memset(file.data, 'x', 100);
	file.len = 100;
	refuse("does not begin as a gmon.out does");
}

static void test_several_histograms(void **state)
{
	struct gmon g;

	(void)state;
	made_begin(&file, layouts[0], 1);
	made_histogram(&file, 0x2000, 0x2010, bins, 4, 100);
	made_histogram(&file, 0x1000, 0x1010, bins, 4, 100);
	made_histogram(&file, 0x2000, 0x2010, bins, 4, 100);
	gmon_init(&g, layouts[0]);
	assert_true(gmon_read(&g, file.data, file.len, GMON_AUTO, "made", NULL));
	assert_int_equal(g.nhistograms, 2);
	assert_int_equal(g.histograms[0].bins[3], 14);
	assert_int_equal(g.histograms[1].bins[3], 7);
	gmon_free(&g);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_all_layouts),
		cmocka_unit_test(test_written),
		cmocka_unit_test(test_bsd),
		cmocka_unit_test(test_old_blocks),
		cmocka_unit_test(test_every_cut),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_several_histograms),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
