/* model_difference_test.c - gprof's model beside the truth: the paper's examples in numbers, programs of which the average is true, and
 * what is conserved on random ones. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "understand/graph/model_difference.h"
#include "understand/graph/tests/made.h"

#define COUNT(a) (sizeof (a) / sizeof *(a))

enum { PROGRAMS = 150, STEPS = 600, DEPTH = 24, ROUTINES = 12 };

/* The two graphs of one profile, and how they compare. */
struct pair {
	struct graph *truth;
	struct graph *gprof;
	struct compare *c;
};

static struct pair pair_of(const struct made *m, const struct graph_static_arc *arcs, size_t narcs)
{
	struct graph_options options = { .thread = GRAPH_NONE, .static_arcs = arcs, .nstatic_arcs = narcs };
	struct pair p = { .truth = made_graph(m, &options) };

	options.model = GRAPH_GPROF;
	p.gprof = made_graph(m, &options);
	p.c = compare_models(p.truth, p.gprof, NULL);
	assert_non_null(p.c);
	return p;
}

static void pair_free(struct pair *p)
{
	compare_free(p->c);
	graph_free(p->truth);
	graph_free(p->gprof);
}

static void assert_compared(const struct pair *p, const char *from, const char *to, uint64_t calls, uint64_t gprof, uint64_t truth)
{
	uint32_t caller = named(p->truth, from), callee = named(p->truth, to);

	for (uint32_t i = 0; i < p->c->narcs; i++) {
		const struct compare_arc *a = p->c->arcs + i;

		if (a->from != caller || a->to != callee)
			continue;
		assert_int_equal(a->calls, calls);
		assert_int_equal(a->gprof, gprof);
		assert_int_equal(a->truth, truth);
		return;
	}
	fail_msg("no arc %s -> %s", from, to);
}

/* map applied to two functions: dear's time is charged in halves to two callers of map, of whom one caused it all. */
static void test_map(void **state)
{
	static const char *const names[] = { "Main", "cheap", "dear", "map", "f", "g" };
	struct made *m = made_new(names, COUNT(names));
	struct pair p;

	(void)state;
	made_play(m, "Main cheap map f", 1);
	made_play(m, "Main dear map g", 99);
	p = pair_of(m, NULL, 0);
	assert_compared(&p, "cheap", "map", 1, 50, 1);
	assert_compared(&p, "dear", "map", 1, 50, 99);
	assert_compared(&p, "map", "g", 1, 99, 99);
	assert_compared(&p, "Main", "dear", 1, 50, 99);
	assert_int_equal(p.c->inclusive, 100 + 1 + 99 + 100);
	assert_int_equal(p.c->wrong, 49 + 49);
	assert_int_equal(p.c->within, 0);
	assert_int_equal(compare_error(p.c->arcs), 49);
	pair_free(&p);
	made_free(m);
}

/* A cycle: the model charges its time as a whole to its callers, and nobody within. */
static void test_cycle(void **state)
{
	static const char *const names[] = { "Main", "P", "Q", "S" };
	struct made *m = made_new(names, COUNT(names));
	struct pair p;

	(void)state;
	made_play(m, "Main P Q P S", 10);
	made_play(m, "Main Q", 30);
	p = pair_of(m, NULL, 0);
	assert_int_equal(p.gprof->nlumps, 1);
	assert_compared(&p, "Main", "P", 1, 20, 10);
	assert_compared(&p, "Main", "Q", 1, 20, 30);
	assert_compared(&p, "P", "Q", 1, 0, 0);			/* its latest activation waits for S */
	assert_compared(&p, "Q", "P", 1, 0, 10);
	assert_compared(&p, "P", "S", 1, 10, 10);
	assert_int_equal(p.c->inclusive, 10 + 30 + 10 + 10);
	assert_int_equal(p.c->wrong, 10 + 10);
	assert_int_equal(p.c->within, 10);
	pair_free(&p);
	made_free(m);
}

/* Static arcs make a cycle of what never was one, for gprof's model alone. */
static void test_static_arc(void **state)
{
	static const char *const names[] = { "Main", "P", "Q" };
	static const struct graph_static_arc arcs[] = { { { .name = "Q", .key = "Q" }, { .name = "P", .key = "P" } } };
	struct made *m = made_new(names, COUNT(names));
	struct pair p;

	(void)state;
	made_play(m, "Main P Q", 10);
	p = pair_of(m, NULL, 0);
	assert_int_equal(p.c->wrong, 0);
	pair_free(&p);
	p = pair_of(m, arcs, COUNT(arcs));
	assert_compared(&p, "P", "Q", 1, 0, 10);
	assert_int_equal(p.c->wrong, 10);
	assert_int_equal(p.c->within, 10);
	assert_int_equal(p.c->narcs, 2);			/* the static one has nothing to compare */
	pair_free(&p);
	made_free(m);
}

static const char *const names[ROUTINES] = { "Main", "A", "B", "C", "D", "E", "F", "G", "H", "I", "J", "K" };

/* A random program, one in two without recursion: there routines call later ones only. */
static struct made *random_program(uint64_t *seed)
{
	uint32_t n = 3 + random_below(seed, ROUTINES - 2), stack[DEPTH + 1] = { 0 }, depth = 0, reach = 1 + random_below(seed, n);
	struct made *m = made_new(names, n);
	bool recursive = random_below(seed, 2);

	for (uint32_t step = 0; step < STEPS; step++) {
		uint32_t running = m->p.contexts[stack[depth]].routine;

		if (depth > 1 && (random_below(seed, 8) < 3 || (!recursive && running + reach >= n)))
			depth--;
		else if (depth < DEPTH && (recursive || !depth || running + reach < n)) {
			uint32_t callee = depth ? (running + 1 + random_below(seed, reach)) % n : 0;

			stack[depth + 1] = made_call(m, stack[depth], callee, 1 + random_below(seed, 3));
			depth++;
		}
		made_spend(m, stack[depth], random_below(seed, 100000), 0);
	}
	return m;
}

/* The sums are those of the graphs; arcs have the times that these have, each arc once; errors fall. */
static void check_sums(const struct pair *p)
{
	uint64_t total = 0, truth = 0, gprof = 0, wrong = 0, of_graph = 0;

	for (uint32_t i = 0; i < p->truth->nroutines; i++)
		total += p->truth->routines[i].total - p->truth->routines[i].self;
	for (uint32_t i = 0; i < p->gprof->narcs; i++)
		if (p->gprof->arcs[i].from != GRAPH_NONE)
			of_graph += p->gprof->arcs[i].self1 + p->gprof->arcs[i].child1;
	for (uint32_t i = 0; i < p->c->narcs; i++) {
		const struct compare_arc *a = p->c->arcs + i;
		const struct graph_arc *arc = arc_between(p->truth, p->truth->routines[a->from].name.name,
			p->truth->routines[a->to].name.name);

		assert_int_equal(a->truth, arc->self1 + arc->child1);
		assert_int_equal(a->calls, arc->calls);
		assert_int_equal(a->callee_calls, p->truth->routines[a->to].calls);
		assert_true(i == 0 || compare_error(a - 1) >= compare_error(a));
		assert_true(!a->within || a->gprof == 0);
		truth += a->truth;
		gprof += a->gprof;
		wrong += a->truth > a->gprof ? a->truth - a->gprof : 0;
	}
	assert_int_equal(truth, total);
	assert_int_equal(p->c->inclusive, total);
	assert_int_equal(gprof, of_graph);
	assert_int_equal(p->c->wrong, wrong);
	assert_true(p->c->within <= p->c->wrong && p->c->wrong <= p->c->inclusive);
}

static void test_random(void **state)
{
	uint64_t seed = 2004;
	uint32_t lumps = 0, wrong = 0;

	(void)state;
	for (int i = 0; i < PROGRAMS; i++) {
		struct made *m = random_program(&seed);
		struct pair p = pair_of(m, NULL, 0);

		check_sums(&p);
		lumps += p.gprof->nlumps > 0;
		wrong += p.c->wrong > p.c->within;
		pair_free(&p);
		made_free(m);
	}
	assert_true(lumps > PROGRAMS / 10 && lumps < PROGRAMS);
	assert_true(wrong > PROGRAMS / 4);
}

/* What each routine of a program does in every call: its time, and how often it calls those after it. */
struct habits {
	uint64_t nsec[ROUTINES];
	uint32_t calls[ROUTINES][ROUTINES];
};

/* ROUTINE was called COUNT times in CONTEXT. */
static void play_habits(struct made *m, const struct habits *h, uint32_t context, uint32_t routine, uint64_t count)
{
	uint32_t c = made_call(m, context, routine, count);

	made_spend(m, c, h->nsec[routine] * count, 0);
	for (uint32_t callee = routine + 1; callee < ROUTINES; callee++)
		if (h->calls[routine][callee] > 0)
			play_habits(m, h, c, callee, count * h->calls[routine][callee]);
}

/* Where each call of a routine costs the same whoever calls, gprof is right: what is wrong is rounding, 1 ns an arc at each level. */
static void test_average_is_true(void **state)
{
	uint64_t seed = 1982;

	(void)state;
	for (int i = 0; i < PROGRAMS / 3; i++) {
		struct made *m = made_new(names, ROUTINES);
		struct habits h = { 0 };
		struct pair p;

		for (uint32_t r = 0; r < ROUTINES; r++) {
			h.nsec[r] = random_below(&seed, 1000);
			for (uint32_t callee = r + 1; callee < ROUTINES; callee++)
				h.calls[r][callee] = random_below(&seed, 3) ? 0 : random_below(&seed, 4);
		}
		play_habits(m, &h, 0, 0, 1);
		p = pair_of(m, NULL, 0);
		check_sums(&p);
		assert_true(p.c->wrong <= (uint64_t)p.c->narcs * ROUTINES);
		pair_free(&p);
		made_free(m);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_map),
		cmocka_unit_test(test_cycle),
		cmocka_unit_test(test_static_arc),
		cmocka_unit_test(test_random),
		cmocka_unit_test(test_average_is_true),
	};

	return cmocka_run_group_tests_name("compare", tests, NULL, NULL);
}
