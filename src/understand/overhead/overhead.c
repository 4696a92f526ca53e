/* overhead.c - the steps: where samples are, what of the time was the kernel's, what the hooks cost. */
#include "understand/overhead/overhead.h"

#include <math.h>
#include <stdlib.h>

#include "understand/overhead/steps.h"

/* The hooks' part of the times of call stacks: that of the samples that were found in hooks. */
static void stacks_divide(struct overhead *o)
{
	const struct profile *p = o->profile;

	for (size_t i = 0; i < p->npcs; i++) {
		const struct profile_context *c = &p->contexts[p->pcs[i].context];

		if (!overhead_is_hook(o->spots[i].place) || c->ticks == 0)
			continue;
		o->hooks[p->pcs[i].context] += (int64_t)((__int128)c->time * (__int128)p->pcs[i].count / (__int128)c->ticks);
		o->cost.samples += p->pcs[i].count;
	}
	for (uint32_t i = 0; i < p->ncontexts; i++)
		o->cost.total += (uint64_t)o->hooks[i];
	o->cost.divided = o->cost.samples > 0;
}

/* Of call stacks that were sampled, and of other people's files, each sample is of the routine that it stands at: its time is what was measured, but in hooks.
 * Of times without a number of samples, which are other people's, it is not known how far they can be trusted. */
static bool stacks_take(struct overhead *o, struct symbols *symbols)
{
	const struct profile *p = o->profile;
	double tick = profile_tick(p);

	if (tick > 0)
		o->evidence = calloc((size_t)p->ncontexts + 1, sizeof *o->evidence);
	if ((tick > 0 && !o->evidence) || !place_samples(o, symbols))
		return false;
	stacks_divide(o);
	for (uint32_t i = 0; o->evidence && i < p->ncontexts; i++) {
		double time = (double)overhead_charged(o, i), raw = (double)p->contexts[i].time;

		o->evidence[i] = (struct overhead_evidence){ time, raw > 0 ? time / raw * profile_variance(p, i) : 0 };
	}
	return true;
}

/* Is a part of the times the hooks'?  What is no time has none, and samples of call stacks neither. */
static bool has_hooks(const struct profile *p)
{
	return profile_counts_calls(p) && !profile_is_imported(p) && !profile_value_is_beside(p) && (p->nruns == 0 || p->runs[0].header.clock != AMON_CLOCK_COUNT);
}

struct overhead *overhead_make(const struct profile *p, struct symbols *symbols, struct error *err)
{
	struct overhead *o = calloc(1, sizeof *o);

	if (o) {
		o->profile = p;
		o->hooks = calloc((size_t)p->ncontexts + 1, sizeof *o->hooks);
		o->kernel = calloc((size_t)p->nroutines + 1, sizeof *o->kernel);
	}
	if (o && o->hooks && o->kernel && (has_hooks(p) ? place_samples(o, symbols) && hooks_settle(o) : stacks_take(o, symbols)))
		return o;
	overhead_free(o);
	error_no_memory(err, NULL);
	return NULL;
}

void overhead_free(struct overhead *o)
{
	if (!o)
		return;
	free(o->spots);
	free(o->hooks);
	free(o->evidence);
	free(o->kernel);
	free(o);
}

bool overhead_take_mean(struct overhead *o, struct profile *p, uint32_t n)
{
	if (!profile_take_mean(p, n))
		return false;
	for (uint32_t i = 0; n > 1 && i < p->ncontexts; i++) {
		o->hooks[i] = llround((double)o->hooks[i] / n);
		if (o->evidence) {
			o->evidence[i].measured /= n;
			o->evidence[i].variance /= (double)n * n;
		}
	}
	for (uint32_t r = 0; n > 1 && r <= p->nroutines; r++)
		o->kernel[r] /= n;
	o->cost.total /= n > 1 ? n : 1;
	return true;
}

uint64_t overhead_charged(const struct overhead *o, uint32_t context)
{
	uint64_t time = o->profile->contexts[context].time;
	int64_t hooks = o->hooks[context];

	if (hooks < 0)
		return time + (uint64_t)-hooks;
	return time > (uint64_t)hooks ? time - (uint64_t)hooks : 0;
}

struct overhead_evidence overhead_evidence(const struct overhead *o, uint32_t context, bool raw)
{
	double time = (double)o->profile->contexts[context].time;

	if (!o->evidence)
		return (struct overhead_evidence){ 0, 0 };
	return raw ? (struct overhead_evidence){ time, profile_variance(o->profile, context) } : o->evidence[context];
}

double overhead_unsure(const struct profile *p)
{
	double whole = (double)p->time + (double)p->monitor + (double)p->unplaced, unsure = (double)p->unplaced, runs = p->mean_of ? p->mean_of : 1;

	for (uint32_t i = 0; i < p->nruns; i++)
		unsure += (double)p->runs[i].header.unsure / runs;
	return whole > 0 ? fmin(unsure / whole, 1) : 0;
}

void overhead_widen(double unsure, double *lo, double *hi)
{
	*lo = (1 - unsure) * *lo;
	*hi = (1 - unsure) * *hi + unsure;
}

int64_t overhead_of_share(const struct overhead *o, const struct profile_share *s)
{
	const struct profile_context *c = o->profile->contexts + s->context;

	if (c->time)
		return (int64_t)((__int128)o->hooks[s->context] * (__int128)s->time / (__int128)c->time);
	return c->entries ? (int64_t)((__int128)o->hooks[s->context] * (__int128)s->entries / (__int128)c->entries) : 0;
}
