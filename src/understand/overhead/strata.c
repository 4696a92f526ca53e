/* strata.c - the routines' own times, by samples of program counters within the times of their contexts.
 *
 * The time of a routine's contexts is known from samples of the clock and of program counters; what of it are its own instructions, what
 * the hooks that stand there, from the program counters that were found there.  So each routine's time is divided as these are (a
 * stratified sample), and nothing is subtracted that could become negative:
 *
 *     kernel    no program counter is sampled there: its own time (kernel.c)
 *     own       its own code, and that of libraries and the like that it called: its own time
 *     exits     the hooks among its own code that run in its contexts: nobody's time
 *     entries   the entry hooks of the routines that it calls, before the context changes: nobody's, but see below
 *     edges     those routines' own code before the end of their entry hooks, or behind their exit hooks: their time
 *
 * Few samples say little: all are drawn to what is expected of the calls, as if DRAWN samples more had been seen that fit; and what an
 * entry of a routine is expected to cost is drawn, in the same way, from what its entry hooks were found to take in all contexts to the
 * mean of all routines.
 *
 * While an entry hook waits for its loads the processor goes on with the routine's own work, which is then done when the hook is: a part of
 * the wait is the routine's own time.  The more work there is, the more of it: of a routine that has as much to do as its hooks wait, a
 * part in 1 + FILLS; of one that has as much as one likes, nearly all.  Its work is what it shows, and what no call is without and may show
 * nothing of.
 *
 * A routine that makes calls has its context to keep over them, in a register that it must save or on the stack, and works a little longer
 * for that: CARRIED, nobody's time. */
#include <math.h>
#include <stdlib.h>

#include "understand/overhead/steps.h"

#define LEAST_WORK 1.0		/* of a call, in parts of what the entry hook of the mean routine takes; bench/records/accuracy.md */
#define CARRIED 0.2		/* of a call whose routine makes calls, to keep its context over these: likewise */
#define CARRIED_MOST 0.5	/* of its own time */

enum {
	FILLS = 3,		/* times as long as its hooks wait a routine works to have half of the wait as its own */
	DRAWN = 10,		/* samples that the expectation weighs in a routine's contexts */
	DRAWN_ROUTINE = 20,	/* samples that the mean of all routines weighs in one's entries, or edges */
};

struct stratum {
	double time;		/* of its contexts, ns */
	double kernel;		/* of it in the kernel, ns */
	double calls, recursive; /* direct recursive ones apart */
	double calls_out;	/* that it makes, those with them */
	double own, exits, unknown, samples; /* of its contexts: in its own code, in its own hooks, in hooks of nobody knows whom, all */
	double entered, edged;	/* samples in its entry hook, and at its edges, in the contexts of its callers */
	double entry, edge;	/* what a call of it is expected to add there, ns */
	double entries;		/* expected of all its callees' entries, ns */
	double own_due, due;	/* expected of its own code; of everything, ns */
	double scale;		/* ns of its time in user mode that a sample stands for */
	double self, waited;	/* what is found: its own time; how long its entry hooks took, ns */
};

struct work {
	const struct overhead *o;
	const struct profile *p;
	const struct strata_given *given;
	struct stratum *of;	/* routines, and one more: of the root */
	uint64_t *straight;	/* calls that entered a context from its parent */
};

static struct stratum *stratum_of(const struct work *w, uint32_t context)
{
	return w->of + group_of(w->p, context);
}

/* Do WHAT with all arcs: the routines that call and are called, and how often. */
static void each_arc(struct work *w, void (*what)(const struct work *, struct stratum *from, struct stratum *to, double calls))
{
	for (uint32_t i = 1; i < w->p->ncontexts; i++)
		if (w->straight[i])
			what(w, stratum_of(w, w->p->contexts[i].parent), stratum_of(w, i), (double)w->straight[i]);
	for (size_t i = 0; i < w->p->ndetours; i++)
		what(w, stratum_of(w, w->p->detours[i].from), stratum_of(w, w->p->detours[i].to), (double)w->p->detours[i].calls);
}

static void add_contexts(struct work *w)
{
	for (uint32_t i = 0; i < w->p->ncontexts; i++) {
		const struct profile_context *c = w->p->contexts + i;
		struct stratum *s = stratum_of(w, i);

		s->time += (double)c->time;
		s->calls += (double)c->entries;
		s->recursive += (double)c->recursive;
		s->calls_out += (double)c->calls_out;
		w->straight[i] = c->entries;
	}
	for (size_t i = 0; i < w->p->ndetours; i++) {
		uint64_t *n = w->straight + w->p->detours[i].to;

		*n -= w->p->detours[i].calls < *n ? w->p->detours[i].calls : *n;
	}
}

/* The routine called in whose code the program counter was; NULL: none, or not known which. */
static struct stratum *callee_at(const struct work *w, const struct overhead_spot *spot)
{
	bool known = (spot->place == OVERHEAD_HOOK_OF_CALLEE || spot->place == OVERHEAD_EDGE) && spot->routine < w->p->nroutines;

	return known ? w->of + spot->routine : NULL;
}

static void add_samples(struct work *w)
{
	const struct overhead_spot *spots = w->o->spots;

	for (size_t i = 0; i < w->p->npcs; i++) {
		struct stratum *s = stratum_of(w, w->p->pcs[i].context), *callee = callee_at(w, spots + i);
		double n = (double)w->p->pcs[i].count;

		s->samples += n;
		if (callee)
			*(spots[i].place == OVERHEAD_EDGE ? &callee->edged : &callee->entered) += n;
		else if (spots[i].place == OVERHEAD_HOOK_OF_CALLEE)
			s->unknown += n;
		else
			*(spots[i].place == OVERHEAD_OWN_HOOK ? &s->exits : &s->own) += n;
	}
}

static void add_kernel(struct work *w)
{
	for (uint32_t r = 0; r <= w->p->nroutines; r++)
		w->of[r].kernel = w->o->kernel[r];
}

/* ---- what is expected ---- */

static void expect_mean(const struct work *w, struct stratum *from, struct stratum *to, double calls)
{
	(void)to;
	from->entries += calls * w->given->entry;
}

static void spread_unknown(const struct work *w, struct stratum *from, struct stratum *to, double calls)
{
	if (from->entries > 0)
		to->entered += from->unknown * calls * w->given->entry / from->entries;
}

/* The MEAN cost, ns, as SAMPLES of so many calls make it. */
static double drawn(const struct work *w, double mean, double calls, double samples)
{
	return mean * (samples + DRAWN_ROUTINE) / (calls * mean / w->given->sample + DRAWN_ROUTINE);
}

static void expect_arc(const struct work *w, struct stratum *from, struct stratum *to, double calls)
{
	(void)w;
	from->entries += calls * to->entry;
	from->due += calls * (to->entry + to->edge);
}

static void expect(struct work *w)
{
	each_arc(w, expect_mean);
	each_arc(w, spread_unknown);
	for (uint32_t r = 0; r <= w->p->nroutines; r++) {
		struct stratum *s = w->of + r;

		s->entry = drawn(w, w->given->entry, s->calls, s->entered);
		s->edge = drawn(w, w->given->edge, s->calls, s->edged);
		s->due = (s->calls + s->recursive) * w->given->exit + s->recursive * s->entry;
		s->entries = 0;
	}
	each_arc(w, expect_arc);
	for (uint32_t r = 0; r <= w->p->nroutines; r++) {
		struct stratum *s = w->of + r;

		s->own_due = mean_above_zero(s->time - s->kernel - s->due, w->given->unsure * s->due);
		s->due += s->own_due;
		s->scale = (s->time - s->kernel) / (s->samples + DRAWN);
	}
}

/* ---- and what there is ---- */

/* As many ns of S's time as the expectation gives to what is expected to take NSEC. */
static double by_expectation(const struct stratum *s, double nsec)
{
	return s->due > 0 ? s->scale * DRAWN * nsec / s->due : 0;
}

static void divide_arc(const struct work *w, struct stratum *from, struct stratum *to, double calls)
{
	(void)w;
	to->waited += by_expectation(from, calls * to->entry);
	to->self += by_expectation(from, calls * to->edge);
	if (from->entries > 0)
		to->waited += from->scale * from->unknown * calls * to->entry / from->entries;
}

static void divide(struct work *w)
{
	const struct overhead_spot *spots = w->o->spots;

	each_arc(w, divide_arc);
	for (size_t i = 0; i < w->p->npcs; i++) {
		struct stratum *s = stratum_of(w, w->p->pcs[i].context), *callee = callee_at(w, spots + i);

		if (callee)
			*(spots[i].place == OVERHEAD_EDGE ? &callee->self : &callee->waited) += s->scale * (double)w->p->pcs[i].count;
	}
	for (uint32_t r = 0; r <= w->p->nroutines; r++) {
		struct stratum *s = w->of + r;
		double exits = (s->calls + s->recursive) * w->given->exit, entries = s->recursive * s->entry, hooks = exits + entries;

		s->self += s->kernel + s->scale * s->own + (s->due > 0 ? by_expectation(s, s->own_due) : s->scale * DRAWN);
		if (hooks > 0)		/* the entries of direct recursive calls stand among its own hooks */
			s->waited += (s->scale * s->exits + by_expectation(s, hooks)) * entries / hooks;
	}
}

/* What of its entry hooks' wait is S's own time, ns. */
static double hidden(const struct work *w, const struct stratum *s)
{
	double works = s->self + LEAST_WORK * w->given->entry * (s->calls + s->recursive);

	return w->given->hides && s->waited > 0 ? s->waited * works / (works + FILLS * s->waited) : 0;
}

/* What of its own time S takes to keep its context over the calls that it makes, ns. */
static double carried(const struct work *w, const struct stratum *s)
{
	double calls = fmin(s->calls_out, s->calls + s->recursive);

	return w->given->hides ? fmin(CARRIED * w->given->entry * calls, CARRIED_MOST * s->self) : 0;
}

bool strata_settle(const struct overhead *o, const struct strata_given *given, double *self)
{
	const struct profile *p = o->profile;
	struct work w = { .o = o, .p = p, .given = given, .of = calloc((size_t)p->nroutines + 1, sizeof *w.of),
		.straight = calloc((size_t)p->ncontexts + 1, sizeof *w.straight) };
	bool ok = w.of && w.straight;

	if (ok) {
		add_contexts(&w);
		add_samples(&w);
		add_kernel(&w);
		expect(&w);
		divide(&w);
	}
	for (uint32_t r = 0; ok && r <= p->nroutines; r++)
		self[r] = w.of[r].self + hidden(&w, w.of + r) - carried(&w, w.of + r);
	free(w.of);
	free(w.straight);
	return ok;
}
