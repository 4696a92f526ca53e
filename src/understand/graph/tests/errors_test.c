/* errors_test.c - the errors of shares against a truth that is known: a program whose times are drawn by lot, and sampled by lot.
 *
 * Main calls eight routines, each of which calls Save, the first a thousand times as often as the last, and Save calls Leaf; A calls Leaf, too. What a
 * call takes differs from context to context by a factor exp(N(0, spread^2)), or not at all. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "understand/graph/tests/made.h"
#include "understand/overhead/steps.h"

enum { CALLERS = 8, SEEDS = 400, TICK = 1000000, MOST_PCS = 200 };

static const char *const names[] = { "Main", "A", "B", "C", "D", "E", "F", "G", "H", "Save", "Leaf" };

/* How the program and its samples are. */
struct simulation {
	const char *what;
	double samples;		/* of the clock, in own code */
	double spread;		/* of what a call takes */
	double hooks;		/* time in hooks, of own time, on average */
	bool codes;		/* program counters are taken, half as many */
	double found;		/* part of the looks that find the program at work; the others' time the next one that does brings */
	double lo, hi;		/* of 100 claims so many must hold */
	double off;		/* what shares may be off by, of what they would be off by samples alone */
};

static const struct simulation simulations[] = {
	{ "few samples, calls differ", 40, 1, 0, false, 1, 95, 99.8, 0.9 },
	{ "few samples, calls are equal", 40, 0, 0, false, 1, 95, 100, 0.7 },
	{ "some samples, calls differ", 400, 1, 0, false, 1, 93, 99, 1 },
	{ "some samples, calls differ much", 400, 3, 0, false, 1, 93, 99, 1.05 },
	{ "many samples, calls differ", 4000, 1, 0, false, 1, 93, 98, 1 },
	{ "with code, few samples", 40, 1, 0, true, 1, 95, 99.8, 0.95 },
	{ "with code, some samples", 400, 1, 0, true, 1, 93, 99, 1 },
	{ "late samples", 2000, 1, 0, false, 0.2, 96.5, 99.8, 1.1 },
	{ "hooks are most of it", 400, 1, 3, false, 1, 93, 99, 1.2 },
	{ "hooks are most of it, with code", 400, 1, 3, true, 1, 93, 99.5, 1 },
};

/* 0 < x < 1. */
static double uniform(uint64_t *seed)
{
	return (random_below(seed, 1 << 30) + 0.5) / (1 << 30);
}

static double normal(uint64_t *seed)
{
	double r = sqrt(-2 * log(uniform(seed)));

	return r * cos(2 * acos(-1) * uniform(seed));
}

static uint64_t poisson(uint64_t *seed, double mean)
{
	double left = mean;
	uint64_t n = 0;

	if (mean > 50)
		return (uint64_t)fmax(0, round(mean + sqrt(mean) * normal(seed)));
	while ((left += log(uniform(seed))) > 0)
		n++;
	return n;
}

static uint32_t contexts_make(struct made *m)
{
	uint32_t main_context = made_call(m, 0, 0, 1);

	for (uint32_t i = 0; i < CALLERS; i++) {
		uint64_t calls = (uint64_t)llround(1e6 * pow(1000, -(double)i / (CALLERS - 1)));
		uint32_t caller = made_call(m, main_context, 1 + i, 1000), save = made_call(m, caller, 9, calls);

		made_call(m, save, 10, calls);
		if (i == 0)
			made_call(m, caller, 10, 100000);
	}
	return m->p.ncontexts;
}

/* The own time of each context, ns; SAMPLES ticks in all. */
static void truths_make(const struct made *m, const struct simulation *s, uint64_t *seed, double *truth)
{
	double sum = 0;

	for (uint32_t i = 1; i < m->p.ncontexts; i++) {
		truth[i] = (double)m->p.contexts[i].entries * exp(s->spread * normal(seed));
		sum += truth[i];
	}
	for (uint32_t i = 1; i < m->p.ncontexts; i++)
		truth[i] *= s->samples * TICK / sum;
}

/* Everything that understand/overhead/ reads of a run, and what it makes of it. */
struct run {
	struct profile_run run;
	struct profile_thread thread;
	struct profile_share *shares;
	struct profile_pc pcs[MOST_PCS];
	struct overhead_spot spots[MOST_PCS];
	struct overhead o;
};

static struct run *run_new(const struct made *m)
{
	struct run *r = calloc(1, sizeof *r);

	assert_non_null(r);
	r->shares = calloc(m->p.ncontexts, sizeof *r->shares);
	assert_non_null(r->shares);
	return r;
}

static void run_free(struct run *r)
{
	free(r->o.hooks);
	free(r->o.kernel);
	free(r->o.evidence);
	free(r->shares);
	free(r);
}

static void header_fill(struct amon_header *h, const struct simulation *s, double each)
{
	*h = (struct amon_header){ .clock = AMON_CLOCK_TICK, .source = AMON_SOURCE_SAMPLER, .rate = 1000, .way = 1 << AMON_WAY_CYG,
		.pc_source = s->codes ? AMON_SOURCE_PERF : AMON_SOURCE_NONE, .pc_period = s->codes ? 2 * TICK : 0,
		.hook_picoseconds = (uint64_t)(1000 * each), .hook_inside = (uint64_t)(1000 * each) };
}

static void pcs_add(struct made *m, struct run *r, uint32_t context, enum overhead_place place, uint64_t count)
{
	if (count == 0)
		return;
	r->spots[m->p.npcs] = (struct overhead_spot){ place, m->p.contexts[context].routine };
	r->pcs[m->p.npcs++] = (struct profile_pc){ .context = context, .address = place, .count = count };
}

/* What so many TICKS bring, where a part FOUND of the looks finds the program at work, ns. */
static uint64_t brought(uint64_t ticks, double found, uint64_t *seed)
{
	uint64_t looks = ticks;

	for (uint64_t i = 0; found < 1 && i < ticks; i++)
		while (uniform(seed) > found)
			looks++;
	return looks * TICK;
}

/* Times are of all samples together, as read/profile/times.h has it where all is user mode. */
static void pcs_count(struct made *m, struct run *r)
{
	double samples = 0, time = 0;

	for (size_t i = 0; i < m->p.npcs; i++)
		m->p.contexts[m->p.pcs[i].context].ticks += m->p.pcs[i].count;
	for (uint32_t i = 1; i < m->p.ncontexts; i++)
		samples += (double)m->p.contexts[i].ticks;
	for (uint32_t i = 1; i < m->p.ncontexts; i++) {
		r->shares[i].time = m->p.contexts[i].time = (uint64_t)((double)m->p.time * (double)m->p.contexts[i].ticks / samples);
		time += (double)r->shares[i].time;
	}
	m->p.time = (uint64_t)time;
}

/* Sample the run. All hooks are at exits, and cost a tenth more than was calibrated. */
static void sample(struct made *m, struct run *r, const struct simulation *s, const double *truth, uint64_t *seed)
{
	double calls = 0, each;

	for (uint32_t i = 1; i < m->p.ncontexts; i++)
		calls += (double)m->p.contexts[i].entries;
	each = s->hooks * s->samples * TICK / calls;
	header_fill(&r->run.header, s, each / 1.1);
	for (uint32_t i = 1; i < m->p.ncontexts; i++) {
		struct profile_context *c = m->p.contexts + i;
		double hooks = each * (double)c->entries;

		c->ticks = poisson(seed, s->found * (truth[i] + hooks) / TICK);
		c->time = brought(c->ticks, s->found, seed);
		c->ticks = (uint64_t)llround((double)c->ticks / (2 - s->found));	/* what they are worth: each brings a geometric sum */
		m->p.time += c->time;
		r->shares[i] = (struct profile_share){ .context = i, .entries = c->entries, .calls_out = c->calls_out, .time = c->time };
		if (s->codes) {
			pcs_add(m, r, i, OVERHEAD_OWN, poisson(seed, truth[i] / (2 * TICK)));
			pcs_add(m, r, i, OVERHEAD_OWN_HOOK, poisson(seed, hooks / (2 * TICK)));
		}
	}
	m->p.runs = &r->run;
	m->p.threads = &r->thread;
	m->p.nruns = m->p.nthreads = 1;
	m->p.shares = r->shares;
	m->p.nshares = m->p.ncontexts;
	m->p.pcs = r->pcs;
	if (s->codes)
		pcs_count(m, r);
}

static struct graph *settled(struct made *m, struct run *r, const struct simulation *s)
{
	struct graph_options options = { .thread = GRAPH_NONE };
	struct error err;
	struct graph *g;

	r->o = (struct overhead){ .profile = &m->p, .hooks = calloc(m->p.ncontexts, sizeof *r->o.hooks),
		.kernel = calloc(m->p.nroutines + 1, sizeof *r->o.kernel), .spots = s->codes ? r->spots : NULL };
	assert_true(r->o.hooks && r->o.kernel && hooks_settle(&r->o));
	g = graph_build(&r->o, m->names, &options, &err);
	assert_non_null(g);
	return g;
}

/* The graph of the true times. */
static struct graph *true_graph(struct made *m, const double *truth)
{
	for (uint32_t i = 0; i < m->p.ncontexts; i++) {
		m->p.contexts[i].time = (uint64_t)llround(truth[i]);
		m->o.hooks[i] = 0;
	}
	return made_graph(m, NULL);
}

struct claims {
	uint64_t made[2];	/* for callers, for callees */
	uint64_t held[2];
	double off;		/* sum of what the callers' shares are off by */
	double off_measured;	/* the same of what samples alone say */
};

/* The shares of a routine's total that its callers pay, or that passed in its callees, against those of TRUTH. */
static void claims_check(const struct graph *g, const struct graph *truth, struct claims *c)
{
	for (uint32_t i = 0; i < g->narcs; i++) {
		const struct graph_arc *arc = g->arcs + i, *same = truth->arcs + i;

		for (int callers = 0; callers < 2; callers++) {
			uint32_t of = callers ? arc->to : arc->from;
			double error = graph_arc_error(g, arc, callers), share, right;

			if (error < 0 || (callers ? g->routines[of].nin : g->routines[of].nout) < 2)
				continue;
			share = (double)(callers ? arc->self2 + arc->child2 : arc->self1 + arc->child1) / (double)g->routines[of].total;
			right = (double)(callers ? same->self2 + same->child2 : same->self1 + same->child1) / (double)truth->routines[of].total;
			c->made[callers]++;
			c->held[callers] += fabs(share - right) <= error + 1e-6;
			if (callers && g->routines[of].total_evidence.measured > 0) {
				c->off += fabs(share - right);
				c->off_measured += fabs(arc->evidence2.measured / g->routines[of].total_evidence.measured - right);
			}
		}
	}
}

/* The callers' parts of a routine are its total, and nothing was lost of the run. */
static void conservation_check(const struct graph *g, const struct simulation *s)
{
	uint64_t self = 0;

	for (uint32_t i = 0; i < g->nroutines; i++) {
		const struct graph_routine *r = g->routines + i;
		uint64_t in = 0;

		for (uint32_t k = r->first_in; k < r->first_in + r->nin; k++)
			in += g->arcs[g->in_arcs[k]].self2 + g->arcs[g->in_arcs[k]].child2;
		assert_int_equal(in, r->total);
		self += r->self;
	}
	assert_int_equal(self, g->time);
	assert_int_equal(g->time + g->outside + g->hooks, g->profile->time);
	if (s->hooks == 0 && !s->codes)
		assert_in_range(g->hooks + 40, 0, 80);		/* rounding */
}

static void simulate(const struct simulation *s, uint64_t seed, struct claims *c)
{
	struct made *m = made_new(names, sizeof names / sizeof *names);
	uint32_t n = contexts_make(m);
	double *truth = calloc(n, sizeof *truth);
	struct run *r = run_new(m);
	struct graph *g, *right;

	assert_non_null(truth);
	truths_make(m, s, &seed, truth);
	sample(m, r, s, truth, &seed);
	g = settled(m, r, s);
	conservation_check(g, s);
	right = true_graph(m, truth);
	claims_check(g, right, c);
	graph_free(right);
	graph_free(g);
	run_free(r);
	free(truth);
	made_free(m);
}

/* Of 100 claims 95 hold, and more where samples are few; and what is drawn to the calls is nearer to the truth where they are. */
static void test_claims_hold(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof simulations / sizeof *simulations; i++) {
		const struct simulation *s = simulations + i;
		struct claims c = { 0 };

		for (uint64_t seed = 1; seed <= SEEDS; seed++)
			simulate(s, seed * 1000003, &c);
		for (int callers = 0; callers < 2; callers++) {
			double held = 100 * (double)c.held[callers] / (double)c.made[callers];

			if (held < s->lo || held > s->hi)
				fail_msg("%s, %s: %.1f of 100 claims hold", s->what, callers ? "callers" : "callees", held);
		}
		if (c.off > s->off * c.off_measured)
			fail_msg("%s: off by %.3f where samples alone are by %.3f", s->what, c.off, c.off_measured);
	}
}

/* The graph of a run whose contexts have the TICKS; a call's hooks cost so many PICOSECONDS, in the routine that is called. */
static struct graph *by_hand(struct made *m, struct run *r, const uint64_t *ticks, uint64_t picoseconds)
{
	static const struct simulation plain = { .samples = 1, .found = 1 };

	sample(m, r, &plain, (double[16]){ 0 }, &(uint64_t){ 1 });
	r->run.header.hook_picoseconds = r->run.header.hook_inside = picoseconds;
	m->p.time = 0;
	for (uint32_t i = 0; i < m->p.ncontexts; i++) {
		m->p.contexts[i].ticks = ticks[i];
		m->p.contexts[i].time = r->shares[i].time = ticks[i] * TICK;
		m->p.time += m->p.contexts[i].time;
	}
	return settled(m, r, &plain);
}

/* Save is called 23 million times by Unify and 1.8 million times by Share, and its hooks take nearly all of its time: 275 samples of it, where 270
 * are its hooks', say nothing of who it worked for.  By chance Unify's contexts show less than their hooks cost. */
static void test_hooks_hide_callers(void **state)
{
	static const char *const few[] = { "Main", "Unify", "Share", "Save" };
	struct made *m = made_new(few, 4);
	uint32_t first = made_call(m, 0, 0, 1), unify = made_call(m, first, 1, 1000), share = made_call(m, first, 2, 1000);
	uint32_t for_unify = made_call(m, unify, 3, 23000000), for_share = made_call(m, share, 3, 1800000);
	uint64_t ticks[16] = { 0 };
	struct run *r = run_new(m);
	const struct graph_arc *arc;
	struct graph *g;

	(void)state;
	ticks[first] = 500;
	ticks[for_unify] = 240;
	ticks[for_share] = 35;
	g = by_hand(m, r, ticks, 10887);		/* 270 ms of 275 */
	arc = arc_between(g, "Unify", "Save");
	assert_true(arc->self2 > 8 * arc_between(g, "Share", "Save")->self2);
	assert_true(graph_arc_error(g, arc, true) > 0.3);
	graph_free(g);
	run_free(r);
	made_free(m);
}

/* Evidence against the calls is believed: of 86 samples all are of one caller, which calls as often as the other. */
static void test_evidence_wins(void **state)
{
	static const char *const few[] = { "Main", "dear", "cheap", "work" };
	struct made *m = made_new(few, 4);
	uint32_t first = made_call(m, 0, 0, 1), dear = made_call(m, first, 1, 1), cheap = made_call(m, first, 2, 1);
	uint64_t ticks[16] = { 0 };
	struct run *r;
	const struct graph_arc *arc;
	struct graph *g;

	(void)state;
	ticks[made_call(m, dear, 3, 1000)] = 86;
	made_call(m, cheap, 3, 1000);
	r = run_new(m);
	g = by_hand(m, r, ticks, 0);
	arc = arc_between(g, "cheap", "work");
	assert_true(arc->self2 < g->time / 100);
	assert_true(graph_arc_error(g, arc, true) > 0.02 && graph_arc_error(g, arc, true) < 0.06);
	graph_free(g);
	run_free(r);
	made_free(m);
}

/* What is not known makes each error wider: it may all have been of one caller, or of none. */
static void test_unsure_is_wider(void **state)
{
	static const char *const few[] = { "Main", "one", "other", "work" };
	struct made *m = made_new(few, 4);
	uint32_t first = made_call(m, 0, 0, 1), one = made_call(m, first, 1, 1), other = made_call(m, first, 2, 1);
	uint64_t ticks[16] = { 0 };
	const struct graph_arc *arc;
	struct run *r;
	struct graph *g;
	double error;

	(void)state;
	ticks[made_call(m, one, 3, 1000)] = 3000;
	ticks[made_call(m, other, 3, 1000)] = 7000;
	r = run_new(m);
	g = by_hand(m, r, ticks, 0);
	arc = arc_between(g, "one", "work");
	error = graph_arc_error(g, arc, true);
	assert_true(error < 0.02);
	g->unsure = 0.2;
	assert_true(fabs(graph_arc_error(g, arc, true) - error - 0.14) < 0.01);
	graph_free(g);
	run_free(r);
	made_free(m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_claims_hold),
		cmocka_unit_test(test_hooks_hide_callers),
		cmocka_unit_test(test_evidence_wins),
		cmocka_unit_test(test_unsure_is_wider),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
