/* draw.c - how a routine's own time is divided among its contexts, and what is known of that.
 *
 * The routine's own time is known from all of its samples (hook_cost.c, strata.c); a context has few of them.  Two things tell its part:
 *
 *     clock     what samples its time is worth, of all sources (read/profile/times.h), less what its hooks cost: one of a routine whose hooks took nine tenths of them
 *               says little
 *     code      those of them that are program counters in its own code and in code without hooks, where every run took them.  They may not see the kernel: of a
 *               routine that had a part k of its time there, their parts may be off by k, whatever their number
 *
 * Each has the weight of so many samples (the inverse of its variance; of C program counters C / (1 + C k^2)); the better one counts.  They
 * are N, and MEASURED parts q.  Few samples say little: so they are drawn to the parts p of the calls, as if DRAWN samples more had been seen
 * that fit these,
 *
 *     part = (N * q + K * p) / (N + K),    K = DRAWN
 *
 * the mean of a Dirichlet distribution after multinomial counts.  It adds up, so that it does not matter how contexts are put together: the
 * parts of the callers are drawn in the same way.  But calls differ, which is what a profile is to show: where the samples contradict the calls
 * beyond chance (Pearson's statistic is over its mean and three standard deviations, as they are for cells with few samples, too), K falls as that
 * grows.
 *
 * Where a routine has more than MANY contexts, those of one caller share what they have together as the samples say, if there are any: else each of
 * a million contexts would have a nanosecond of time, for no reason but its calls.
 *
 * What a part may be off by is known from its samples alone, since nobody knows how near the calls are to the truth: so what was measured is kept
 * beside, with its variance. */
#include <math.h>
#include <stdlib.h>

#include "base/pair_table.h"
#include "understand/overhead/steps.h"

#define DRAWN 10		/* samples that the calls weigh, at most */
#define MANY 100		/* contexts of a routine */
#define BEYOND_CHANCE 3		/* standard deviations */
#define UNSURE 0.2		/* standard deviation of the hooks' cost in a part of a routine's contexts, of that cost */

/* A routine. */
struct division {
	double calls;		/* that entered its contexts, those that are taken to have entered too */
	double contexts;	/* with calls */
	double time, ticks;	/* of its contexts, by clock: ns, samples */
	double left, cost;	/* of that time, without hooks; of the hooks, ns */
	double odd;		/* of that cost, what would be elsewhere if the contexts' costs were as their times are, ns */
	double codes;		/* program counters in its own code, and in code without hooks */
	double samples;		/* that what is known weighs */
	bool by_code;		/* it is known by those */
	double least;		/* sum of 1 / p */
	double distance;	/* sum of q^2 / p */
	double drawn;		/* K */
};

struct work {
	struct overhead *o;
	const struct profile *p;
	const struct draw_given *given;
	struct division *of;	/* routines, and one more: of the root */
	double *codes;		/* by context: program counters that tell */
};

static struct division *division_of(const struct work *w, uint32_t context)
{
	return w->of + group_of(w->p, context);
}

/* The calls that entered a context; one that has samples was entered, even if nobody counted that. */
static double calls_of(const struct work *w, uint32_t context)
{
	const struct profile_context *c = w->p->contexts + context;
	double calls = (double)c->entries + (double)c->recursive;

	return calls > 0 || (c->time == 0 && w->codes[context] == 0) ? calls : 1;
}

static void count_codes(struct work *w)
{
	for (size_t i = 0; w->given->by_code && i < w->p->npcs; i++) {
		enum overhead_place place = w->o->spots[i].place;

		if (place == OVERHEAD_OWN || place == OVERHEAD_PLAIN || place == OVERHEAD_NOWHERE)
			w->codes[w->p->pcs[i].context] += (double)w->p->pcs[i].count;
	}
}

static void add_contexts(struct work *w)
{
	for (uint32_t i = 0; i < w->p->ncontexts; i++) {
		const struct profile_context *c = w->p->contexts + i;
		struct division *d = division_of(w, i);
		double calls = calls_of(w, i);

		d->calls += calls;
		d->contexts += calls > 0;
		d->time += (double)c->time;
		d->ticks += (double)c->ticks;
		d->left += w->given->left[i];
		d->cost += w->given->cost[i];
		d->codes += w->codes[i];
	}
	for (uint32_t i = 0; i < w->p->ncontexts; i++) {
		struct division *d = division_of(w, i);

		if (d->left > 0)
			d->odd += fabs(w->given->cost[i] - d->cost * w->given->left[i] / d->left) / 2;
	}
}

/* How many samples each routine's are worth without the hooks, or those of them that are of code, if these say more. */
static void weigh(struct work *w)
{
	for (uint32_t r = 0; r <= w->p->nroutines; r++) {
		struct division *d = w->of + r;
		double tick = d->ticks > 0 ? fmax(w->given->tick, d->time / d->ticks) : w->given->tick;
		double variance = tick * d->time + UNSURE * d->odd * UNSURE * d->odd;

		double unseen = d->time > 0 ? fmin(w->o->kernel[r] / d->time, 1) : 0, codes = d->codes / (1 + d->codes * unseen * unseen);

		d->samples = variance > 0 ? d->left * d->left / variance : 0;
		d->by_code = codes > d->samples;
		d->samples = fmax(d->samples, codes);
	}
}

/* What was measured of CONTEXT's part of its routine's time; nothing measured: that of the calls. */
static double measured(const struct work *w, uint32_t context)
{
	const struct division *d = division_of(w, context);

	if (d->by_code)
		return w->codes[context] / d->codes;
	if (d->samples > 0)
		return w->given->left[context] / d->left;
	return d->calls > 0 ? calls_of(w, context) / d->calls : 0;
}

/* How far each routine's parts are drawn to its calls. */
static void settle_drawn(struct work *w)
{
	for (uint32_t i = 0; i < w->p->ncontexts; i++) {
		struct division *d = division_of(w, i);
		double calls = calls_of(w, i), part = measured(w, i);

		if (calls > 0) {
			d->least += d->calls / calls;
			d->distance += part * part * d->calls / calls;
		}
	}
	for (uint32_t r = 0; r <= w->p->nroutines; r++) {
		struct division *d = w->of + r;
		double n = d->samples, k = d->contexts;
		double more = n > 0 ? fmax((d->least - k * k - 2 * k + 2) / n, 0) : 0;
		double chance = k - 1 + BEYOND_CHANCE * sqrt(fmax(2 * (k - 1) + more, 0)), found = n * (d->distance - 1);

		d->drawn = found > chance ? DRAWN * chance / found : DRAWN;
	}
}

/* What one sample stands for in the evidence of D's time SELF, ns: no less than one does in the mean, no more than SELF, where what is left of its contexts' time is
 * less than one. */
static double sample_of(const struct work *w, const struct division *d, double self)
{
	double most = fmax(self, w->given->tick);

	return d->samples > 0 ? fmax(fmin(self / d->samples, most), w->given->tick) : w->given->tick;
}

static void divide(struct work *w, struct overhead_evidence *evidence)
{
	for (uint32_t i = 0; i < w->p->ncontexts; i++) {
		const struct division *d = division_of(w, i);
		double self = w->given->self[group_of(w->p, i)], n = d->samples, part = measured(w, i);
		double calls = d->calls > 0 ? calls_of(w, i) / d->calls : 0;

		evidence[i].measured = self * part;
		evidence[i].variance = evidence[i].measured * sample_of(w, d, self);
		w->given->left[i] = self * (n * part + d->drawn * calls) / (n + d->drawn);
	}
}

/* The contexts of one routine that one caller enters. */
struct caller {
	double left, measured;	/* sums of theirs, ns */
};

/* By context, its caller in *PAIRS, which is malloc'ed; NULL: out of memory. */
static uint32_t *callers_find(const struct work *w, struct caller **callers)
{
	struct pair_table table = { 0 };
	uint32_t *caller_of = calloc((size_t)w->p->ncontexts + 1, sizeof *caller_of), n = 0;
	bool ok = caller_of != NULL;

	for (uint32_t i = 1; ok && i < w->p->ncontexts; i++) {
		uint32_t *slot = pair_table_at(&table, group_of(w->p, w->p->contexts[i].parent), group_of(w->p, i));

		ok = slot != NULL;
		if (ok && *slot == 0)
			*slot = ++n;
		if (ok)
			caller_of[i] = *slot;
	}
	pair_table_free(&table);
	*callers = ok ? calloc((size_t)n + 1, sizeof **callers) : NULL;
	if (!*callers) {
		free(caller_of);
		return NULL;
	}
	return caller_of;
}

/* Of a routine of many contexts those of one caller have what they have together as the samples say, where there are any. */
static bool settle_callers(struct work *w, const struct overhead_evidence *evidence)
{
	struct caller *callers;
	uint32_t *caller_of = callers_find(w, &callers);

	for (uint32_t i = 0; caller_of && i < w->p->ncontexts; i++) {
		callers[caller_of[i]].left += w->given->left[i];
		callers[caller_of[i]].measured += evidence[i].measured;
	}
	for (uint32_t i = 0; caller_of && i < w->p->ncontexts; i++) {
		const struct caller *caller = callers + caller_of[i];

		if (caller->measured > 0 && division_of(w, i)->contexts > MANY)
			w->given->left[i] = caller->left * evidence[i].measured / caller->measured;
	}
	free(callers);
	free(caller_of);
	return caller_of != NULL;
}

bool contexts_draw(struct overhead *o, const struct draw_given *given)
{
	const struct profile *p = o->profile;
	struct work w = { .o = o, .p = p, .given = given, .of = calloc((size_t)p->nroutines + 1, sizeof *w.of),
		.codes = calloc((size_t)p->ncontexts + 1, sizeof *w.codes) };
	bool ok;

	o->evidence = calloc((size_t)p->ncontexts + 1, sizeof *o->evidence);
	ok = w.of && w.codes && o->evidence;
	if (ok) {
		count_codes(&w);
		add_contexts(&w);
		weigh(&w);
		settle_drawn(&w);
		divide(&w, o->evidence);
		ok = settle_callers(&w, o->evidence);
	}
	free(w.of);
	free(w.codes);
	return ok;
}
