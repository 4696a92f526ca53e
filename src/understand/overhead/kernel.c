/* kernel.c - how much of a routine's time passed in the kernel.
 *
 * The clock sees user and system time, the program counters of perf user mode alone.  So where a routine has more time than its program
 * counters stand for, the rest was the kernel's: of system calls that it made, and of faults for pages that it touched.
 *
 *   what seems to be the kernel's = time of the routine - its program counters * what one stands for
 *
 * Both counts are chance: what is less than CHANCE standard deviations is taken for none.  All together have no more than the kernel's part of the CPU time, by
 * its own count; those come first that are SURE.  So of a program that is seldom in the kernel others have little, and of one that often is they have theirs. */
#include <math.h>
#include <stdlib.h>

#include "understand/overhead/steps.h"

#define UNKNOWN 0.05		/* the kernel's part of the CPU time, where it is not known */
#define MOST_LENGTH 1.35	/* time of a sample by the period that it should have; more: some were lost, and nobody knows whose */

enum {
	FEWEST = 20,		/* program counters from which anything is told */
	SHORT = 20000000,	/* CPU time of a process that the monitor may not have come round to, ns */
	CHANCE = 2,		/* standard deviations that may be chance, */
	SURE = 3,		/* and that are hardly */
};

double kernel_part(const struct profile *p)
{
	double part = profile_kernel_part(p);

	return part < 0 ? UNKNOWN : part;
}

/* Have all of H's program counters come from user mode, and is none of them lacking?  Of a short process there may be none. */
static bool is_told_by(const struct amon_header *h)
{
	return h->clock == AMON_CLOCK_TICK && h->rate > 0 &&
	       (h->pc_source == AMON_SOURCE_PERF || h->cpu_user + h->cpu_system < SHORT) &&
	       !profile_lacks_pcs(h);
}

/* Whether what has no program counter can be nothing but the kernel's. */
static bool is_known(const struct profile *p)
{
	double samples = 0, user = (1 - profile_kernel_part(p)) * (double)(p->time + p->monitor + p->unplaced);

	for (uint32_t i = 0; i < p->nruns; i++)
		if (!is_told_by(&p->runs[i].header))
			return false;
	for (size_t i = 0; i < p->npcs; i++)
		samples += (double)p->pcs[i].count;
	return profile_kernel_part(p) >= 0 && samples >= FEWEST && user <= MOST_LENGTH * profile_pc_period(p) * samples;
}

/* By routine, and behind them the root. */
struct count {
	double time, user;	/* of its contexts; what of it has program counters, ns */
};

static void counts_add(struct count *counts, const struct profile *p, double sample)
{
	for (uint32_t i = 0; i < p->ncontexts; i++)
		counts[group_of(p, i)].time += (double)p->contexts[i].time;
	for (size_t i = 0; i < p->npcs; i++)
		counts[group_of(p, p->pcs[i].context)].user += sample * (double)p->pcs[i].count;
}

/* By how many standard deviations C has more time than program counters, where a sample of the one stands for TICK ns, of the other for SAMPLE. */
static double sureness(const struct count *c, double tick, double sample)
{
	return (c->time - c->user) / sqrt(tick * c->time + sample * (c->user + sample));
}

/* Put into KERNEL what of COUNTS, N of them, seems to be the kernel's, of those that are surer than ABOVE and no surer than MOST; LEFT ns at most.  Returns
 * what is left then. */
static double give(double *kernel, const struct count *counts, size_t n, const double *sure, double above, double most, double left)
{
	double sum = 0, part;

	for (size_t r = 0; r < n; r++)
		if (sure[r] > above && sure[r] <= most)
			sum += counts[r].time - counts[r].user;
	part = sum > left ? left / sum : 1;
	for (size_t r = 0; r < n; r++)
		if (sure[r] > above && sure[r] <= most)
			kernel[r] = part * (counts[r].time - counts[r].user);
	return left - part * sum;
}

bool kernel_estimate(struct overhead *o, double sample)
{
	const struct profile *p = o->profile;
	size_t n = (size_t)p->nroutines + 1;
	struct count *counts = calloc(n, sizeof *counts);
	double *sure = calloc(n, sizeof *sure), tick = profile_tick(p), part = kernel_part(p), left = 0;
	bool done = counts && sure;

	o->kernel_known = done && sample > 0 && is_known(p);
	if (done && sample > 0) {
		counts_add(counts, p, sample);
		for (size_t r = 0; r < n; r++) {
			sure[r] = sureness(counts + r, tick, sample);
			left += part * counts[r].time;
		}
		left = give(o->kernel, counts, n, sure, SURE, INFINITY, left);
		give(o->kernel, counts, n, sure, CHANCE, SURE, left);
	}
	free(counts);
	free(sure);
	return done;
}
