/* hook_cost.c - what the hooks cost, by context.
 *
 * A routine's hooks run half in its caller's context: all of the entry before it changes the context is charged to the caller. Of
 * each call by way inline
 *
 *     ENTRY * cost      is charged to the caller: while the processor waits for the entry's loads
 *     EXIT * cost       to the routine called
 *     HIDDEN * cost     is missing from the routine called: of its own work as much is done during that wait, and so charged to
 *                       the caller: for a routine that has much to do. One that shows little time of its own may be hidden
 *                       wholly, and cannot have more hidden than it has: it gets less, and the others more
 *     EDGE * cost       likewise: its instructions that stand before the end of the entry, or behind the exit
 *
 * and ENTRY + EXIT - HIDDEN = 1, with the cost from the calibration (Spivey subtracts a constant, too).  A processor that works on
 * many instructions at once makes the cost vary from call to call, by the caches, by what stands around the hook.  So where program
 * counters were sampled, those in the code of hooks tell more: how many samples there were at entries, at exits and at edges, and how
 * many in each routine's contexts, against how many were expected of its calls.  Few samples say little: all of these are drawn to
 * what is expected, as if some samples more had been seen that fit (the mean of a gamma distribution after Poisson counts).
 * Where every run has them, by clock tick, they also tell how much time of its own each routine has (strata.c), and what follows here only what
 * its contexts have without their hooks.  How these share the routine's time is then drawn to their calls (draw.c).
 *
 * What is to be subtracted from a context may be more than its time, which is known from samples too: a context with three ticks in truth
 * has often none.  The rest is then taken from the other contexts of the routine, in proportion.  What comes of the whole routine is
 * as uncertain as the cost, which differs from place to place, but no time is negative: so it is taken for the mean of a normal
 * distribution of that width without its part below 0, which leaves something to a routine that its hooks would seem to have used
 * up.  What is left over then, or lacks, is everybody's.  So the sum is right, and no routine pays for the chance of another. */
#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "understand/overhead/steps.h"

#define HIDDEN 0.4		/* doc/design.md: programs differ, from 0.3 to 0.5; with program counters strata.c knows better */
#define EXIT 0.15		/* likewise, from 0.05 to 0.3 */
#define ENTRY (1 + HIDDEN - EXIT)
#define EDGE 0.25
#define UNSURE 0.5		/* standard deviation of the cost of one routine's hooks, of that cost */
#define LEAST 0.01		/* of its time that a context keeps while its routine settles */
#define MOST_LOST 1.35		/* samples due by those that came, at most */

enum {
	EXPECTED_ALL = 20,	/* samples in hooks that the calibration weighs */
	EXPECTED_ROUTINE = 20,	/* samples that the mean of all routines weighs in one */
};

/* A context while its hooks are estimated. */
struct estimate {
	double outside;		/* cost of the entries of its callees, ns */
	double inside;		/* cost of its own exits, ns */
	double hidden;		/* time of its own that stands in its callers, hidden behind hooks, ns */
	double edges;		/* time of its callees, at their edges, less its own in its callers, ns */
	double left;		/* of its time, when both are subtracted, ns */
};

/* A routine. */
struct group {
	double outside, inside;	/* sums of its contexts' in runs with program counters, by calibration, ns */
	double callees;		/* likewise, time of its callees at their edges, ns */
	double ratio;		/* by how much the cost is to be multiplied */
	uint64_t samples;	/* in hooks, in its contexts */
	double hidden;		/* sum of its contexts', ns */
	double seen;		/* time of its own that its contexts have, ns; below 0: less than their hooks cost */
	double share;		/* by how much what is hidden of it is to be multiplied */
	double time, left;	/* sums of its contexts' */
	double unsure;		/* standard deviation of what its hooks cost, by calibration, ns; of sampled clocks */
	double lack;		/* what could not be subtracted where it belongs, ns */
	double factor;		/* of what is left */
};

struct work {
	struct overhead *o;	/* what is filled */
	const struct profile *p;
	struct estimate *of;	/* contexts */
	struct group *groups;	/* routines, and one more: of the root */
	double nsec;		/* that a sample of the program counter stands for; 0: there are none */
	bool by_samples;	/* program counters tell the routines' times */
	double entries, exits, edges; /* by how much their calibrated costs are to be multiplied in all routines */
};

static bool samples_code(const struct amon_header *h)
{
	return h->pc_source != AMON_SOURCE_NONE && h->rate > 0;
}

static void expect(struct work *w, const struct profile_share *s)
{
	const struct amon_header *h = &w->p->runs[w->p->threads[s->thread].run].header;
	bool overlaps = h->way == 1u << AMON_WAY_INLINE && h->clock != AMON_CLOCK_TSC;
	double cost = (double)h->hook_picoseconds / 1000, in = overlaps ? EXIT * cost : (double)h->hook_inside / 1000;
	double out = overlaps ? ENTRY * cost : fmax(cost - in, 0), calls = (double)s->entries + (double)s->recursive;
	struct estimate *e = w->of + s->context;
	struct group *g = w->groups + group_of(w->p, s->context);

	e->outside += (double)s->calls_out * out;
	e->inside += calls * in;
	e->hidden += overlaps ? calls * HIDDEN * cost : 0;
	e->edges += overlaps ? ((double)s->calls_out - calls) * EDGE * cost : 0;
	if (h->clock != AMON_CLOCK_TSC)
		g->unsure += UNSURE * ((double)s->calls_out * out + calls * in);
	if (samples_code(h)) {
		g->outside += (double)s->calls_out * out;
		g->inside += calls * in;
		g->callees += overlaps ? (double)s->calls_out * EDGE * cost : 0;
	}
}

/* ---- program counters ---- */

/* SAMPLES by what was expected of so many ns. */
static double ratio(const struct work *w, uint64_t samples, double nsec, double weight)
{
	return ((double)samples + weight) / (nsec / w->nsec + weight);
}

/* Add the samples up, by routine; and the ratios of all entries and exits. */
static void samples_add(struct work *w)
{
	const struct overhead_spot *spots = w->o->spots;
	uint64_t samples[OVERHEAD_PLACES] = { 0 };
	double outside = 0, inside = 0, callees = 0;

	for (size_t i = 0; i < w->p->npcs; i++) {
		samples[spots[i].place] += w->p->pcs[i].count;
		if (overhead_is_hook(spots[i].place))
			w->groups[group_of(w->p, w->p->pcs[i].context)].samples += w->p->pcs[i].count;
	}
	for (uint32_t r = 0; r <= w->p->nroutines; r++) {
		outside += w->groups[r].outside;
		inside += w->groups[r].inside;
		callees += w->groups[r].callees;
	}
	w->entries = ratio(w, samples[OVERHEAD_HOOK_OF_CALLEE], outside, EXPECTED_ALL);
	w->exits = ratio(w, samples[OVERHEAD_OWN_HOOK], inside, EXPECTED_ALL);
	w->edges = ratio(w, samples[OVERHEAD_EDGE], callees, EXPECTED_ALL);
	w->o->cost.samples = samples[OVERHEAD_HOOK_OF_CALLEE] + samples[OVERHEAD_OWN_HOOK];
}

/* The ratios of the routines; what they make of all hooks together is left as it was. */
static void ratios_settle(struct work *w)
{
	double before = 0, after = 0;

	for (uint32_t r = 0; r <= w->p->nroutines; r++) {
		struct group *g = w->groups + r;
		double expected = w->entries * g->outside + w->exits * g->inside;

		g->ratio = ratio(w, g->samples, expected, EXPECTED_ROUTINE);
		before += expected;
		after += expected * g->ratio;
	}
	for (uint32_t r = 0; after > 0 && r <= w->p->nroutines; r++)
		w->groups[r].ratio *= before / after;
}

/* How many nanoseconds one sample of the program counter stands for; 0: there are none. By the clock of perf it is the period; but none is taken
 * in the kernel, and samples may be lost: where they are fewer than the time in user mode asks for, they are taken to be, up to MOST_LOST. */
static double sample_length(const struct profile *p)
{
	uint64_t samples = 0;
	double period = profile_pc_period(p);

	for (size_t i = 0; i < p->npcs; i++)
		samples += p->pcs[i].count;
	if (period <= 0 || !samples)
		return 0;
	return fmin(fmax((double)p->time / (double)samples * (1 - kernel_part(p)), period), MOST_LOST * period);
}

/* ---- from costs to times ---- */

/* What hooks and edges add to the time of a context. */
static double added_to(const struct work *w, uint32_t context)
{
	const struct estimate *e = w->of + context;

	return (w->entries * e->outside + w->exits * e->inside) * w->groups[group_of(w->p, context)].ratio + w->edges * e->edges;
}

/* The same, less what is hidden elsewhere. */
static double cost_of(const struct work *w, uint32_t context)
{
	return added_to(w, context) - w->of[context].hidden * w->groups[group_of(w->p, context)].share;
}

/* Who has how much hidden: a call that shows as much time as its hooks cost has half of what one has that shows much; all together what they
 * had. */
static void shares_settle(struct work *w)
{
	double before = 0, after = 0;

	for (uint32_t i = 0; i < w->p->ncontexts; i++) {
		struct group *g = w->groups + group_of(w->p, i);

		g->seen += (double)w->p->contexts[i].time - added_to(w, i);
		g->hidden += w->of[i].hidden;
	}
	for (uint32_t r = 0; r <= w->p->nroutines; r++) {
		struct group *g = w->groups + r;
		double seen = fmax(g->seen, 0);

		g->share = seen > 0 ? seen / (seen + g->hidden / HIDDEN) : 0;
		before += g->hidden;
		after += g->hidden * g->share;
	}
	for (uint32_t r = 0; after > 0 && r <= w->p->nroutines; r++)
		w->groups[r].share *= before / after;
}

static void subtract(struct work *w)
{
	for (uint32_t i = 0; i < w->p->ncontexts; i++) {
		struct estimate *e = w->of + i;
		struct group *g = w->groups + group_of(w->p, i);
		double time = (double)w->p->contexts[i].time, cost = cost_of(w, i);

		e->left = time > 0 ? fmax(time - cost, time * LEAST) : 0;
		assert(e->left >= 0);
		g->time += time;
		g->left += e->left;
		g->lack += cost - (time - e->left);
	}
}

/* What is left to a routine that has time, ns. */
static double left_to(const struct work *w, const struct group *g)
{
	double left = g->left - g->lack;

	return fmax(left, fmin(mean_above_zero(left, g->unsure * w->entries * g->ratio), g->time));
}

/* What each routine could not pay, or was not given, its contexts share; the rest is everybody's. */
static void lacks_settle(struct work *w)
{
	double lack = 0, left = 0, all;

	for (uint32_t r = 0; r <= w->p->nroutines; r++) {
		struct group *g = w->groups + r;
		double more = g->left > 0 ? left_to(w, g) : 0;

		g->factor = g->left > 0 ? more / g->left : 0;
		lack += g->lack - (g->left - more);
		left += more;
	}
	all = left > 0 ? fmax(1 - lack / left, 0) : 0;
	for (uint32_t r = 0; r <= w->p->nroutines; r++)
		w->groups[r].factor *= all;
}

/* Every run sampled program counters, and its times are of the processor, as these are: a routine that sleeps has none. */
static bool all_sample_code(const struct profile *p)
{
	for (uint32_t i = 0; i < p->nruns; i++)
		if (!samples_code(&p->runs[i].header) || p->runs[i].header.clock != AMON_CLOCK_TICK)
			return false;
	return p->nruns > 0;
}

/* Whether the times are of samples of a clock. */
static bool are_samples(const struct profile *p)
{
	if (profile_tick(p) <= 0)
		return false;
	for (uint32_t i = 0; i < p->ncontexts; i++)
		if (p->contexts[i].ticks > 0)
			return true;
	return false;
}

/* What a call costs in the mean, by calibration and by the samples in all routines. */
static struct strata_given mean_cost(const struct work *w)
{
	struct strata_given cost = { .sample = w->nsec, .unsure = UNSURE };
	double calls_in = 0, calls_out = 0;

	for (uint32_t i = 0; i < w->p->ncontexts; i++) {
		calls_in += (double)w->p->contexts[i].entries + (double)w->p->contexts[i].recursive;
		calls_out += (double)w->p->contexts[i].calls_out;
	}
	for (uint32_t r = 0; r <= w->p->nroutines && calls_in > 0 && calls_out > 0; r++) {
		cost.entry += w->entries * w->groups[r].outside / calls_out;
		cost.edge += w->edges * w->groups[r].callees / calls_out;
		cost.exit += w->exits * w->groups[r].inside / calls_in;
	}
	cost.hides = cost.edge > 0;
	return cost;
}

/* Each routine's own time into SELF: by samples of program counters, else what is left of its contexts'.  False: out of memory. */
static bool selves_settle(struct work *w, const struct strata_given *given, double *self)
{
	if (w->by_samples)
		return strata_settle(w->o, given, self);
	lacks_settle(w);
	for (uint32_t r = 0; r <= w->p->nroutines; r++)
		self[r] = w->groups[r].left * w->groups[r].factor;
	return true;
}

/* Of times that are no samples: what each of the routine's contexts has of its own time SELF. */
static void selves_share(struct work *w, const double *self)
{
	for (uint32_t i = 0; i < w->p->ncontexts; i++) {
		const struct group *g = w->groups + group_of(w->p, i);

		w->of[i].left = g->left > 0 ? w->of[i].left / g->left * self[group_of(w->p, i)] : 0;
	}
}

/* The same of samples, which may be too few for that (draw.c).  False: out of memory. */
static bool selves_draw(struct work *w, const double *self)
{
	double *left = calloc((size_t)w->p->ncontexts + 1, sizeof *left), *cost = calloc((size_t)w->p->ncontexts + 1, sizeof *cost);
	struct draw_given draw = { .left = left, .cost = cost, .self = self, .tick = profile_tick(w->p), .by_code = w->by_samples };
	bool ok = left && cost;

	for (uint32_t i = 0; ok && i < w->p->ncontexts; i++) {
		left[i] = w->of[i].left;
		cost[i] = cost_of(w, i);
	}
	ok = ok && contexts_draw(w->o, &draw);
	for (uint32_t i = 0; ok && i < w->p->ncontexts; i++)
		w->of[i].left = left[i];
	free(left);
	free(cost);
	return ok;
}

/* What is left to each context, ns.  False: out of memory. */
static bool contexts_settle(struct work *w)
{
	double *self = calloc((size_t)w->p->nroutines + 1, sizeof *self);
	struct strata_given given = mean_cost(w);
	bool ok = self && selves_settle(w, &given, self);

	if (ok && are_samples(w->p))
		ok = selves_draw(w, self);
	else if (ok)
		selves_share(w, self);
	free(self);
	return ok;
}

/* TIME less LEFT; 0 where a file has times that are beyond all reason. */
static int64_t difference(uint64_t time, double left)
{
	return time < UINT64_C(1) << 62 && left < 0x1p62 ? (int64_t)time - llround(left) : 0;
}

/* The mean cost of a call as the processes calibrated it, ns. */
static double calibrated(const struct profile *p)
{
	double calls = 0, cost = 0;

	for (uint32_t i = 0; i < p->nruns; i++) {
		calls += (double)p->runs[i].calls;
		cost += (double)p->runs[i].calls * (double)p->runs[i].header.hook_picoseconds / 1000;
	}
	return calls > 0 ? cost / calls : 0;
}

/* By how much contexts change is by chance alone where that is in all less than one sample stands for, or none fell into hooks: their cost is then what
 * was calibrated. */
static void costs_store(struct work *w)
{
	struct overhead *o = w->o;
	double calls = 0, cost = 0, over = 0;	/* what rounding left over, so that it never adds up */

	for (uint32_t i = 0; i < w->p->ncontexts; i++) {
		double left = w->of[i].left + (w->of[i].left > 0 ? over : 0);

		o->hooks[i] = difference(w->p->contexts[i].time, left);
		over = w->of[i].left > 0 ? left - round(left) : over;
		cost += w->by_samples ? (double)o->hooks[i] : cost_of(w, i);
		calls += (double)w->p->contexts[i].calls_out;
	}
	if (cost < w->nsec)
		o->cost.samples = 0;
	if (!o->cost.samples)
		cost = calibrated(w->p) * calls;
	o->cost.total = cost > 0 ? (uint64_t)fmin(cost, 0x1p63) : 0;
	o->cost.picoseconds = calls > 0 && cost > 0 ? (uint64_t)fmin(1000 * cost / calls, 0x1p63) : 0;
	o->cost.divided = w->by_samples;
}

bool hooks_settle(struct overhead *o)
{
	const struct profile *p = o->profile;
	struct work w = { .o = o, .p = p, .entries = 1, .exits = 1, .edges = 1, .of = calloc((size_t)p->ncontexts + 1, sizeof *w.of),
		.groups = calloc((size_t)p->nroutines + 1, sizeof *w.groups) };
	bool ok = w.of && w.groups;

	for (uint32_t r = 0; ok && r <= p->nroutines; r++)
		w.groups[r].ratio = 1;
	for (size_t i = 0; ok && i < p->nshares; i++)
		expect(&w, p->shares + i);
	w.nsec = o->spots ? sample_length(p) : 0;
	w.by_samples = w.nsec > 0 && all_sample_code(p);
	ok = ok && kernel_estimate(o, w.nsec);
	if (ok && w.nsec > 0) {
		samples_add(&w);
		ratios_settle(&w);
	}
	if (ok) {
		shares_settle(&w);
		subtract(&w);
		ok = contexts_settle(&w);
	}
	if (ok)
		costs_store(&w);
	free(w.of);
	free(w.groups);
	return ok;
}
