/* statistics.h - the distributions and corrections that comparisons need; pure functions on numbers.
 *
 * GSL has the distributions, but is under the GPL, and aprof is not; they are one function, the incomplete beta function, and
 * libm's lgamma.  doc/concepts.md says what is done with them and why. */
#ifndef STATISTICS_H
#define STATISTICS_H

#include <stddef.h>

/* The regularised incomplete beta function I_x(a, b), for a, b > 0 and 0 <= x <= 1 (DLMF 8.17). */
double statistics_beta(double x, double a, double b);

/* The chance that Student's t with DF degrees of freedom (INFINITY: the normal distribution) is above T. */
double statistics_t_above(double t, double df);

/* The T with the chance P, 0 < P < 1, to be above it. */
double statistics_t_quantile(double p, double df);

/* The chance that of N trials, each a success with chance P, K or more succeed. */
double statistics_binomial_above(double k, double n, double p);

/* The second derivative of log gamma, for X > 0; and the X where it is Y > 0. */
double statistics_trigamma(double x);
double statistics_trigamma_inverse(double y);

/* The median of chi-squared with DF degrees of freedom over DF, by Wilson and Hilferty's approximation. */
double statistics_chi_median(double df);

/* The value among VALUE[0..N), N > 0, at which half of the WEIGHT lies below.  Sorts ORDER, room for N indices. */
double statistics_weighted_median(const double *value, const double *weight, size_t n, size_t *order);

/* Replace the chances P[0..N) of N tests by ones that hold for all of them together: Holm's, by which a chance of P or less is that of
 * any false alarm among them; and Benjamini and Hochberg's, by which P is the expected share of false ones among those shown.  ORDER has room for
 * N indices. */
void statistics_holm(double *p, size_t n, size_t *order);
void statistics_benjamini_hochberg(double *p, size_t n, size_t *order);

#endif
