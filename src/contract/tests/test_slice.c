/* test_slice.c - levels, and the table of slices, whatever comes in whatever order. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "contract/slice.h"

enum { SLOTS = 128, FITS = SLOTS / 4 * 3 };

static struct {
	struct amon_chunk head;
	struct amon_slice slots[SLOTS];
} table;

static int set_up(void **state)
{
	(void)state;
	memset(&table, 0, sizeof table);
	return 0;
}

/* An interval's number is always below SLICE_INTERVALS, and a level is left for good. */
static void test_levels(void **state)
{
	const uint64_t second = 1000000000, year = 365 * 86400 * second;

	(void)state;
	assert_int_equal(slice_level(0, 0), 0);
	assert_int_equal(slice_level(4 * second - 1, 0), 0);
	assert_int_equal(slice_level(4 * second, 0), 1);
	assert_int_equal(slice_level(8 * second - 1, 0), 1);
	assert_int_equal(slice_level(8 * second, 1), 2);
	assert_int_equal(slice_level(second, 3), 3);
	assert_int_equal(slice_level(3600 * second, 0), 10);
	for (uint64_t t = 1; t < 100 * year; t = t * 5 / 4 + 1)
		assert_true(t / slice_length(slice_level(t, 0)) < SLICE_INTERVALS);
}

static void test_rooms(void **state)
{
	(void)state;
	assert_int_equal(slice_room(0, 0, 0), SLICE_FIRST);
	assert_int_equal(slice_room(0, 0, 5), SLICE_FIRST);
	assert_int_equal(slice_room(SLICE_FIRST, 2, 2), 2 * SLICE_FIRST);
	assert_int_equal(slice_room(8 * SLICE_FIRST, 2, 3), 4 * SLICE_FIRST);
	assert_int_equal(slice_room(SLICE_FIRST, 2, 3), SLICE_FIRST);
}

/* What was charged to CONTEXT in interval NUMBER. */
static const struct amon_slice *found(uint64_t number, uint32_t context)
{
	for (int i = 0; i < SLOTS; i++)
		if (table.slots[i].interval == number + 1 && table.slots[i].context == context)
			return &table.slots[i];
	return NULL;
}

static void test_adds_up(void **state)
{
	(void)state;
	assert_true(slice_charge(&table.head, SLOTS, 0, 7, 1, 100, 1));
	assert_true(slice_charge(&table.head, SLOTS, 0, AMON_NONE, 1, 5, 1));
	assert_true(slice_charge(&table.head, SLOTS, 999, 7, 1, 30, 2));
	assert_true(slice_charge(&table.head, SLOTS, 0, 7, 1, 11, UINT32_MAX));
	assert_int_equal(table.head.count, 3);
	assert_int_equal(found(0, 7)->time, 111);
	assert_int_equal(found(0, 7)->ticks, UINT32_MAX);
	assert_int_equal(found(0, AMON_NONE)->time, 5);
	assert_int_equal(found(999, 7)->time, 30);
	assert_int_equal(found(999, 7)->ticks, 2);
}

/* Phases of one interval are told apart. */
static void test_phases(void **state)
{
	uint64_t time[4] = { 0 };

	(void)state;
	assert_true(slice_charge(&table.head, SLOTS, 5, 7, 2, 100, 1));
	assert_true(slice_charge(&table.head, SLOTS, 5, 7, 3, 10, 1));
	assert_true(slice_charge(&table.head, SLOTS, 5, 7, 2, 1, 1));
	assert_int_equal(table.head.count, 2);
	for (int i = 0; i < SLOTS; i++)
		if (table.slots[i].interval)
			time[table.slots[i].phase] += table.slots[i].time;
	assert_int_equal(time[2], 101);
	assert_int_equal(time[3], 10);
}

/* When it is full to three quarters it takes no more slices, but goes on with those that it has. */
static void test_full(void **state)
{
	uint64_t all = 0;

	(void)state;
	for (uint32_t i = 0; i < FITS; i++)
		assert_true(slice_charge(&table.head, SLOTS, i % 9, i, 1, 1, 1));
	assert_false(slice_charge(&table.head, SLOTS, 9, 1, 1, 1, 1));
	assert_null(found(9, 1));
	for (uint32_t i = 0; i < FITS; i++)
		assert_true(slice_charge(&table.head, SLOTS, i % 9, i, 1, 1, 1));
	for (int i = 0; i < SLOTS; i++)
		all += table.slots[i].time;
	assert_int_equal(all, 2 * FITS);
	assert_int_equal(table.head.count, FITS);
}

/* Others have written over it: the search ends. */
static void test_overwritten(void **state)
{
	(void)state;
	memset(table.slots, 0xaa, sizeof table.slots);
	assert_false(slice_charge(&table.head, SLOTS, 1, 1, 1, 1, 1));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_levels), cmocka_unit_test(test_rooms), cmocka_unit_test_setup(test_adds_up, set_up), cmocka_unit_test_setup(test_phases, set_up),
		cmocka_unit_test_setup(test_full, set_up), cmocka_unit_test_setup(test_overwritten, set_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
