/* errors.c - by how much a share may be off.
 *
 * A part has been measured as A ns of B, and the rest as C = B - A, which know nothing of each other.  What one sample of the part stands for is V(A)
 * / A, the variance of A by its amount: with samples of weights w the sum of w^2 by the sum of w; and of the rest V(C) / C.  If the true share were
 * p, then A (1 - p) - C p, which is nothing on average, would have the variance
 *
 *     p (1 - p) B ((1 - p) V(A) / A + p V(C) / C)
 *
 * and p is believed if that makes what was measured no wonder: |q - p| B, q = A / B, is at most 1.96 of its deviations, as it is in 95 of 100 cases.
 * Where all samples are alike that is Wilson's interval (1927) for N = B / (V / time) of them, which has the true share also where samples are few
 * and where the share is near 0 or 1; where they are not, N depends on p, and is that of the bound.  So one sample that has nearly all of the time
 * says little.  The share that is printed was drawn to the calls (understand/overhead/draw.c), and may be anywhere in that interval or beside: its
 * error is the distance to the farther end.
 *
 * Where it is not known of a part of the run where it was spent the interval is wider (overhead_widen). */
#include <math.h>

#include "understand/graph/graph.h"

#define DEVIATIONS 1.96		/* of a normal distribution, for 95 of 100 */
#define FINE 1e-9		/* of a bound */

enum { STEPS = 100 };		/* to a bound, at most */

/* What one sample stands for in E, ns; OTHERWISE where nothing was measured. */
static double errors_sample_of(double measured, double variance, double otherwise)
{
	return measured > 0 && variance > 0 ? variance / measured : otherwise;
}

/* A part of a whole, as it was measured. */
struct measured_share {
	double q;			/* the share */
	double whole;			/* time, ns */
	double in, out;			/* what a sample of the part, and one of the rest, stands for, ns */
};

static struct measured_share share_measured(double q, const struct overhead_evidence *part, const struct overhead_evidence *whole)
{
	double all = errors_sample_of(whole->measured, whole->variance, 0);

	return (struct measured_share){ q, whole->measured, errors_sample_of(part->measured, part->variance, all),
		errors_sample_of(whole->measured - part->measured, whole->variance - part->variance, all) };
}

/* Wilson's bound of the share Q of N samples: SIDE -1 the lower one, 1 the upper one. */
static double wilson(double q, double n, int side)
{
	double z = DEVIATIONS, middle = (n * q + z * z / 2) / (n + z * z), half = z * sqrt(n * q * (1 - q) + z * z / 4) / (n + z * z);

	return fmin(fmax(middle + side * half, 0), 1);
}

/* The bound of S that is believed of so many samples as it makes of them itself. */
static double bound_of(const struct measured_share *s, int side)
{
	double p = s->q;

	for (int i = 0; i < STEPS; i++) {
		double each = (1 - p) * s->in + p * s->out, before = p;

		p = wilson(s->q, each > 0 ? s->whole / each : 0, side);
		if (fabs(p - before) < FINE)
			break;
	}
	return p;
}

double graph_error(const struct graph *g, uint64_t part, const struct overhead_evidence *of_part, uint64_t whole,
		   const struct overhead_evidence *of_whole)
{
	double share = whole ? fmin((double)part / (double)whole, 1) : 0, lo, hi;
	struct measured_share s;

	if (!g->sampled)
		return -1;
	s = share_measured(of_whole->measured > 0 ? fmin(of_part->measured / of_whole->measured, 1) : share, of_part, of_whole);
	lo = bound_of(&s, -1);
	hi = bound_of(&s, 1);
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
