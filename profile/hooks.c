/* hooks.c - what the hooks cost, by context.
 *
 * A routine's hooks run half in its caller's context: all of the entry before it changes the context is charged to the caller. So of
 * each call
 *
 *     (1 + OVERLAP) * cost     is charged to the caller: what its processor waits for the hooks
 *         - OVERLAP * cost     is missing from the routine called: of its own work some is done while the processor waits, and charged to the caller
 *
 * with the cost from the calibration (Spivey subtracts a constant, too).  A processor that works on many instructions at once makes the
 * cost vary from call to call, by the caches, by what stands around the hook.  So where program counters were sampled, those in the
 * code of hooks tell more: how many samples a routine's calls had in hooks, against how many were expected of its calls.  Few samples say
 * little: both the cost of all and the ratio of a routine are drawn to what is expected, as if EXPECTED samples more had been
 * seen that fit (the mean of a gamma distribution after Poisson counts).
 *
 * What is to be subtracted from a context may be more than its time, which is known from samples too: a context with three ticks in truth
 * has often none.  The rest is then taken from the other contexts of the routine, in proportion; what they do not have,
 * from all.  So the sum is right, no time is negative, and no routine pays for the chance of another. */
#include <math.h>
#include <stdlib.h>

#include "private.h"
#include "profile.h"

#define OVERLAP 0.4		/* doc/accuracy.md: programs differ, from 0.3 to 0.5 */
#define MOST_LOST 1.35		/* samples due by those that came, at most */

enum {
	EXPECTED_ALL = 20,	/* samples in hooks that the calibration weighs */
	EXPECTED_ROUTINE = 5,	/* samples that the mean of all routines weighs in one */
	PC_PERIODS = 4,		/* ticks between two samples of the program counter */
};

/* A context while its hooks are estimated. */
struct estimate {
	double outside;		/* cost of the entries of its callees, ns */
	double inside;		/* cost in itself, ns; negative: time of its own that stands in its callers */
	double left;		/* of its time, when both are subtracted, ns */
};

/* A routine. */
struct group {
	double expected;	/* sum of the outside cost of its contexts in runs with program counters, by calibration, ns */
	double ratio;		/* by how much the cost is to be multiplied */
	uint64_t samples;	/* in hooks, in its contexts */
	double left;		/* sum of its contexts' */
	double lack;		/* what could not be subtracted where it belongs, ns */
	double factor;		/* of what is left */
};

struct work {
	struct profile *p;
	struct estimate *of;	/* contexts */
	struct group *groups;	/* routines, and one more: of the root */
	double nsec;		/* that a sample of the program counter stands for; 0: there are none */
};

static bool samples_code(const struct amon_header *h)
{
	return h->pc_source != AMON_SOURCE_NONE && h->rate > 0;
}

static uint32_t group_of(const struct profile *p, uint32_t context)
{
	uint32_t routine = p->contexts[context].routine;

	return routine < p->nroutines ? routine : p->nroutines;
}

/* With a sampled clock and way inline or fentry or cyg the calibration cannot tell what is charged where; else it does. */
static void expect(struct work *w, const struct profile_share *s)
{
	const struct amon_header *h = &w->p->runs[w->p->threads[s->thread].run].header;
	double cost = (double)h->hook_picoseconds / 1000, in = (double)h->hook_inside / 1000;
	double calls = (double)s->entries + (double)s->recursive, out = (double)s->calls_out;
	struct estimate *e = w->of + s->context;

	if (h->way == 1u << AMON_WAY_INLINE && h->clock != AMON_CLOCK_TSC)
		in = -OVERLAP * cost;
	e->outside += out * fmax(cost - in, 0);
	e->inside += calls * in;
	if (samples_code(h))
		w->groups[group_of(w->p, s->context)].expected += out * fmax(cost - in, 0);
}

int64_t hooks_calibrated(const struct profile *p, const struct profile_share *s)
{
	const struct amon_header *h = &p->runs[p->threads[s->thread].run].header;
	uint64_t inside = h->hook_inside;
	uint64_t outside = h->hook_picoseconds > inside ? h->hook_picoseconds - inside : 0;
	/* 64 x 64 bits each, and a sum of two: below 2^130 only if both are absurd. */
	unsigned __int128 in = ((unsigned __int128)s->entries + s->recursive) * (inside < UINT64_MAX / 4 ? inside : UINT64_MAX / 4);
	unsigned __int128 out = (unsigned __int128)s->calls_out * (outside < UINT64_MAX / 4 ? outside : UINT64_MAX / 4);
	unsigned __int128 nsec = (in + out + 500) / 1000;

	return nsec > INT64_MAX / 2 ? INT64_MAX / 2 : (int64_t)nsec;
}

uint64_t profile_charged(const struct profile_context *c)
{
	if (c->hooks < 0)
		return c->time + (uint64_t)-c->hooks;
	return c->time > (uint64_t)c->hooks ? c->time - (uint64_t)c->hooks : 0;
}

int64_t profile_hooks(const struct profile *p, const struct profile_share *s)
{
	const struct profile_context *c = p->contexts + s->context;

	return c->time ? (int64_t)((__int128)c->hooks * (__int128)s->time / (__int128)c->time) : 0;
}

/* ---- program counters ---- */

static void samples_add(struct work *w, const bool *in_hooks)
{
	struct profile_hook_cost *cost = &w->p->hook_cost;

	for (size_t i = 0; i < w->p->npcs; i++) {
		if (!in_hooks[i])
			continue;
		w->groups[group_of(w->p, w->p->pcs[i].context)].samples += w->p->pcs[i].count;
		cost->samples += w->p->pcs[i].count;
	}
}

/* The cost of a call by samples, over that by the calibration. */
static double ratio_of_all(const struct work *w, double expected)
{
	return ((double)w->p->hook_cost.samples + EXPECTED_ALL) / (expected / w->nsec + EXPECTED_ALL);
}

static void ratios_settle(struct work *w)
{
	double expected = 0, sum = 0, all;

	for (uint32_t r = 0; r <= w->p->nroutines; r++)
		expected += w->groups[r].expected;
	if (expected <= 0)
		return;
	all = ratio_of_all(w, expected);
	for (uint32_t r = 0; r <= w->p->nroutines; r++) {
		struct group *g = w->groups + r;

		g->ratio = ((double)g->samples + EXPECTED_ROUTINE) / (all * g->expected / w->nsec + EXPECTED_ROUTINE);
		sum += g->ratio * g->expected;
	}
	for (uint32_t r = 0; r <= w->p->nroutines; r++)
		w->groups[r].ratio *= all * expected / sum;
}

/* How many nanoseconds one sample of the program counter stands for; 0: there are none. By the clock of perf it is the period; some
 * samples are lost, but none is taken in the kernel, and nobody tells how much of each: so it is made longer, up to MOST_LOST. */
static double sample_length(const struct profile *p)
{
	uint64_t samples = 0;
	uint32_t rate = 0;
	double period;

	for (uint32_t i = 0; i < p->nruns; i++)
		if (samples_code(&p->runs[i].header))
			rate = rate ? (rate + p->runs[i].header.rate) / 2 : p->runs[i].header.rate;
	for (size_t i = 0; i < p->npcs; i++)
		samples += p->pcs[i].count;
	if (!rate || !samples)
		return 0;
	period = 1e9 * PC_PERIODS / rate;
	return fmin(fmax((double)p->time / (double)samples, period), MOST_LOST * period);
}

/* ---- from costs to times ---- */

static void subtract(struct work *w)
{
	for (uint32_t i = 0; i < w->p->ncontexts; i++) {
		struct estimate *e = w->of + i;
		struct group *g = w->groups + group_of(w->p, i);
		double time = (double)w->p->contexts[i].time, cost = e->outside * g->ratio + e->inside;

		e->left = time > 0 ? fmax(time - cost, 0) : 0;
		g->left += e->left;
		g->lack += cost - (time - e->left);
	}
}

/* What each routine could not pay, or was not given, its contexts share; the rest is everybody's. Returns the factor for all. */
static double lacks_settle(struct work *w)
{
	double lack = 0, left = 0;

	for (uint32_t r = 0; r <= w->p->nroutines; r++) {
		struct group *g = w->groups + r;
		double more = g->left > 0 ? fmax(g->left - g->lack, 0) : 0;

		g->factor = g->left > 0 ? more / g->left : 0;
		lack += g->lack - (g->left - more);
		left += more;
	}
	return left > 0 ? fmax(1 - lack / left, 0) : 0;
}

static void costs_store(struct work *w, double factor)
{
	struct profile *p = w->p;
	double calls = 0, cost = 0;

	for (uint32_t i = 0; i < p->ncontexts; i++) {
		struct group *g = w->groups + group_of(p, i);
		double left = w->of[i].left * g->factor * factor;

		p->contexts[i].hooks = (int64_t)p->contexts[i].time - llround(left);
		cost += w->of[i].outside * g->ratio + w->of[i].inside;
		calls += (double)p->contexts[i].calls_out;
	}
	p->hook_cost.total = cost > 0 ? (uint64_t)fmin(cost, 0x1p63) : 0;
	p->hook_cost.picoseconds = calls > 0 && cost > 0 ? (uint64_t)fmin(1000 * cost / calls, 0x1p63) : 0;
}

bool profile_settle_hooks(struct profile *p, const bool *in_hooks, struct error *err)
{
	struct work w = { .p = p, .of = calloc((size_t)p->ncontexts + 1, sizeof *w.of),
		.groups = calloc((size_t)p->nroutines + 1, sizeof *w.groups) };
	bool ok = w.of && w.groups;

	p->hook_cost = (struct profile_hook_cost){ 0 };
	for (uint32_t r = 0; ok && r <= p->nroutines; r++)
		w.groups[r].ratio = 1;
	for (size_t i = 0; ok && i < p->nshares; i++)
		expect(&w, p->shares + i);
	w.nsec = in_hooks ? sample_length(p) : 0;
	if (ok && w.nsec > 0) {
		samples_add(&w, in_hooks);
		ratios_settle(&w);
	}
	if (ok) {
		subtract(&w);
		costs_store(&w, lacks_settle(&w));
	}
	free(w.of);
	free(w.groups);
	return ok || error_set(err, ERROR_MEMORY, ERROR_NO_OFFSET, "out of memory");
}
