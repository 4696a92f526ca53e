/* kernel.c - a routine's time less what its program counters stand for.
 *
 *   time of a sample  = user time of all / samples of all
 *   the kernel's time = time of the routine - its samples * the time of one
 *
 * Both counts are chance: what is less than twice its standard deviation is taken for none.  Nothing is said where program
 * counters are lacking for another reason. */
#include "report/kernel.h"

#include <math.h>
#include <stdlib.h>

enum {
	FEWEST = 20,		/* program counters from which anything is told */
	SHORT = 20000000,	/* CPU time of a process that the monitor may not have come round to, ns */
};

#define MOST_LENGTH 1.25	/* time of a sample by the period it should have; more: some were lost, and nobody knows whose */
#define DEVIATIONS 2.0		/* by which the time must exceed the samples */

/* A routine's counts. */
struct count {
	double time;		/* raw, ns */
	double left;		/* as the graph has it, ns */
	double ticks;		/* samples of the clock */
	double samples;		/* program counters */
};

/* Have all of H's program counters come from user mode, and is none of them lacking?  Of a short process there may be none. */
static bool is_told_by(const struct amon_header *h)
{
	return h->clock == AMON_CLOCK_TICK && h->rate > 0 &&
	       (h->pc_source == AMON_SOURCE_PERF || h->cpu_user + h->cpu_system < SHORT) &&
	       !profile_lacks_pcs(h);
}

/* What one program counter stands for, ns; 0: not known. */
static double sample_length(const struct profile *p)
{
	double samples = 0, user = (1 - profile_kernel_part(p)) * (double)(p->time + p->monitor + p->unplaced);

	for (uint32_t i = 0; i < p->nruns; i++)
		if (!is_told_by(&p->runs[i].header))
			return 0;
	for (size_t i = 0; i < p->npcs; i++)
		samples += (double)p->pcs[i].count;
	return profile_kernel_part(p) >= 0 && samples >= FEWEST && user / samples <= MOST_LENGTH * profile_pc_period(p) ? user / samples : 0;
}

static uint32_t routine_of(const struct graph *g, uint32_t context)
{
	uint32_t routine = g->profile->contexts[context].routine;

	return routine == PROFILE_NONE ? GRAPH_NONE : g->routine_of[routine];
}

static void counts_find(struct count *counts, const struct graph *g)
{
	const struct profile *p = g->profile;

	for (uint32_t i = 0; i < p->ncontexts; i++) {
		const struct profile_context *c = p->contexts + i;
		struct count *count = counts + routine_of(g, i);

		if (routine_of(g, i) == GRAPH_NONE)
			continue;
		count->time += (double)c->time;
		count->left += (double)graph_time(g, i);
		count->ticks += (double)c->ticks;
	}
	for (size_t i = 0; i < p->npcs; i++)
		if (routine_of(g, p->pcs[i].context) != GRAPH_NONE)
			counts[routine_of(g, p->pcs[i].context)].samples += (double)p->pcs[i].count;
}

/* The kernel's share of what is LEFT to a routine with counts C, where a program counter stands for LENGTH ns. */
static double share_of(const struct count *c, double length)
{
	double tick = c->ticks > 0 ? c->time / c->ticks : 0, kernel = c->time - c->samples * length;
	double deviation = sqrt(tick * tick * c->ticks + length * length * (c->samples + 1));

	return c->left > 0 && kernel > DEVIATIONS * deviation ? fmin(kernel / c->left, 1) : 0;
}

bool kernel_make(struct kernel *k, const struct report_input *in, struct error *err)
{
	const struct graph *g = in->graph;
	struct count *counts = calloc((size_t)g->nroutines + 1, sizeof *counts);
	double length = sample_length(g->profile);

	*k = (struct kernel){ .share = calloc((size_t)g->nroutines + 1, sizeof *k->share), .known = length > 0 };
	if (!counts || !k->share) {
		free(counts);
		kernel_free(k);
		return error_set(err, ERROR_MEMORY, ERROR_NO_OFFSET, "out of memory");
	}
	if (k->known)
		counts_find(counts, g);
	for (uint32_t i = 0; k->known && i < g->nroutines; i++)
		k->share[i] = share_of(counts + i, length);
	free(counts);
	return true;
}

void kernel_free(struct kernel *k)
{
	free(k->share);
	*k = (struct kernel){ 0 };
}
