/* normal.c - what is uncertain and cannot be negative. */
#include <math.h>

#include "understand/overhead/steps.h"

/* The mean of a normal distribution of such a MEAN and standard deviation SIGMA, without its part below 0. */
double mean_above_zero(double mean, double sigma)
{
	double z = sigma > 0 ? mean / sigma : 0;

	if (z > 6 || sigma <= 0)
		return fmax(mean, 0);
	if (z < -6)
		return -sigma / z;		/* which it tends to */
	return mean + sigma * exp(-z * z / 2) / sqrt(2 * M_PI) / (erfc(-z * M_SQRT1_2) / 2);
}
