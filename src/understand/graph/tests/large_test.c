/* large_test.c - a million contexts as a compiler makes them: 10,000 routines, 50,000 arcs, histories of 25 entries as
 * a rule, one step in 70 unmarks.  Times and memory are printed; what is checked is conservation. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

#include "understand/graph/tests/made.h"
#include "understand/graph/recurring_paths.h"

enum { CONTEXTS = 1000000, ROUTINES = 10000, CALLEES = 5, LONGEST = 62 };

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

/* Two callees anywhere, two near, and one of a few that many routines call. */
static uint32_t callee_of(uint32_t routine, uint32_t k)
{
	uint64_t seed = (uint64_t)routine * CALLEES + k;

	random_below(&seed, 2);
	return k < 2 ? random_below(&seed, ROUTINES) : k < 4 ? (routine + 1 + random_below(&seed, 50)) % ROUTINES
		: random_below(&seed, 1000);
}

static void play(struct made *m)
{
	uint32_t stack[1000] = { 0 }, depth = 0;
	uint64_t seed = 3;

	while (m->p.ncontexts < CONTEXTS) {
		const struct profile_context *c = m->p.contexts + stack[depth];

		if (depth > 0 && (c->length == LONGEST || depth == 999 || random_below(&seed, 55) < depth)) {
			depth--;
			continue;
		}
		stack[depth + 1] = made_call(m, stack[depth],
			depth ? callee_of(c->routine, random_below(&seed, CALLEES)) : 0, 1);
		depth++;
		made_spend(m, stack[depth], random_below(&seed, 1000), random_below(&seed, 100));
	}
}

static struct made *large_program(void)
{
	static char text[ROUTINES][12];
	static const char *names[ROUTINES];
	struct made *m;
	uint64_t length = 0, unmarking = 0;

	for (uint32_t i = 0; i < ROUTINES; i++) {
		snprintf(text[i], sizeof text[i], "f%u", i);
		names[i] = text[i];
	}
	m = made_new(names, ROUTINES);
	play(m);
	for (uint32_t i = 0; i < m->p.ncontexts; i++) {
		length += m->p.contexts[i].length;
		unmarking += m->p.contexts[i].folded;
	}
	printf("%u contexts, %.1f entries, longest %u, %llu after a step that unmarks\n", m->p.ncontexts,
		(double)length / m->p.ncontexts, m->p.longest, (unsigned long long)unmarking);
	return m;
}

static size_t megabytes(void)
{
	struct mallinfo2 info = mallinfo2();

	return (info.uordblks + info.hblkhd) >> 20;
}

static void print_peak(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	printf("  peak of the process so far %ld MB\n", usage.ru_maxrss >> 10);
}

static void build_tree(const struct graph *g, const char *what, const struct tree_options *options)
{
	double start = now();
	struct tree *t = tree_build(g, options, NULL);

	printf("%s tree: %.2f s, %zu nodes\n", what, now() - start, t->nnodes);
	assert_int_equal(t->nodes[0].total, g->time + g->outside);
	print_peak();
	tree_free(t);
}

static void find_paths(const struct graph *g)
{
	double start = now();
	struct paths *found = paths_find(g, &(struct paths_options){ .most = 0 }, NULL);

	assert_non_null(found);
	printf("paths: %.2f s, %zu sequences\n", now() - start, found->n);
	print_peak();
	paths_free(found);
}

static void test_million(void **state)
{
	struct made *m = large_program();
	size_t before = megabytes();
	struct graph *g;
	double start;

	(void)state;
	print_peak();
	start = now();
	g = made_graph(m, NULL);
	printf("graph_build: %.2f s, %u arcs, %u cycles, %zu MB held\n", now() - start, g->narcs, g->ncycles,
		megabytes() - before);
	print_peak();
	assert_int_equal(g->ncontexts, m->p.ncontexts);
	assert_int_equal(g->time + g->outside + g->hooks, m->p.time);
	build_tree(g, "top-down", &(struct tree_options){ 0 });
	build_tree(g, "bottom-up, from 0.01 % on,", &(struct tree_options){ .bottom_up = true, .min_time = g->time / 10000 });
	build_tree(g, "bottom-up, 8 deep,", &(struct tree_options){ .bottom_up = true, .depth = 8 });
	find_paths(g);
	graph_free(g);
	made_free(m);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_million) };

	return cmocka_run_group_tests_name("a million contexts", tests, NULL, NULL);
}
