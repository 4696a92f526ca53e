/* test_split.c - exact contexts joined with call stacks of the same run, both made by hand or at random, and the times split. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "read/profile/parts.h"
#include "tests/lib/make_amon.h"
#include "understand/overhead/split.h"

enum { ROUTINES = 12, HOOKED = 6, TICK = 1000 };

/* A run of a program whose routines below HOOKED have hooks, as the monitor and as the recorder saw it; both have all routines, at the same places. */
struct run {
	struct make_amon *exact, *stacks;
	uint32_t thread[2];
};

static struct make_amon *maker(bool stacks)
{
	struct make_amon *m = make_amon_new();
	uint32_t module = make_amon_module(m, "/made/x", NULL, 0, 0x1000, 0);

	make_amon_header(m)->way = stacks ? 1u << AMON_WAY_STACKS : 1u << AMON_WAY_INLINE;
	make_amon_header(m)->rate = 1000;
	for (uint32_t i = 0; i < ROUTINES; i++)
		make_amon_routine(m, module, 0x10 * (i + 1), 0);
	for (uint32_t i = 0; i < 2; i++) {
		uint32_t thread = make_amon_thread(m, "x");

		make_amon_thread_record(m, thread)->tid = 100 + i;
		make_amon_thread_record(m, thread)->folded = 1;
	}
	return m;
}

static struct run run_new(void) { return (struct run){ maker(false), maker(true), { 0, 1 } }; }

static void enter(const struct run *r, uint32_t thread, uint32_t routine)
{
	if (routine < HOOKED)
		make_amon_enter(r->exact, thread, routine);
	make_amon_enter(r->stacks, thread, routine);
}

static void leave(const struct run *r, uint32_t thread, uint32_t routine)
{
	if (routine < HOOKED)
		make_amon_leave(r->exact, thread);
	make_amon_leave(r->stacks, thread);
}

/* N ticks where THREAD is; TIMES of them for the exact profile. */
static void charge(const struct run *r, uint32_t thread, uint64_t n, uint64_t times)
{
	make_amon_charge(r->exact, thread, n * times * TICK, n * times);
	make_amon_charge(r->stacks, thread, n * TICK, n);
}

static void call(const struct run *r, uint32_t thread, uint32_t routine, uint64_t n)
{
	enter(r, thread, routine);
	charge(r, thread, n, 1);
}

/* What was joined. */
struct joined {
	struct profile *p;
	struct overhead *o;
	struct stack_join below;
	uint64_t *charged;		/* by exact context: before */
	uint64_t *raw;
};

/* The routine of P at the place of routine I of the makers. */
static uint32_t routine_at(const struct profile *p, uint32_t i)
{
	for (uint32_t r = 0; r < p->nroutines; r++)
		if (!p->routines[r].pseudo && p->routines[r].address == 0x10 * (i + 1))
			return r;
	return PROFILE_NONE;
}

static void maker_read(struct profile *p, struct make_amon *m, bool stacks)
{
	struct error err = { .text = "" };
	size_t len;
	uint8_t *data = make_amon_finish(m, &len);

	if (!(stacks ? profile_read_sampled : profile_read)(p, data, len, "made", &err))
		fail_msg("%s", err.text);
	free(data);
	make_amon_free(m);
}

static void overhead_begin(struct joined *j, int64_t hooks)
{
	uint32_t n = j->p->ncontexts;

	j->o = calloc(1, sizeof *j->o);
	assert_non_null(j->o);
	j->o->profile = j->p;
	j->o->hooks = calloc((size_t)n + 1, sizeof *j->o->hooks);
	j->o->kernel = calloc((size_t)j->p->nroutines + 1, sizeof *j->o->kernel);
	j->o->evidence = calloc((size_t)n + 1, sizeof *j->o->evidence);
	j->charged = calloc((size_t)n + 1, sizeof *j->charged);
	j->raw = calloc((size_t)n + 1, sizeof *j->raw);
	assert_true(j->o->hooks && j->o->kernel && j->o->evidence && j->charged && j->raw);
	for (uint32_t i = 0; i < n; i++) {
		double time = (double)j->p->contexts[i].time;

		j->o->hooks[i] = i % 3 == 0 ? hooks : i % 3 == 1 ? -hooks : 0;
		j->o->evidence[i] = (struct overhead_evidence){ time, time * TICK };
		j->charged[i] = overhead_charged(j->o, i);
		j->raw[i] = j->p->contexts[i].time;
	}
}

/* Join what R made, of which it is the end; each context has HOOKS ns of hooks, or so much too few, or none.  Of LOST, a routine, no sample counts. */
static struct joined join(struct run *r, int64_t hooks, uint32_t lost)
{
	struct joined j = { .p = profile_new() };
	struct profile *p = j.p;
	struct error err;
	uint32_t *routine_of, *alike, *leaf_of;
	double *counts;
	struct stack_join_given given;

	maker_read(p, r->exact, false);
	maker_read(p, r->stacks, true);
	overhead_begin(&j, hooks);
	routine_of = calloc((size_t)p->sampled->nroutines + 1, sizeof *routine_of);
	alike = malloc(((size_t)p->nroutines + 1) * sizeof *alike);
	counts = calloc((size_t)p->sampled->ncontexts + 1, sizeof *counts);
	assert_true(routine_of && alike && counts);
	memset(alike, 0xff, ((size_t)p->nroutines + 1) * sizeof *alike);
	given = (struct stack_join_given){ routine_of, alike, p->nroutines, counts, NULL };
	for (uint32_t i = 0; i < p->sampled->nroutines; i++) {
		struct profile_routine copy = p->sampled->routines[i];

		/* the makers name all routines in both files, so plain ones get another place in the exact one */
		if (!copy.pseudo && copy.address > 0x10 * HOOKED)
			copy.address += 0x1000;
		routine_of[i] = parts_routine(p, &copy, NULL);
		assert_int_not_equal(routine_of[i], PROFILE_NONE);
	}
	for (uint32_t i = 1; i < p->sampled->ncontexts; i++)
		counts[i] = p->sampled->contexts[i].routine == routine_at(p->sampled, lost) ? 0 : 1;
	leaf_of = calloc(p->npcs + 1, sizeof *leaf_of);
	assert_non_null(leaf_of);
	for (size_t i = 0; i < p->npcs; i++)		/* program counters are at plain routines, at 0xff0 in own code, or beyond */
		leaf_of[i] = p->pcs[i].address == 0xff0 ? BELOW_OWN : p->pcs[i].address > 0xff0 ? BELOW_NOTHING :
			parts_routine(p, &(struct profile_routine){ .module = p->pcs[i].module, .address = p->pcs[i].address + 0x1000 }, NULL);
	given.leaf_of = leaf_of;
	assert_true(stack_join_make(&j.below, p, &given, &err));
	assert_true(overhead_split(j.o, p, &j.below, &err));
	free(leaf_of);
	free(routine_of);
	free(alike);
	free(counts);
	return j;
}

static void joined_free(struct joined *j)
{
	stack_join_free(&j->below);
	overhead_free(j->o);
	profile_free(j->p);
	free(j->charged);
	free(j->raw);
}

/* The exact context that context I is, or is below. */
static uint32_t exact_of(const struct profile *p, uint32_t i)
{
	while (i >= p->plain)
		i = p->contexts[i].parent;
	return i;
}

/* What was there is there, context by context, raw and without hooks; shares add up to contexts and are in order; plain code has no calls. */
static void check_conserved(const struct joined *j)
{
	const struct profile *p = j->p;
	uint64_t *raw = calloc(p->plain, sizeof *raw), *charged = calloc(p->plain, sizeof *charged), *time = calloc(p->ncontexts, sizeof *time);

	assert_true(raw && charged && time);
	for (uint32_t i = 0; i < p->ncontexts; i++) {
		raw[exact_of(p, i)] += p->contexts[i].time;
		charged[exact_of(p, i)] += overhead_charged(j->o, i);
		assert_true(i < p->plain || p->contexts[i].entries + p->contexts[i].recursive == 0);
	}
	for (uint32_t i = 0; i < p->plain; i++) {
		assert_int_equal(raw[i], j->raw[i]);
		assert_int_equal(charged[i], j->charged[i]);
	}
	for (size_t i = 0; i < p->nshares; i++) {
		const struct profile_share *s = &p->shares[i];

		assert_true(i == 0 || s[-1].thread < s->thread || (s[-1].thread == s->thread && s[-1].context < s->context));
		time[s->context] += s->time;
	}
	for (uint32_t i = 0; i < p->ncontexts; i++)
		assert_int_equal(time[i], p->contexts[i].time);
	free(raw);
	free(charged);
	free(time);
}

/* The context of P whose history is WAY, routines of the makers, ended by -1; PROFILE_NONE: there is none. */
static uint32_t context_at(const struct profile *p, const int *way)
{
	history_entry *history = calloc((size_t)p->longest + 1, sizeof *history);
	uint32_t found = PROFILE_NONE;
	size_t length = 0;

	while (way[length] >= 0)
		length++;
	for (uint32_t c = 0; c < p->ncontexts && found == PROFILE_NONE; c++) {
		size_t n = p->contexts[c].length == length ? profile_history(p, c, history) : SIZE_MAX, i = 0;

		while (n == length && i < n && p->routines[history_routine(history[i])].address == 0x10 * ((uint64_t)way[i] + 1) + (way[i] >= HOOKED ? 0x1000 : 0))
			i++;
		found = n == length && i == n ? c : PROFILE_NONE;
	}
	free(history);
	return found;
}

static uint64_t time_at(const struct joined *j, const int *way)
{
	uint32_t c = context_at(j->p, way);

	return c == PROFILE_NONE ? 0 : j->p->contexts[c].time;
}

#define WAY(...) ((const int[]){ __VA_ARGS__, -1 })

/* main 0 calls 1 and 2, which call outer 6, which has 7 (one part) and 8 (three); the exact profile has four ticks for each stack. */
static void test_paths(void **state)
{
	struct run r = run_new();
	struct joined j;

	(void)state;
	enter(&r, 0, 0);
	for (uint32_t caller = 1; caller <= 2; caller++) {
		enter(&r, 0, caller);
		charge(&r, 0, 2, 4);
		enter(&r, 0, 6);
		for (uint32_t way = 7; way <= 8; way++) {
			enter(&r, 0, way);
			charge(&r, 0, caller * (way == 7 ? 1 : 3), 4);
			leave(&r, 0, way);
		}
		leave(&r, 0, 6);
		leave(&r, 0, caller);
	}
	j = join(&r, 0, ROUTINES);
	for (int caller = 1; caller <= 2; caller++) {
		assert_int_equal(time_at(&j, WAY(0, caller)), 8 * TICK);
		assert_int_equal(time_at(&j, WAY(0, caller, 6)), 0);
		assert_int_equal(time_at(&j, WAY(0, caller, 6, 7)), 4 * caller * TICK);
		assert_int_equal(time_at(&j, WAY(0, caller, 6, 8)), 12 * caller * TICK);
	}
	assert_int_equal(j.below.samples, 16);
	assert_int_equal(j.below.placed, 16);
	check_conserved(&j);
	joined_free(&j);
}

/* What stands between routines with hooks is left out; recursion of plain code, and of routines with hooks through it. */
static void test_between(void **state)
{
	struct run r = run_new();
	struct joined j;

	(void)state;
	enter(&r, 0, 0);
	call(&r, 0, 6, 1);		/* sorts */
	call(&r, 0, 7, 2);
	call(&r, 0, 1, 3);		/* and calls back */
	call(&r, 0, 8, 5);
	call(&r, 0, 8, 7);		/* itself */
	call(&r, 0, 1, 11);		/* and back again: recursion of 1 through 8 */
	call(&r, 0, 9, 13);
	j = join(&r, 0, ROUTINES);
	assert_int_equal(time_at(&j, WAY(0, 6)), TICK);
	assert_int_equal(time_at(&j, WAY(0, 6, 7)), 2 * TICK);
	assert_int_equal(time_at(&j, WAY(0, 1)), 14 * TICK);
	assert_int_equal(time_at(&j, WAY(0, 1, 8)), 12 * TICK);
	assert_int_equal(time_at(&j, WAY(0, 1, 9)), 13 * TICK);
	assert_int_equal(j.below.placed, 42);
	check_conserved(&j);
	joined_free(&j);
}

/* Of each thread by its own stacks; where it has none there, by those of all. */
static void test_threads(void **state)
{
	struct run r = run_new();
	struct joined j;
	uint32_t found[2];

	(void)state;
	for (uint32_t t = 0; t < 2; t++) {
		enter(&r, t, 0);
		call(&r, t, 6 + t, 4);
		leave(&r, t, 6 + t);
		enter(&r, t, 1);
		if (t == 0)
			call(&r, t, 8, 5);
		else
			make_amon_charge(r.exact, t, 7 * TICK, 7);	/* no stack met it */
	}
	j = join(&r, 0, ROUTINES);
	assert_int_equal(time_at(&j, WAY(0, 1, 8)), 12 * TICK);
	for (uint32_t t = 0; t < 2; t++) {
		found[0] = context_at(j.p, WAY(0, 6));
		found[1] = context_at(j.p, WAY(0, 7));
		for (size_t i = 0; i < j.p->nshares; i++)
			if (j.p->shares[i].context == found[t])
				assert_int_equal(j.p->shares[i].thread, t);
	}
	assert_int_equal(time_at(&j, WAY(0, 6)), 4 * TICK);
	assert_int_equal(time_at(&j, WAY(0, 7)), 4 * TICK);
	check_conserved(&j);
	joined_free(&j);
}

/* Stacks that are cut off, outside of all hooks, or unknown to the exact profile are counted, and move nothing; samples in hooks do not count. */
static void test_strange(void **state)
{
	struct run r = run_new();
	struct joined j;

	(void)state;
	call(&r, 0, 6, 1);					/* before main */
	make_amon_enter(r.stacks, 0, 3);			/* unknown to the monitor */
	make_amon_charge(r.stacks, 0, 2 * TICK, 2);
	call(&r, 0, 7, 0);
	make_amon_charge(r.stacks, 0, 3 * TICK, 3);
	leave(&r, 0, 7);
	make_amon_leave(r.stacks, 0);
	leave(&r, 0, 6);
	make_amon_start(r.stacks, 0, AMON_ROUTINE_TRUNCATED);
	make_amon_enter(r.stacks, 0, 0);
	make_amon_charge(r.stacks, 0, 4 * TICK, 4);
	make_amon_leave(r.stacks, 0);
	make_amon_leave(r.stacks, 0);
	call(&r, 0, 0, 10);
	call(&r, 0, 8, 10);					/* counts for nothing */
	j = join(&r, 0, 8);
	assert_int_equal(j.below.samples, 30);
	assert_int_equal(j.below.outside, 1);
	assert_int_equal(j.below.strange, 5);
	assert_int_equal(j.below.cut, 4);
	assert_int_equal(j.below.placed, 20);
	assert_int_equal(time_at(&j, WAY(0)), 20 * TICK);
	assert_int_equal(context_at(j.p, WAY(0, 8)), PROFILE_NONE);
	check_conserved(&j);
	joined_free(&j);
}

/* The monitor begins a history of its own for the handler of a signal, and for what runs at exit; code without hooks that runs for a signal is of what was interrupted. */
static void test_own_histories(void **state)
{
	struct run r = run_new();
	struct joined j;

	(void)state;
	call(&r, 0, 0, 1);
	call(&r, 0, 1, 2);
	make_amon_enter(r.stacks, 0, AMON_ROUTINE_SIGNAL);
	charge(&r, 0, 3, 1);
	make_amon_start(r.exact, 0, 2);
	make_amon_enter(r.stacks, 0, 2);
	charge(&r, 0, 4, 1);
	call(&r, 0, 7, 5);
	leave(&r, 0, 7);
	leave(&r, 0, 2);
	make_amon_leave(r.stacks, 0);
	leave(&r, 0, 1);
	make_amon_enter(r.stacks, 0, 8);			/* exit */
	make_amon_start(r.exact, 0, 3);
	make_amon_enter(r.stacks, 0, 3);
	charge(&r, 0, 6, 1);
	j = join(&r, 0, ROUTINES);
	assert_int_equal(j.below.strange, 0);
	assert_int_equal(time_at(&j, WAY(2)), 4 * TICK);
	assert_int_equal(time_at(&j, WAY(2, 7)), 5 * TICK);
	assert_int_equal(time_at(&j, WAY(3)), 6 * TICK);
	assert_int_equal(time_at(&j, WAY(0, 1)), 2 * TICK);
	check_conserved(&j);
	joined_free(&j);
}

/* A context without stacks is split by its program counters, one that has any is not. */
static void test_leaves(void **state)
{
	struct run r = run_new();
	struct joined j;

	(void)state;
	call(&r, 0, 0, 4);
	make_amon_pc(r.exact, 0, 0x10 * 8, 5);
	enter(&r, 0, 1);
	make_amon_charge(r.exact, 0, 10 * TICK, 10);
	make_amon_pc(r.exact, 0, 0x10 * 9, 3);
	make_amon_pc(r.exact, 0, 0xff0, 1);
	make_amon_pc(r.exact, 0, 0xff8, 6);
	j = join(&r, 0, ROUTINES);
	assert_int_equal(time_at(&j, WAY(0)), 4 * TICK);
	assert_int_equal(time_at(&j, WAY(0, 1)), 10 * TICK / 4);
	assert_int_equal(time_at(&j, WAY(0, 1, 8)), 10 * TICK / 4 * 3);
	check_conserved(&j);
	joined_free(&j);
}

/* A pseudo-random number below N. */
static uint32_t below(uint64_t *seed, uint32_t n)
{
	*seed = *seed * UINT64_C(6364136223846793005) + 1442695040888963407;
	return (uint32_t)(*seed >> 33) % n;
}

/* A random walk: calls, returns and samples of two threads.  Without RECURSION a routine calls those alone that have a greater number by its side. */
static struct run walk(uint64_t seed, bool recursion)
{
	struct run r = run_new();
	uint32_t stack[2][64], depth[2] = { 0, 0 };

	for (int i = 0; i < 4000; i++) {
		uint32_t t = below(&seed, 2), d = depth[t], what = below(&seed, 4);

		if (what == 0 && d > 1) {
			leave(&r, t, stack[t][--depth[t]]);
		} else if (what < 3 && d < (recursion ? 20 : 6)) {
			uint32_t routine = d == 0 ? 0 : recursion ? below(&seed, ROUTINES) : (d % 2 ? HOOKED : 0) + 1 + below(&seed, HOOKED - 1);

			for (uint32_t k = 0; !recursion && k < d; k++)
				routine = stack[t][k] == routine ? ROUTINES : routine;
			if (routine < ROUTINES)
				enter(&r, t, stack[t][depth[t]++] = routine);
		} else {
			charge(&r, t, 1 + below(&seed, 5), 1);
		}
	}
	return r;
}

/* Where each stack is a sample of the exact clock, too, each path has what its stacks have, without recursion; nothing is lost, with it and with hooks. */
static void test_random(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 40; seed++) {
		bool recursion = seed % 2;
		struct run r = walk(seed, recursion);
		struct joined j = join(&r, seed % 4 < 2 ? 0 : (int64_t)(seed * 700), ROUTINES);
		double *samples = calloc(j.p->ncontexts, sizeof *samples);

		assert_non_null(samples);
		check_conserved(&j);
		assert_true(j.below.strange * 20 < j.below.samples);
		assert_int_equal(j.below.placed + j.below.strange + j.below.outside + j.below.cut, j.below.samples);
		for (size_t i = 0; i < j.below.n; i++)
			samples[j.below.parts[i].path] += j.below.parts[i].samples;
		for (uint32_t i = 1; !recursion && seed % 4 < 2 && i < j.p->ncontexts; i++)
			assert_true(fabs(samples[i] * TICK - (double)j.p->contexts[i].time) < 10);
		free(samples);
		joined_free(&j);
	}
}

/* The evidence of a part is what understand/graph/errors.c takes for as many samples as there are. */
static void test_evidence(void **state)
{
	struct run r = run_new();
	struct overhead_evidence *e;
	struct joined j;
	uint32_t own, path;

	(void)state;
	enter(&r, 0, 0);
	charge(&r, 0, 30, 1);
	call(&r, 0, 6, 10);
	j = join(&r, 0, ROUTINES);
	own = context_at(j.p, WAY(0));
	path = context_at(j.p, WAY(0, 6));
	e = j.o->evidence;
	assert_true(fabs(e[own].measured - 30 * TICK) < 1 && fabs(e[path].measured - 10 * TICK) < 1);
	assert_true(fabs(e[own].variance + e[path].variance - 40.0 * TICK * TICK) < TICK);	/* 40 samples, as before */
	joined_free(&j);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_paths),
		cmocka_unit_test(test_between),
		cmocka_unit_test(test_threads),
		cmocka_unit_test(test_strange),
		cmocka_unit_test(test_own_histories),
		cmocka_unit_test(test_leaves),
		cmocka_unit_test(test_random),
		cmocka_unit_test(test_evidence),
	};

	return cmocka_run_group_tests_name("split", tests, NULL, NULL);
}
