/* statistics.c - distributions by the incomplete beta function, and corrections for many tests. */
#include "understand/compare/statistics.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

/* The continued fraction of DLMF 8.17.22 by Lentz's method; converges fast where x < (a + 1) / (a + b + 2). */
static double beta_fraction(double x, double a, double b)
{
	const double tiny = 1e-300;
	double c = 1, d = 1 - (a + b) * x / (a + 1), f;

	d = 1 / (fabs(d) < tiny ? tiny : d);
	f = d;
	for (int m = 1; m < 100000; m++) {
		double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
		double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
		double step;

		d = 1 + even * d;
		c = 1 + even / c;
		d = 1 / (fabs(d) < tiny ? tiny : d);
		c = fabs(c) < tiny ? tiny : c;
		f *= c * d;
		d = 1 + odd * d;
		c = 1 + odd / c;
		d = 1 / (fabs(d) < tiny ? tiny : d);
		c = fabs(c) < tiny ? tiny : c;
		step = c * d;
		f *= step;
		if (fabs(step - 1) < 1e-14)
			break;
	}
	return f;
}

double statistics_beta(double x, double a, double b)
{
	double front;

	if (x <= 0)
		return 0;
	if (x >= 1)
		return 1;
	front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log1p(-x));
	if (x < (a + 1) / (a + b + 2))
		return front * beta_fraction(x, a, b) / a;
	return 1 - front * beta_fraction(1 - x, b, a) / b;
}

double statistics_t_above(double t, double df)
{
	double tail;

	if (isinf(df))
		return erfc(t / sqrt(2)) / 2;
	tail = statistics_beta(df / (df + t * t), df / 2, 0.5) / 2;
	return t > 0 ? tail : 1 - tail;
}

double statistics_t_quantile(double p, double df)
{
	double low = -1e6, high = 1e6;

	for (int i = 0; i < 200; i++) {
		double middle = (low + high) / 2;

		if (statistics_t_above(middle, df) > p)
			low = middle;
		else
			high = middle;
	}
	return (low + high) / 2;
}

double statistics_binomial_above(double k, double n, double p)
{
	if (k <= 0)
		return 1;
	return k > n ? 0 : statistics_beta(p, k, n - k + 1);
}

/* Up to 6 by the recurrence, from there by the asymptotic series (DLMF 5.15.8). */
double statistics_trigamma(double x)
{
	double sum = 0, y;

	for (; x < 6; x++)
		sum += 1 / (x * x);
	y = 1 / (x * x);
	return sum + 1 / x + y / 2 + y / x * (1.0 / 6 - y * (1.0 / 30 - y * (1.0 / 42 - y / 30)));
}

double statistics_trigamma_inverse(double y)
{
	double low = 1e-8, high = 1e8;

	for (int i = 0; i < 200; i++) {
		double middle = sqrt(low * high);

		if (statistics_trigamma(middle) > y)
			low = middle;
		else
			high = middle;
	}
	return sqrt(low * high);
}

double statistics_chi_median(double df)
{
	double root = 1 - 2 / (9 * df);

	return root * root * root;
}

static int statistics_by_value(const void *left, const void *right, void *arg)
{
	const double *value = arg, a = value[*(const size_t *)left], b = value[*(const size_t *)right];

	return (a > b) - (a < b);
}

static void statistics_order_make(size_t *order, size_t n, const double *value)
{
	for (size_t i = 0; i < n; i++)
		order[i] = i;
	qsort_r(order, n, sizeof *order, statistics_by_value, (void *)(uintptr_t)value);
}

double statistics_weighted_median(const double *value, const double *weight, size_t n, size_t *order)
{
	double whole = 0, below = 0;

	statistics_order_make(order, n, value);
	for (size_t i = 0; i < n; i++)
		whole += weight[i];
	for (size_t i = 0; i < n; i++) {
		below += weight[order[i]];
		if (below >= whole / 2)
			return value[order[i]];
	}
	return value[order[n - 1]];
}

void statistics_holm(double *p, size_t n, size_t *order)
{
	double most = 0;

	if (n == 0)
		return;
	statistics_order_make(order, n, p);
	for (size_t i = 0; i < n; i++) {
		double corrected = (double)(n - i) * p[order[i]];

		if (corrected > most)
			most = corrected;
		p[order[i]] = most > 1 ? 1 : most;
	}
}

void statistics_benjamini_hochberg(double *p, size_t n, size_t *order)
{
	double least = 1;

	if (n == 0)
		return;
	statistics_order_make(order, n, p);
	for (size_t i = n; i-- > 0;) {
		double corrected = (double)n / (double)(i + 1) * p[order[i]];

		if (corrected < least)
			least = corrected;
		p[order[i]] = least;
	}
}
