/* kernel.c - how much of a routine's time passed in the kernel.
 *
 * The clock sees user and system time, the program counters of perf user mode alone.  So where a routine has more time than its program
 * counters stand for, the rest was the kernel's: of system calls that it made, and of faults for pages that it touched.
 *
 *   what seems to be the kernel's = time of the routine - its program counters * what one stands for
 *
 * Both counts are chance: what is less than CHANCE standard deviations is taken for none.  All together have no more than the kernel's part of
 * the CPU time, by its own count. */
#include <math.h>
#include <stdlib.h>

#include "overhead/steps.h"

#define UNKNOWN 0.05		/* the kernel's part of the CPU time, where it is not known */
#define MOST_LENGTH 1.35	/* time of a sample by the period that it should have; more: some were lost, and nobody knows whose */

enum {
	FEWEST = 20,		/* program counters from which anything is told */
	SHORT = 20000000,	/* CPU time of a process that the monitor may not have come round to, ns */
	CHANCE = 2,		/* standard deviations that may be chance */
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

/* What of TIME was the kernel's, ns, if USER ns have program counters; TICK and SAMPLE: what one of either stands for. */
static double seems_kernel(double time, double user, double tick, double sample)
{
	double more = time - user, variance = tick * time + sample * (user + sample);

	return more > 0 && more * more > CHANCE * CHANCE * variance ? more : 0;
}

/* By routine, and behind them the root: its time, and what of it has program counters, ns. */
struct count {
	double time, user;
};

static void counts_add(struct count *counts, const struct profile *p, double sample)
{
	for (uint32_t i = 0; i < p->ncontexts; i++)
		counts[group_of(p, i)].time += (double)p->contexts[i].time;
	for (size_t i = 0; i < p->npcs; i++)
		counts[group_of(p, p->pcs[i].context)].user += sample * (double)p->pcs[i].count;
}

bool kernel_estimate(struct overhead *o, double sample)
{
	const struct profile *p = o->profile;
	struct count *counts = calloc((size_t)p->nroutines + 1, sizeof *counts);
	double tick = profile_tick(p), time = 0, kernel = 0;

	if (!counts)
		return false;
	o->kernel_known = sample > 0 && is_known(p);
	if (sample > 0)
		counts_add(counts, p, sample);
	for (uint32_t r = 0; sample > 0 && r <= p->nroutines; r++) {
		o->kernel[r] = seems_kernel(counts[r].time, counts[r].user, tick, sample);
		time += counts[r].time;
		kernel += o->kernel[r];
	}
	for (uint32_t r = 0; kernel > time * kernel_part(p) && r <= p->nroutines; r++)
		o->kernel[r] *= time * kernel_part(p) / kernel;
	free(counts);
	return true;
}
