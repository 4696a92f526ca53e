/* test_verdict.c - what is answered of changes that were judged, and of runs whose hooks were estimated apart. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "understand/compare/statistics.h"
#include "understand/compare/verdict.h"

#define MS 1e6
#define DF 59

static struct change change_of(double change, double error)
{
	return (struct change){ .change = change, .error = error, .df = DF, .above = statistics_t_above(change / error, DF), .below = statistics_t_above(-change / error, DF) };
}

static struct comparison_item routine_of(enum comparison_code code, double change, double error)
{
	struct comparison_item r = { .name = "r", .counted = true, .code = code, .calls = { .base = 10, .fresh = 10, .steady = true } };

	r.change[COMPARISON_SELF] = change_of(change, error);
	return r;
}

/* The verdict of N ROUTINES in runs of a second, which changed by WHOLE. */
static struct verdict verdict_of(struct comparison_item *routines, uint32_t n, struct change whole)
{
	struct comparison_run runs[2] = { { .counted = true }, { .counted = true } };
	struct comparison c = { .runs = runs, .nruns = 2, .nbase = 1, .whole = { .base = 1000 * MS, .fresh = 1000 * MS + whole.change }, .whole_change = whole };

	c.kinds[COMPARISON_ROUTINES] = (struct comparison_items){ .items = routines, .n = n };
	return verdict_make(&c, VERDICT_LEVEL);
}

/* The whole is lost in noise; what has other code is not. */
static void by_part(void **state)
{
	struct comparison_item r[] = { routine_of(COMPARISON_CODE_SAME, -4 * MS, 3 * MS), routine_of(COMPARISON_CODE_OTHER, 30 * MS, 3 * MS) };
	struct verdict v = verdict_of(r, 2, change_of(20 * MS, 10 * MS));

	(void)state;
	assert_int_equal(v.answer, VERDICT_SLOWER);
	assert_true(v.by_part);
	assert_int_equal(v.routine, 1);
	assert_true(fabs(v.part - 0.03) < 1e-9 && v.error_of_part > 0.005 && v.error_of_part < 0.0065);
	r[1] = routine_of(COMPARISON_CODE_OTHER, -30 * MS, 3 * MS);
	assert_int_equal(verdict_of(r, 2, change_of(-20 * MS, 10 * MS)).answer, VERDICT_FASTER);
}

static void part_is_denied(void **state)
{
	struct comparison_item r[] = { routine_of(COMPARISON_CODE_OTHER, 30 * MS, 3 * MS) };

	(void)state;
	assert_int_equal(verdict_of(r, 1, change_of(1 * MS, 5 * MS)).answer, VERDICT_NO_CHANGE);
}

/* What one has more the other has less: the work moved. */
static void work_moved(void **state)
{
	struct comparison_item r[] = { routine_of(COMPARISON_CODE_OTHER, 30 * MS, 3 * MS), routine_of(COMPARISON_CODE_OTHER, -29 * MS, 3 * MS) };

	(void)state;
	assert_int_equal(verdict_of(r, 2, change_of(5 * MS, 10 * MS)).answer, VERDICT_NO_CHANGE);
}

static void same_code(void **state)
{
	struct comparison_item r[] = { routine_of(COMPARISON_CODE_SAME, 30 * MS, 3 * MS) };

	(void)state;
	assert_int_equal(verdict_of(r, 1, change_of(20 * MS, 10 * MS)).answer, VERDICT_NO_CHANGE);
}

/* The run is slower for certain, and nothing else changed. */
static void nobody_else(void **state)
{
	struct comparison_item r[] = { routine_of(COMPARISON_CODE_SAME, 4 * MS, 3 * MS), routine_of(COMPARISON_CODE_OTHER, 5 * MS, 4 * MS) };

	(void)state;
	assert_int_equal(verdict_of(r, 2, change_of(30 * MS, 3 * MS)).routine, 1);
	assert_int_equal(verdict_of(r, 2, change_of(3 * MS, 3 * MS)).routine, GRAPH_NONE);
}

/* Each run took a second for a million calls; they differ in what they think that hooks cost. */
static void hooks_cost_the_same(void **state)
{
	const double hooks[] = { 100, 180, 140, 90, 170, 130 };
	struct comparison_run runs[6];
	struct comparison c = { .runs = runs, .nruns = 6, .nbase = 3 };
	struct error err;

	(void)state;
	for (int i = 0; i < 6; i++)
		runs[i] = (struct comparison_run){ .fresh = i >= 3, .time = (uint64_t)((1000 - hooks[i]) * MS), .hooks = hooks[i] * MS, .calls = 1000000, .counted = true, .sampled = true };
	assert_true(comparison_judge(&c, COMPARISON_LEVEL, &err));
	assert_true(fabs(c.whole.base - 865 * MS) < 1 && fabs(c.whole.fresh - 865 * MS) < 1);
	assert_true(fabs(c.whole_change.change) < 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(by_part),
		cmocka_unit_test(part_is_denied),
		cmocka_unit_test(work_moved),
		cmocka_unit_test(same_code),
		cmocka_unit_test(nobody_else),
		cmocka_unit_test(hooks_cost_the_same),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
