/* test_overhead.c - what hooks cost, on profiles made by hand. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "read/profile/profile.h"
#include "tests/lib/make_amon.h"
#include "understand/overhead/steps.h"

/* Main calls P and Q a thousand times each, by way inline; a call costs 1 us. Ticks: 10 in Main, 5 in P, none in Q. */
static struct make_amon *make_calls(uint64_t tick)
{
	struct make_amon *m = make_amon_new();
	uint32_t module = make_amon_module(m, "/made/x", NULL, 0, 0x1000, 0), thread = make_amon_thread(m, "x");

	make_amon_header(m)->hook_picoseconds = 1000000;
	make_amon_header(m)->way = 1 << AMON_WAY_INLINE;
	make_amon_header(m)->rate = 1000;
	for (int i = 0; i < 3; i++)
		make_amon_routine(m, module, 0x10 * (uint64_t)(i + 1), 0);
	make_amon_enter(m, thread, 0);
	make_amon_charge(m, thread, 10 * tick, 10);
	for (int i = 0; i < 2000; i++) {
		make_amon_enter(m, thread, 1 + (uint32_t)i % 2);
		if (i == 0)
			make_amon_charge(m, thread, 5 * tick, 5);
		make_amon_leave(m, thread);
	}
	return m;
}

/* Settle the profile of M, whose program counters are at SPOTS, one for each; NULL: it has none. */
static struct overhead *settle(struct make_amon *m, const struct overhead_spot *spots)
{
	struct profile *p = profile_new();
	struct overhead *o = calloc(1, sizeof *o);
	struct error err;
	size_t len;
	uint8_t *data = make_amon_finish(m, &len);

	assert_true(p && o && profile_read(p, data, len, "made", &err));
	free(data);
	o->profile = p;
	o->hooks = calloc((size_t)p->ncontexts + 1, sizeof *o->hooks);
	o->kernel = calloc((size_t)p->nroutines + 1, sizeof *o->kernel);
	if (spots) {
		o->spots = calloc(p->npcs + 1, sizeof *o->spots);
		assert_non_null(o->spots);
		memcpy(o->spots, spots, p->npcs * sizeof *spots);
	}
	assert_true(o->hooks && o->kernel && hooks_settle(o));
	make_amon_free(m);
	return o;
}

static void settled_free(struct overhead *o)
{
	profile_free((struct profile *)o->profile);
	overhead_free(o);
}

static uint64_t charged_in_all(const struct overhead *o)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < o->profile->ncontexts; i++)
		sum += overhead_charged(o, i);
	return sum;
}

/* What a context cannot pay, the others do: the sum is right, and nothing appears where no time was. */
static void test_settle_hooks(void **state)
{
	struct overhead *o = settle(make_calls(1000000), NULL);

	(void)state;
	assert_int_equal(o->cost.samples, 0);
	assert_int_equal(o->cost.picoseconds, 1000000);
	assert_int_equal(o->cost.total, 2001000);
	assert_in_range(charged_in_all(o), 15000000 - 2001000 - 2, 15000000 - 2001000 + 2);
	assert_in_range(overhead_charged(o, 1), 7000000, 7400000);	/* 10 ms less 2000 * 1.5 us, and Q's part */
	assert_in_range(overhead_charged(o, 2), 5800000, 6000000);	/* 5 ms and 1000 * 0.5 us, and what is hidden of Q, which shows nothing */
	assert_int_equal(overhead_charged(o, 3), 0);
	assert_int_equal(overhead_of_share(o, &(struct profile_share){ .context = 1, .time = 5000000 }), o->hooks[1] / 2);
	settled_free(o);
	o = settle(make_calls(100000), NULL);	/* 1.5 ms in all: less than the hooks cost */
	assert_int_equal(charged_in_all(o), 0);
	settled_free(o);
}

/* Main has 1.5 ms and hooks that would have cost 3 ms, and P has 51 ms: what Main keeps by clock CLOCK. */
static uint64_t kept_by_poor(enum amon_clock clock, uint64_t *all)
{
	struct make_amon *m = make_calls(150000);
	struct overhead *o;
	uint64_t kept;

	make_amon_header(m)->clock = clock;
	make_amon_header(m)->tsc_hz = 1000000000;
	make_amon_enter(m, 0, 1);
	make_amon_charge(m, 0, 50000000, 50);
	o = settle(m, NULL);
	kept = overhead_charged(o, 1);
	*all = charged_in_all(o);
	settled_free(o);
	return kept;
}

/* Sampled, a routine keeps what its hooks, which cost more here and less there, may have left it; a clock that is read at each call knows. */
static void test_settle_unsure(void **state)
{
	uint64_t all;

	(void)state;
	assert_in_range(kept_by_poor(AMON_CLOCK_TICK, &all), 500000, 700000);	/* -1.5 ms give or take 1.25 ms, above 0 */
	assert_in_range(all, 52250000 - 2002000 - 3, 52250000 - 2002000 + 3);
	assert_int_equal(kept_by_poor(AMON_CLOCK_TSC, &all), 0);
}

/* The same with program counters of one in 4 ms, 750 of which are due: in Main HOOKS of them in the hooks of its callees, OTHERS beside, in P half as
 * many as in Main.  The calibration says 0.25 ms a call, 0.5 s in all. */
static struct make_amon *make_sampled_calls(uint32_t hooks, uint32_t others)
{
	struct make_amon *m = make_calls(200000000);

	make_amon_header(m)->pc_source = AMON_SOURCE_PERF;
	make_amon_header(m)->hook_picoseconds = 250000000;
	make_amon_enter(m, 0, 1);
	make_amon_leave(m, 0);
	make_amon_leave(m, 0);
	make_amon_enter(m, 0, 0);
	make_amon_pc(m, 0, 0x20, hooks);
	make_amon_pc(m, 0, 0x28, others);
	make_amon_enter(m, 0, 1);
	make_amon_pc(m, 0, 0x24, (hooks + others) / 2);
	make_amon_leave(m, 0);
	return m;
}

static const struct overhead_spot sampled_spots[] = { { OVERHEAD_HOOK_OF_CALLEE, 1 }, { OVERHEAD_OWN, 0 }, { OVERHEAD_OWN, 1 } };

/* Two thirds of Main's 2 s are P's entry hooks, and P, which has 1 s to do and 0.6 s more that its 1000 calls are given (half of 1.33 s, drawn
 * to 0.5 s, for 2000 calls), did a part of it meanwhile: 1.33 s * 1.6 s / (1.6 s + 3 * 1.33 s). */
static void test_hooks_by_samples(void **state)
{
	struct overhead *o = settle(make_sampled_calls(333, 167), sampled_spots);

	(void)state;
	assert_int_equal(o->profile->npcs, 3);
	assert_int_equal(o->cost.samples, 333);
	assert_in_range(overhead_charged(o, 1), 650000000, 670000000);
	assert_in_range(overhead_charged(o, 2), 1360000000, 1410000000);
	assert_in_range(o->cost.total, 3000000000 - charged_in_all(o) - 3, 3000000000 - charged_in_all(o) + 3);
	settled_free(o);
}

/* Elapsed time is not divided, since who waits has no sample: more than twice the calibrated cost is subtracted, drawn to that. */
static void test_elapsed_time(void **state)
{
	struct make_amon *m = make_sampled_calls(333, 167);
	struct overhead *o;

	(void)state;
	make_amon_header(m)->clock = AMON_CLOCK_WALL;
	o = settle(m, sampled_spots);
	assert_false(o->cost.divided);
	assert_in_range(o->cost.total, 1000000000, 1150000000);	/* 1.33 s less 2000 * 0.1 ms, drawn to 0.5 s */
	assert_in_range(charged_in_all(o), 3000000000 - o->cost.total - 3, 3000000000 - o->cost.total + 3);
	settled_free(o);
}

/* What hooks cost by 333 program counters, one in PERIOD ns as the header, of SIZE bytes, says. */
static uint64_t cost_by_period(uint64_t period, size_t size)
{
	struct make_amon *m = make_sampled_calls(333, 167);
	struct overhead *o;
	uint64_t cost;

	make_amon_header(m)->clock = AMON_CLOCK_WALL;
	make_amon_header(m)->header_size = (uint32_t)size;
	make_amon_header(m)->pc_period = period;
	o = settle(m, sampled_spots);
	cost = o->cost.total;
	settled_free(o);
	return cost;
}

/* The file says how often program counters were taken; where it is older than that, one in four samples of the clock. */
static void test_period(void **state)
{
	size_t size = sizeof(struct amon_header), older = offsetof(struct amon_header, pc_period);

	(void)state;
	assert_true(cost_by_period(1, older) == cost_by_period(4000000, size));
	assert_true(cost_by_period(2000000, size) < cost_by_period(4000000, size) * 8 / 10);
}

/* P's own code in its caller's context, before its entry is done, is P's. No sample is in a hook, so that they cost what was calibrated. */
static void test_edges_by_samples(void **state)
{
	static const struct overhead_spot edge[] = { { OVERHEAD_EDGE, 1 }, { OVERHEAD_OWN, 0 }, { OVERHEAD_OWN, 1 } };
	struct overhead *o = settle(make_sampled_calls(333, 167), edge);

	(void)state;
	assert_int_equal(o->cost.samples, 0);
	assert_int_equal(o->cost.picoseconds, 250000000);
	assert_true(o->cost.divided);
	assert_in_range(overhead_charged(o, 1), 650000000, 680000000);
	assert_in_range(overhead_charged(o, 2), 2270000000, 2330000000);
	settled_free(o);
}

/* Hooks of 1 ns, 2 us in all: a sample that fell into them by chance, and stands for 4 ms, does not tell their cost. */
static void test_hooks_of_less_than_a_sample(void **state)
{
	struct make_amon *m = make_sampled_calls(1, 499);
	struct overhead *o;

	(void)state;
	make_amon_header(m)->hook_picoseconds = 1000;
	o = settle(m, sampled_spots);
	assert_int_equal(o->cost.samples, 0);
	assert_int_equal(o->cost.picoseconds, 1000);
	settled_free(o);
}

/* Q shows nothing but its hooks, which waited for 1.33 s; of the work that its 1000 calls are given, 0.6 s, a part was done meanwhile:
 * 1.33 s * 0.6 s / (0.6 s + 4 s). */
static void test_all_hidden(void **state)
{
	static const struct overhead_spot of_q[] = { { OVERHEAD_HOOK_OF_CALLEE, 2 }, { OVERHEAD_OWN, 0 }, { OVERHEAD_OWN, 1 } };
	struct overhead *o = settle(make_sampled_calls(333, 167), of_q);

	(void)state;
	assert_int_equal(o->profile->contexts[3].time, 0);
	assert_in_range(overhead_charged(o, 3), 170000000, 190000000);
	assert_in_range(overhead_charged(o, 2), 980000000, 1020000000);
	settled_free(o);
}

/* By how much less P is charged if 2000 calls of Q are made in one of its 1001 calls than if Main makes them, by WAY. */
static int64_t less_for_callers(enum amon_way way)
{
	uint64_t charged[2];

	for (int by_p = 0; by_p < 2; by_p++) {
		struct make_amon *m = make_sampled_calls(333, 167);
		struct overhead *o;

		make_amon_header(m)->way = 1u << way;
		make_amon_enter(m, 0, 1);
		if (!by_p)
			make_amon_leave(m, 0);
		for (int i = 0; i < 2000; i++) {
			make_amon_enter(m, 0, 2);
			make_amon_leave(m, 0);
		}
		o = settle(m, sampled_spots);
		charged[by_p] = overhead_charged(o, 2);
		settled_free(o);
	}
	return (int64_t)(charged[0] - charged[1]);
}

/* Who makes calls keeps its context over them, by way inline: a fifth of the 0.33 ms of an entry for each call of P. */
static void test_carried(void **state)
{
	int64_t carried = less_for_callers(AMON_WAY_INLINE) - less_for_callers(AMON_WAY_FENTRY);

	(void)state;
	assert_in_range(carried, 55000000, 75000000);
}

/* A hook that is a function does not tell whose it is: it is taken to be P's and Q's alike, which Main calls as often. */
static void test_hooks_of_nobody(void **state)
{
	static const struct overhead_spot function[] = { { OVERHEAD_HOOK_OF_CALLEE, PROFILE_NONE }, { OVERHEAD_OWN, 0 }, { OVERHEAD_OWN, 1 } };
	struct overhead *o = settle(make_sampled_calls(333, 167), function);

	(void)state;
	assert_in_range(overhead_charged(o, 1), 650000000, 670000000);
	assert_in_range(overhead_charged(o, 2), 1280000000, 1320000000);	/* 1 s and 0.67 s * 1.6 s / (1.6 s + 2 s) */
	assert_in_range(overhead_charged(o, 3), 145000000, 165000000);	/* 0.67 s * 0.6 s / (0.6 s + 2 s), and what edges are expected to hold */
	settled_free(o);
}

/* A routine in which no tick fell, and samples of the program counter did: its contexts have it as they were called. */
static void test_no_tick(void **state)
{
	static const struct overhead_spot edge[] = { { OVERHEAD_OWN, 0 }, { OVERHEAD_EDGE, 2 }, { OVERHEAD_OWN, 1 } };
	struct make_amon *m = make_sampled_calls(333, 167);
	struct overhead *o;
	uint64_t first, second;

	(void)state;
	make_amon_enter(m, 0, 1);
	for (int i = 0; i < 3000; i++) {	/* by P, three times as often as by Main */
		make_amon_enter(m, 0, 2);
		make_amon_leave(m, 0);
	}
	o = settle(m, edge);
	first = overhead_charged(o, 3);
	second = overhead_charged(o, 4);
	assert_int_equal(o->profile->contexts[3].time + o->profile->contexts[4].time, 0);
	assert_in_range(first + second, 660000000, 1660000000);	/* what was found in Main, and by expectation in P, which has no sample */
	assert_in_range(second, 3 * first - 5, 3 * first + 5);
	assert_int_equal(overhead_of_share(o, &(struct profile_share){ .context = 4, .entries = 1500 }), o->hooks[4] / 2);
	settled_free(o);
}

/* The charged times when half of the samples came that were due.  USER and SYSTEM: CPU time in and outside user mode, ns. */
static struct overhead *by_few_samples(uint64_t user, uint64_t system)
{
	struct make_amon *m = make_sampled_calls(167, 83);

	make_amon_charge(m, 0, 0, 2985);		/* many ticks: no chance */
	make_amon_header(m)->cpu_user = user;
	make_amon_header(m)->cpu_system = system;
	return settle(m, sampled_spots);
}

/* Samples that did not come were lost, unless the time was the kernel's, where none is taken: then half of each routine's, and Main has 1 s and a
 * third of the other one. */
static void test_samples_of_user_mode(void **state)
{
	struct overhead *unknown = by_few_samples(0, 0), *user = by_few_samples(3000000000, 0);
	struct overhead *kernel = by_few_samples(1500000000, 1500000000);
	uint64_t cost = unknown->cost.total;

	(void)state;
	assert_in_range(user->cost.total, cost * 104 / 100, cost * 108 / 100);	/* a twentieth is taken to be the kernel's where nobody knows */
	assert_in_range(overhead_charged(user, 1), 650000000, 680000000);
	assert_in_range(overhead_charged(kernel, 1), 1300000000, 1350000000);
	assert_in_range(overhead_charged(kernel, 2), 1240000000, 1290000000); /* 1 s and 0.67 s * 1.3 s / (1.3 s + 2 s) */
	settled_free(unknown);
	settled_free(user);
	settled_free(kernel);
}

/* What a sample stands for in the evidence of CONTEXT, ns. */
static double sample_in(const struct overhead *o, uint32_t context)
{
	return o->evidence[context].variance / o->evidence[context].measured;
}

/* A routine that was in the kernel for 3 % of its time. */
static void test_kernel(void **state)
{
	static const struct overhead_spot own[] = { { OVERHEAD_OWN, 0 }, { OVERHEAD_OWN, 1 } };
	struct make_amon *m = make_sampled_calls(0, 340);
	struct overhead *o;

	(void)state;
	make_amon_enter(m, 0, 1);
	make_amon_pc(m, 0, 0x24, 90);
	make_amon_leave(m, 0);
	make_amon_charge(m, 0, 0, 585);
	make_amon_header(m)->hook_picoseconds = 0;
	make_amon_header(m)->cpu_user = 2940000000;
	make_amon_header(m)->cpu_system = 60000000;
	o = settle(m, own);
	assert_in_range(o->kernel[0], 59000000, 61000000);
	settled_free(o);
}

/* Of a routine with next to no time of its own not more is unknown than that, or a sample of the clock. */
static void test_evidence_of_little(void **state)
{
	struct make_amon *m = make_calls(150000);	/* Main: 1.5 ms, and hooks that would have cost 3 ms */
	struct overhead *o;

	(void)state;
	make_amon_enter(m, 0, 1);
	make_amon_charge(m, 0, 50000000, 50);
	o = settle(m, NULL);
	assert_true(o->evidence[1].measured > 0);
	assert_true(sample_in(o, 1) <= profile_tick(o->profile));
	settled_free(o);
}

/* Of two runs of 3 s together it is not known of 0.3 s where they were spent. */
static void test_unsure(void **state)
{
	struct profile_run runs[2] = { { .header.unsure = 100000000 }, { .header.unsure = 200000000 } };
	struct profile p = { .time = 2600000000, .monitor = 100000000, .unplaced = 300000000, .nruns = 2, .runs = runs };
	double unsure = overhead_unsure(&p), lo = 0.4, hi = 0.5;

	(void)state;
	assert_true(fabs(unsure - 0.2) < 1e-9);
	overhead_widen(unsure, &lo, &hi);
	assert_true(fabs(lo - 0.32) < 1e-9 && fabs(hi - 0.6) < 1e-9);
	runs[0].header.unsure = UINT64_MAX;		/* made up */
	overhead_widen(overhead_unsure(&p), &lo, &hi);
	assert_true(lo == 0 && hi == 1);
	lo = 0.4, hi = 0.5;
	overhead_widen(0, &lo, &hi);
	assert_true(lo == 0.4 && hi == 0.5);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_settle_hooks),
		cmocka_unit_test(test_settle_unsure),
		cmocka_unit_test(test_hooks_by_samples),
		cmocka_unit_test(test_elapsed_time),
		cmocka_unit_test(test_period),
		cmocka_unit_test(test_edges_by_samples),
		cmocka_unit_test(test_hooks_of_less_than_a_sample),
		cmocka_unit_test(test_all_hidden),
		cmocka_unit_test(test_carried),
		cmocka_unit_test(test_hooks_of_nobody),
		cmocka_unit_test(test_no_tick),
		cmocka_unit_test(test_unsure),
		cmocka_unit_test(test_samples_of_user_mode),
		cmocka_unit_test(test_kernel),
		cmocka_unit_test(test_evidence_of_little),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
