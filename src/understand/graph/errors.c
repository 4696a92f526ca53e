/* errors.c - by how much a share may be off.
 *
 * A part has been measured as A ns of B, with variances V(A) and V(C) of it and of the rest C = B - A, which know nothing of each other.  So
 * the measured share q = A / B has the variance
 *
 *     ((1 - q)^2 V(A) + q^2 V(C)) / B^2 = q (1 - q) / N      N = B / ((1 - q) * V(A) / A + q * V(C) / C)
 *
 * as if it had been counted in N samples, each of which stands for V / time.  Of such counts Wilson's interval (1927) has the true share in 95 of 100
 * cases, also where samples are few and where the share is near 0 or 1.  The share that is printed was drawn to the calls (understand/overhead/draw.c), and may be
 * anywhere in that interval or beside: its error is the distance to the farther end.
 *
 * Where it is not known of a part of the run where it was spent the interval is wider (overhead_widen). */
#include <math.h>

#include "understand/graph/graph.h"

#define DEVIATIONS 1.96		/* of a normal distribution, for 95 of 100 */

/* What one sample stands for in E, ns; OTHERWISE where nothing was measured. */
static double errors_sample_of(double measured, double variance, double otherwise)
{
	return measured > 0 && variance > 0 ? variance / measured : otherwise;
}

/* In how many samples the share Q was counted. */
static double samples_of(double q, const struct overhead_evidence *part, const struct overhead_evidence *whole)
{
	double all = errors_sample_of(whole->measured, whole->variance, 0);
	double in = errors_sample_of(part->measured, part->variance, all);
	double out = errors_sample_of(whole->measured - part->measured, whole->variance - part->variance, all);
	double each = (1 - q) * in + q * out;

	return each > 0 ? whole->measured / each : 0;
}

double graph_error(const struct graph *g, uint64_t part, const struct overhead_evidence *of_part, uint64_t whole,
		   const struct overhead_evidence *of_whole)
{
	double z = DEVIATIONS, share = whole ? fmin((double)part / (double)whole, 1) : 0, q, n, middle, half, lo, hi;

	if (!g->sampled)
		return -1;
	q = of_whole->measured > 0 ? fmin(of_part->measured / of_whole->measured, 1) : share;
	n = samples_of(q, of_part, of_whole);
	middle = (n * q + z * z / 2) / (n + z * z);
	half = z * sqrt(n * q * (1 - q) + z * z / 4) / (n + z * z);
	lo = fmax(middle - half, 0);
	hi = fmin(middle + half, 1);
	overhead_widen(g->unsure, &lo, &hi);
	return fmax(fabs(share - lo), fabs(hi - share));
}

double graph_run_error(const struct graph *g, uint64_t time, const struct overhead_evidence *evidence)
{
	return graph_error(g, time, evidence, g->time + g->outside, &g->evidence);
}

double graph_samples_error(const struct graph *g, uint64_t k, uint64_t n)
{
	struct overhead_evidence part = { (double)k, (double)k }, whole = { (double)n, (double)n };

	return graph_error(g, k, &part, n, &whole);
}

double graph_total_error(const struct graph *g, const struct graph_routine *r)
{
	return g->options.model == GRAPH_GPROF ? -1 : graph_run_error(g, r->total, &r->total_evidence);
}

double graph_arc_error(const struct graph *g, const struct graph_arc *arc, bool callers)
{
	uint32_t index = callers ? arc->to : arc->from;
	const struct graph_routine *r = g->routines + index;

	if (g->options.model == GRAPH_GPROF || index == GRAPH_NONE)
		return -1;
	if (callers && r->nin == 1)
		return 0;
	if (callers)
		return graph_error(g, arc->self2 + arc->child2, &arc->evidence2, r->total, &r->total_evidence);
	return graph_error(g, arc->self1 + arc->child1, &arc->evidence1, r->total, &r->total_evidence);
}
