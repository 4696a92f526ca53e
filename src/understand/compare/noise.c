/* noise.c - moderated variances. */
#include "understand/compare/noise.h"

#include <math.h>
#include <stdlib.h>

#include "understand/compare/statistics.h"

enum { CROWD = 8 };		/* fewer quantities than these teach nothing */

static double mean(const double *x, size_t n)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += x[i];
	return n ? sum / (double)n : 0;
}

/* Add the squares of the N times X over their mean; returns the degrees of freedom gained. */
static double spread(const double *x, size_t n, double *squares)
{
	double average = mean(x, n);

	if (average <= 0)
		return 0;
	for (size_t i = 0; i < n; i++)
		*squares += (x[i] / average - 1) * (x[i] / average - 1);
	return (double)n - 1;
}

/* The sum over N times of how many samples of equal weight would vary as much. */
static double samples_behind(const double *time, const double *variance, size_t n)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += variance[i] > 0 ? time[i] * time[i] / variance[i] : 0;
	return sum;
}

/* The same of the N differences between BASE and FRESH over their means. */
static double paired_spread(const double *base, const double *fresh, size_t n, double *squares)
{
	double before = mean(base, n), after = mean(fresh, n);

	if (before <= 0 || after <= 0 || n < 2)
		return 0;
	for (size_t i = 0; i < n; i++) {
		double difference = fresh[i] / after - base[i] / before;

		*squares += difference * difference / 2;
	}
	return (double)n - 1;
}

struct sides sides_make(const double *time, const double *variance, size_t n, size_t nb, bool paired)
{
	struct sides s = { .nb = (double)nb, .nn = (double)(n - nb) };
	double squares = 0, average;

	s.base = mean(time, nb);
	s.fresh = mean(time + nb, n - nb);
	s.df = paired ? paired_spread(time, time + nb, nb, &squares) : 0;
	if (s.df == 0) {	/* or a side has nothing of it */
		squares = 0;
		s.df = spread(time, nb, &squares) + spread(time + nb, n - nb, &squares);
	}
	s.variance = s.df > 0 ? squares / s.df : 0;
	s.base_samples = samples_behind(time, variance, nb);
	s.fresh_samples = samples_behind(time + nb, variance + nb, n - nb);
	average = (s.base * s.nb + s.fresh * s.nn) / (double)n;
	s.sampling = average > 0 ? mean(variance, n) / (average * average) : 0;
	return s;
}

/* The common variance by which the middle quantity, counted by its weight in time, varies as much as it should. */
static double common_find(const struct sides *sides, size_t n, double *ratio, double *weight, size_t *order)
{
	double low = 0, high = 1;

	for (int step = 0; step < 60; step++) {
		double common = step ? (low + high) / 2 : 0;

		for (size_t i = 0; i < n; i++) {
			double expected = sides[i].sampling + common;

			weight[i] = sides[i].base + sides[i].fresh;
			ratio[i] = expected > 0 ? sides[i].variance / expected : sides[i].variance > 0 ? INFINITY : 1;
		}
		if (statistics_weighted_median(ratio, weight, n, order) > statistics_chi_median(sides[0].df))
			low = common;
		else if (step == 0)
			return 0;
		else
			high = common;
	}
	return high;
}

/* Smyth's estimate: if all had the same variance, the logarithms of the measured ones would vary by trigamma(df / 2); what
 * they vary more is the crowd's own variety. */
static double crowd_df(const struct sides *sides, size_t n, double common)
{
	double sum = 0, squares = 0, variance;
	size_t used = 0;

	for (size_t i = 0; i < n; i++) {
		double expected = sides[i].sampling + common, e;

		if (sides[i].variance <= 0 || expected <= 0)
			continue;
		e = log(sides[i].variance / expected);
		sum += e;
		squares += e * e;
		used++;
	}
	if (used < CROWD)
		return 0;
	variance = (squares - sum * sum / (double)used) / (double)(used - 1) - statistics_trigamma(sides[0].df / 2);
	return variance <= 1e-6 ? INFINITY : 2 * statistics_trigamma_inverse(variance);
}

bool noise_learn(struct noise *noise, const struct sides *all, size_t n)
{
	struct sides *sides = calloc(n + 1, sizeof *sides);
	double *ratio = calloc(n + 1, sizeof *ratio), *weight = calloc(n + 1, sizeof *weight), most = 0;
	size_t *order = calloc(n + 1, sizeof *order), used = 0;
	bool ok = sides && ratio && weight && order;

	*noise = (struct noise){ 0 };
	for (size_t i = 0; i < n; i++)
		most = fmax(most, all[i].df);
	for (size_t i = 0; ok && i < n; i++)		/* the crowd: those that both sides have */
		if (all[i].df == most && most > 0)
			sides[used++] = all[i];
	if (ok && used >= CROWD) {
		noise->common = common_find(sides, used, ratio, weight, order);
		noise->df = crowd_df(sides, used, noise->common);
	}
	free(sides);
	free(ratio);
	free(weight);
	free(order);
	return ok;
}

/* The relative variance of one run of S, and what it is worth.  Never below that of sampling. */
static double noise_variance_of(const struct noise *noise, const struct sides *s, double *df)
{
	double expected = s->sampling + noise->common, variance;

	*df = s->df + noise->df;
	if (s->df == 0) {
		*df = s->sampling > 0 ? INFINITY : 0;
		return s->sampling;
	}
	if (isinf(noise->df))
		variance = expected;
	else
		variance = (noise->df * expected + s->df * s->variance) / *df;
	return fmax(variance, s->sampling);
}

/* Few samples are not normal: of all of them, given their number, those of the new side are binomial (Przyborowski and Wilenski, 1940). */
static void exact_few(struct change *c, const struct sides *s)
{
	double base = round(s->base_samples), fresh = round(s->fresh_samples), all = base + fresh, share = s->nn / (s->nb + s->nn);

	if (s->sampling == 0 || all >= 50)
		return;
	c->above = fmax(c->above, statistics_binomial_above(fresh, all, share));
	c->below = fmax(c->below, statistics_binomial_above(base, all, 1 - share));
}

struct change noise_judge(const struct noise *noise, const struct sides *s)
{
	struct change c = { .change = s->fresh - s->base, .error = NAN, .above = NAN, .below = NAN };
	double average = (s->base * s->nb + s->fresh * s->nn) / (s->nb + s->nn);
	double variance = noise_variance_of(noise, s, &c.df), t;

	if (c.df == 0 || average <= 0)
		return c;
	c.error = average * sqrt(variance * (1 / s->nb + 1 / s->nn));
	t = c.error > 0 ? c.change / c.error : c.change > 0 ? 1e6 : c.change < 0 ? -1e6 : 0;
	c.above = statistics_t_above(t, c.df);
	c.below = statistics_t_above(-t, c.df);
	exact_few(&c, s);
	return c;
}

double noise_smallest(const struct noise *noise, double sampling, double df, double nb, double nn, double level, double power)
{
	struct sides s = { .sampling = sampling, .variance = sampling + noise->common, .df = df, .nb = nb, .nn = nn };
	double all, variance = noise_variance_of(noise, &s, &all);

	if (all == 0)
		return NAN;
	return (statistics_t_quantile(level, all) + statistics_t_quantile(1 - power, all)) * sqrt(variance * (1 / nb + 1 / nn));
}
