/* test_statistics.c - distributions against published tables, corrections against worked examples. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "understand/compare/noise.h"
#include "understand/compare/statistics.h"

static void near(double found, double expected, double error)
{
	if (fabs(found - expected) > error)
		fail_msg("%.12g, expected %.12g", found, expected);
}

/* Percentage points of t, as in every table; the normal's 1.96; the chance of heads. */
static void students_t(void **state)
{
	(void)state;
	near(statistics_t_quantile(0.025, 8), 2.306, 0.0005);
	near(statistics_t_quantile(0.05, 1), 6.314, 0.0005);
	near(statistics_t_quantile(0.0005, 4), 8.610, 0.0005);
	near(statistics_t_quantile(0.01, 30), 2.457, 0.0005);
	near(statistics_t_quantile(0.025, INFINITY), 1.96, 0.0005);
	near(statistics_t_above(0, 3), 0.5, 1e-12);
	near(statistics_t_above(1, 1), 0.25, 1e-12);			/* Cauchy: 1/2 - atan(1) / pi */
	near(statistics_t_above(-1, 1), 0.75, 1e-12);
	near(statistics_t_above(40, 1e6), statistics_t_above(40, INFINITY), 1e-12);
}

static void binomial(void **state)
{
	(void)state;
	near(statistics_binomial_above(8, 10, 0.5), 56.0 / 1024, 1e-12);
	near(statistics_binomial_above(1, 3, 0.2), 1 - 0.512, 1e-12);
	near(statistics_binomial_above(0, 3, 0.2), 1, 0);
	near(statistics_binomial_above(4, 3, 0.2), 0, 0);
	near(statistics_binomial_above(500, 1000, 0.5), 0.5126125, 1e-6);
}

static void beta(void **state)
{
	(void)state;
	near(statistics_beta(0.3, 1, 1), 0.3, 1e-12);
	near(statistics_beta(0.5, 2, 3), 0.6875, 1e-12);		/* 11/16 */
	near(statistics_beta(0.9, 2, 3) + statistics_beta(0.1, 3, 2), 1, 1e-12);
}

static void trigamma(void **state)
{
	(void)state;
	near(statistics_trigamma(1), M_PI * M_PI / 6, 1e-9);
	near(statistics_trigamma(0.5), M_PI * M_PI / 2, 1e-8);
	near(statistics_trigamma(4), M_PI * M_PI / 6 - 1 - 0.25 - 1.0 / 9, 1e-9);
	near(statistics_trigamma_inverse(M_PI * M_PI / 6), 1, 1e-6);
	near(statistics_chi_median(8), 7.344 / 8, 0.002);
}

/* Smallest first: 4 * .005, 3 * .01, 2 * .03, and never less than the one before; from above: .04 * 4/4, .03 * 4/3, .01 * 4/2, .005 * 4. */
static void corrections(void **state)
{
	double holm[] = { 0.01, 0.04, 0.03, 0.005 }, bh[] = { 0.01, 0.04, 0.03, 0.005 };
	const double holm_expected[] = { 0.03, 0.06, 0.06, 0.02 }, bh_expected[] = { 0.02, 0.04, 0.04, 0.02 };
	size_t order[4];

	(void)state;
	statistics_holm(holm, 4, order);
	statistics_benjamini_hochberg(bh, 4, order);
	for (int i = 0; i < 4; i++) {
		near(holm[i], holm_expected[i], 1e-12);
		near(bh[i], bh_expected[i], 1e-12);
	}
	statistics_holm(holm, 0, order);
	statistics_benjamini_hochberg(bh, 0, order);
}

static void weighted_median(void **state)
{
	const double value[] = { 9, 1, 5 }, even[] = { 1, 1, 1 }, heavy[] = { 5, 1, 1 };
	size_t order[3];

	(void)state;
	near(statistics_weighted_median(value, even, 3, order), 5, 0);
	near(statistics_weighted_median(value, heavy, 3, order), 9, 0);
}

/* Without a crowd the test is Student's: 4, 5, 6 against 7, 8, 9 have t = 3 / sqrt(2/3) by a variance of 1 each. */
static void plain_t(void **state)
{
	const double time[] = { 104, 105, 106, 107, 108, 109 }, none[6] = { 0 };
	struct noise noise;
	struct sides s = sides_make(time, none, 6, 3, false);
	struct change c;

	(void)state;
	assert_true(noise_learn(&noise, &s, 1));
	near(noise.df, 0, 0);
	c = noise_judge(&noise, &s);
	near(c.change, 3, 1e-12);
	near(c.df, 4, 0);
	near(c.error, sqrt(2.0 / 3), 0.005);
	near(c.above, statistics_t_above(3 / c.error, 4), 1e-12);
	near(c.above + c.below, 1, 1e-12);
}

/* Runs in pairs: what the machine did to both is no difference. Differences of 10, 11 and 12 % have a standard error of 1 % / sqrt(3). */
static void pairs(void **state)
{
	const double time[] = { 100, 200, 300, 110, 222, 336 }, none[6] = { 0 };
	struct sides s = sides_make(time, none, 6, 3, true), apart = sides_make(time, none, 6, 3, false);
	struct change c = noise_judge(&(struct noise){ 0 }, &s), apart_c = noise_judge(&(struct noise){ 0 }, &apart);

	(void)state;
	near(c.df, 2, 0);
	near(c.change, 22.0 + 2.0 / 3, 1e-9);
	assert_true(c.error < apart_c.error / 20);
	assert_true(c.error > 0);
}

/* One run a side: 100 samples against 130, of which the sampling error is sqrt(230). */
static void sampling_only(void **state)
{
	const double time[] = { 1e8, 1.3e8 }, variance[] = { 100e12, 130e12 };
	struct sides s = sides_make(time, variance, 2, 1, false);
	struct change c = noise_judge(&(struct noise){ 0 }, &s);

	(void)state;
	near(c.error, sqrt(230) * 1e6, 1);
	near(c.above, statistics_t_above(30 / sqrt(230), INFINITY), 1e-9);
}

/* Few samples: 0 against 5 happens once in 32 times; the normal distribution would say once in 80. */
static void few_samples(void **state)
{
	const double time[] = { 0, 5e6 }, variance[] = { 0, 5e12 };
	struct sides s = sides_make(time, variance, 2, 1, false);

	(void)state;
	near(noise_judge(&(struct noise){ 0 }, &s).above, 1.0 / 32, 1e-9);
}

/* Of exact times with one run a side nothing is known. */
static void nothing_known(void **state)
{
	const double time[] = { 100, 120 }, none[2] = { 0 };
	struct sides s = sides_make(time, none, 2, 1, false);
	struct change c = noise_judge(&(struct noise){ 0 }, &s);

	(void)state;
	near(c.change, 20, 0);
	assert_true(isnan(c.error) && isnan(c.above) && isnan(c.below));
}

/* Many quantities that vary alike by 2 % teach just that; one that varies otherwise is not drowned by few degrees of freedom. */
static void crowd(void **state)
{
	enum { MANY = 40, RUNS = 10 };
	struct sides sides[MANY];
	struct noise noise;
	uint64_t random = 1;

	(void)state;
	for (int i = 0; i < MANY; i++) {
		double time[RUNS], none[RUNS] = { 0 };

		for (int k = 0; k < RUNS; k++) {
			double sum = 0;		/* of 12 uniform ones: normal enough, with variance 1 */

			for (int j = 0; j < 12; j++) {
				random = random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
				sum += (double)(random >> 11) / 9007199254740992.0;
			}
			time[k] = 1e9 / (i + 1) * (1 + 0.02 * (sum - 6));
		}
		sides[i] = sides_make(time, none, RUNS, RUNS / 2, false);
	}
	assert_true(noise_learn(&noise, sides, MANY));
	near(sqrt(noise.common), 0.02, 0.003);
	assert_true(noise.df > 30);
	near(noise_smallest(&noise, 0, 8, 5, 5, 0.05 / 40, 0.95), (3.02 + 1.645) * 0.02 * sqrt(0.4), 0.012);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(students_t),
		cmocka_unit_test(binomial),
		cmocka_unit_test(beta),
		cmocka_unit_test(trigamma),
		cmocka_unit_test(corrections),
		cmocka_unit_test(weighted_median),
		cmocka_unit_test(plain_t),
		cmocka_unit_test(pairs),
		cmocka_unit_test(sampling_only),
		cmocka_unit_test(few_samples),
		cmocka_unit_test(nothing_known),
		cmocka_unit_test(crowd),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
