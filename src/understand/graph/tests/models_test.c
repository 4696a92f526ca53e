/* models_test.c - the gprof and cct models: examples of the papers, and random programs against solutions that share
 * nothing with them: a dense system of equations over components found by reachability, and a stack that is walked. */
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

#define COUNT(a) (sizeof (a) / sizeof *(a))

enum { PROGRAMS = 150, STEPS = 800, DEPTH = 30, ROUTINES = 12 };

static struct graph *graph_by(const struct made *m, enum graph_model model)
{
	return made_graph(m, &(struct graph_options){ .model = model, .thread = GRAPH_NONE });
}

static void assert_arc(const struct graph *g, const char *from, const char *to, uint64_t calls, uint64_t self, uint64_t child)
{
	const struct graph_arc *arc = arc_between(g, from, to);

	assert_int_equal(arc->calls, calls);
	assert_int_equal(arc->self1, self);
	assert_int_equal(arc->self2, self);
	assert_int_equal(arc->child1, child);
	assert_int_equal(arc->child2, child);
}

/* gprof's error, in numbers: cheap and dear share what dear alone spent. */
static void test_average(void **state)
{
	static const char *const names[] = { "Main", "cheap", "dear", "work" };
	struct made *m = made_new(names, COUNT(names));
	struct graph *g;

	(void)state;
	made_play(m, "Main cheap work", 1);
	made_play(m, "Main dear work", 99);
	g = graph_by(m, GRAPH_GPROF);
	assert_arc(g, "cheap", "work", 1, 50, 0);
	assert_arc(g, "dear", "work", 1, 50, 0);
	assert_arc(g, "Main", "dear", 1, 0, 50);
	assert_arc(g, NULL, "Main", 2, 0, 100);
	assert_int_equal(g->routines[named(g, "dear")].total, 50);
	graph_free(g);
	made_free(m);
}

/* A piece is entered where the beginning of its routine was inlined: a call, which has its share of the time. */
static void test_pieces(void **state)
{
	static const char *const names[] = { "Main", "A", "B", "P", "P.part.0" };
	struct made *m = made_new(names, COUNT(names));
	struct graph *g;

	(void)state;
	made_play(m, "Main A P", 10);
	made_play(m, "Main B P.part.0", 90);
	g = graph_by(m, GRAPH_GPROF);
	assert_arc(g, "A", "P", 1, 50, 0);
	assert_arc(g, "B", "P", 1, 50, 0);
	assert_true(g->routines[named(g, "P")].partly);
	assert_false(g->routines[named(g, "A")].partly);
	assert_arc(g, "Main", "B", 1, 0, 50);
	assert_int_equal(g->routines[named(g, "P")].calls, 2);
	graph_free(g);
	made_free(m);
}

/* Figure 4 of the 1982 paper, in hundredths of seconds: EXAMPLE, its callers, SUB1 in a cycle, SUB2.  Its 3.00 s of
 * descendants are 2.50 of the cycle and 0.50 of SUB2. */
static void test_figure_4(void **state)
{
	static const char *const names[] = { "CALLER1", "CALLER2", "EXAMPLE", "SUB1", "SUB1B", "DEEP", "SUB2", "OTHER", "DEEP2" };
	struct made *m = made_new(names, COUNT(names));
	uint32_t c1 = made_call(m, 0, 0, 1), c2 = made_call(m, 0, 1, 1), other = made_call(m, 0, 7, 1);
	uint32_t e1 = made_call(m, c1, 2, 4), e2 = made_call(m, c2, 2, 6), s, t;
	struct graph *g;

	(void)state;
	made_call(m, e1, 2, 4);
	made_spend(m, e2, 50, 0);
	s = made_call(m, e1, 3, 20);
	t = made_call(m, made_call(m, other, 3, 20), 4, 7);
	made_call(m, t, 3, 5);
	made_spend(m, s, 200, 0);
	made_spend(m, t, 100, 0);
	made_spend(m, made_call(m, s, 5, 3), 200, 0);
	made_spend(m, made_call(m, made_call(m, e1, 6, 1), 8, 1), 50, 0);
	made_spend(m, made_call(m, made_call(m, other, 6, 4), 8, 4), 200, 0);
	g = graph_by(m, GRAPH_GPROF);
	assert_arc(g, "CALLER1", "EXAMPLE", 4, 20, 120);
	assert_arc(g, "CALLER2", "EXAMPLE", 6, 30, 180);
	assert_int_equal(g->routines[named(g, "EXAMPLE")].self, 50);
	assert_int_equal(g->routines[named(g, "EXAMPLE")].total, 350);
	assert_int_equal(g->routines[named(g, "EXAMPLE")].calls, 10);
	assert_int_equal(g->routines[named(g, "EXAMPLE")].recursive, 4);
	assert_arc(g, "EXAMPLE", "SUB1", 20, 150, 100);
	assert_arc(g, "EXAMPLE", "SUB2", 1, 0, 50);
	assert_arc(g, "SUB1", "SUB1B", 7, 0, 0);
	assert_int_equal(g->nlumps, 1);
	assert_int_equal(g->lumps[0].size, 2);
	assert_int_equal(g->lumps[0].calls, 40);
	assert_int_equal(g->lumps[0].inner, 12);
	assert_int_equal(g->lumps[0].self, 300);
	assert_int_equal(g->lumps[0].total, 500);
	assert_int_equal(g->routines[named(g, "SUB1")].cycle, 1);
	assert_int_equal(g->routines[named(g, "EXAMPLE")].cycle, 0);
	graph_free(g);
	made_free(m);
}

/* Static arcs have no calls and no times, but take part in the ordering: here one closes a circle, and the routine that
 * nobody called is there.  By the other models nothing else changes. */
static void test_static_arcs(void **state)
{
	static const char *const names[] = { "Main", "P", "Q" };
	static const struct graph_static_arc arcs[] = {
		{ .from = { .name = "Q", .key = "Q" }, .to = { .name = "P", .key = "P" } },
		{ .from = { .name = "P", .key = "P" }, .to = { .name = "never", .key = "never" } },
		{ .from = { .name = "P.cold", .key = "P", .part = true }, .to = { .name = "Q", .key = "Q" } },
		{ .from = { .name = "P.cold", .key = "P", .part = true }, .to = { .name = "P", .key = "P" } },
	};
	struct graph_options options = { .model = GRAPH_GPROF, .thread = GRAPH_NONE, .static_arcs = arcs, .nstatic_arcs = COUNT(arcs) };
	struct made *m = made_new(names, COUNT(names));
	struct graph *g;

	(void)state;
	made_play(m, "Main P Q", 10);
	g = made_graph(m, &options);
	assert_int_equal(g->narcs, 5);
	assert_arc(g, "Q", "P", 0, 0, 0);
	assert_arc(g, "P", "never", 0, 0, 0);
	assert_arc(g, "P", "Q", 1, 0, 0);
	assert_arc(g, "Main", "P", 1, 10, 0);
	assert_int_equal(g->nlumps, 1);
	assert_int_equal(g->lumps[0].size, 2);
	assert_int_equal(g->lumps[0].total, 10);
	assert_int_equal(g->nroutines, 4);
	assert_int_equal(g->routines[named(g, "never")].calls, 0);
	assert_string_equal(g->routines[named(g, "P")].name.name, "P");
	graph_free(g);
	options.model = GRAPH_HISTORY;
	g = made_graph(m, &options);
	assert_arc(g, "P", "Q", 1, 10, 0);
	assert_arc(g, "Q", "P", 0, 0, 0);
	graph_free(g);
	made_free(m);
}

/* Figure 3 of Spivey's paper: in the tree S is the child of the first P, and Q and R are not seen to be active. */
static void test_figure_3(void **state)
{
	static const char *const names[] = { "Main", "P", "Q", "R", "S" };
	struct made *m = made_new(names, COUNT(names));
	struct graph *g;

	(void)state;
	made_play(m, "Main P Q R P S", 10);
	g = graph_by(m, GRAPH_CCT);
	assert_arc(g, NULL, "Main", 1, 0, 10);
	assert_arc(g, "Main", "P", 1, 0, 10);
	assert_arc(g, "P", "S", 1, 10, 0);
	assert_arc(g, "P", "Q", 1, 0, 0);
	assert_arc(g, "R", "P", 1, 0, 0);
	assert_int_equal(g->routines[named(g, "P")].total, 10);
	assert_int_equal(g->routines[named(g, "Q")].total, 0);
	graph_free(g);
	made_free(m);
}

/* The bottom routine is called again, and its first entry squeezed out of the history: the tree still begins with it. */
static void test_bottom_again(void **state)
{
	static const char *const names[] = { "Main", "P", "S" };
	struct made *m = made_new(names, COUNT(names));
	struct graph *g;

	(void)state;
	made_play(m, "Main P Main P S", 10);
	g = graph_by(m, GRAPH_CCT);
	assert_arc(g, NULL, "Main", 1, 0, 10);
	assert_arc(g, "Main", "P", 2, 0, 10);
	assert_arc(g, "P", "S", 1, 10, 0);
	graph_free(g);
	made_free(m);
}

/* What a stack that is walked says of the tree: at each depth the chain, as routines. */
struct walk {
	uint32_t chain[DEPTH + 1][ROUTINES];	/* routines of the node */
	uint32_t length[DEPTH + 1];		/* how many */
	uint64_t total[ROUTINES];		/* ns */
	uint64_t self[ROUTINES + 1][ROUTINES];	/* of arcs, caller ROUTINES: none; ns */
	uint64_t child[ROUTINES + 1][ROUTINES];	/* ns */
	uint64_t calls[ROUTINES + 1][ROUTINES];	/* from the routine that ran, back-edges included; direct recursion on its diagonal */
};

static void walk_call(struct walk *w, uint32_t depth, uint32_t callee)
{
	uint32_t n = depth ? w->length[depth - 1] : 0, i;

	w->calls[n ? w->chain[depth - 1][n - 1] : ROUTINES][callee]++;
	for (i = 0; i < n && w->chain[depth - 1][i] != callee; i++)
		w->chain[depth][i] = w->chain[depth - 1][i];
	w->chain[depth][i] = callee;
	w->length[depth] = i + 1;
}

static void walk_spend(struct walk *w, uint32_t depth, uint64_t nsec)
{
	for (uint32_t i = 0; i < w->length[depth]; i++) {
		uint32_t caller = i ? w->chain[depth][i - 1] : ROUTINES, routine = w->chain[depth][i];

		w->total[routine] += nsec;
		*(i + 1 == w->length[depth] ? &w->self[caller][routine] : &w->child[caller][routine]) += nsec;
	}
}

static const char *const names[ROUTINES] = { "Main", "A", "B", "C", "D", "E", "F", "G", "H", "I", "J", "K" };

/* A random program, walked at the same time. */
static struct made *random_program(uint64_t *seed, struct walk *w)
{
	uint32_t n = 3 + random_below(seed, ROUTINES - 2), stack[DEPTH + 1] = { 0 }, depth = 0, density = 2 + random_below(seed, 6);
	struct made *m = made_new(names, n);
	bool calls[n][n];

	memset(w, 0, sizeof *w);
	for (uint32_t i = 0; i < n * n; i++)
		calls[i / n][i % n] = random_below(seed, density) == 0 || (i % n == i / n + 1);
	for (uint32_t step = 0; step < STEPS; step++) {
		uint32_t callee = random_below(seed, n), running = m->p.contexts[stack[depth]].routine;
		uint64_t nsec = random_below(seed, 100000);

		if (depth > 1 && random_below(seed, 8) < 2)
			depth--;
		else if (depth < DEPTH && (depth == 0 || calls[running][callee])) {
			walk_call(w, depth, depth ? callee : 0);
			stack[depth + 1] = made_call(m, stack[depth], depth ? callee : 0, 1);
			depth++;
		}
		made_spend(m, stack[depth], nsec, 0);
		if (depth > 0)
			walk_spend(w, depth - 1, nsec);
	}
	return m;
}

/* Which routines reach which, by arcs. */
static void find_reach(const struct graph *g, bool reach[ROUTINES][ROUTINES])
{
	memset(reach, 0, ROUTINES * sizeof *reach);
	for (uint32_t i = 0; i < g->narcs; i++)
		if (g->arcs[i].from != GRAPH_NONE)
			reach[g->arcs[i].from][g->arcs[i].to] = true;
	for (uint32_t k = 0; k < g->nroutines; k++)
		for (uint32_t i = 0; i < g->nroutines; i++)
			for (uint32_t j = 0; j < g->nroutines; j++)
				reach[i][j] |= reach[i][k] && reach[k][j];
}

/* Iterate T = S + A T over components, whose representative is their least routine, to its fixed point: no order is needed. */
static void solve(const struct graph *g, bool reach[ROUTINES][ROUTINES], uint32_t *of, double *total, double *calls)
{
	for (uint32_t r = 0; r < g->nroutines; r++) {
		of[r] = r;
		calls[r] = total[r] = 0;
		for (uint32_t s = r; s-- > 0;)
			if (reach[r][s] && reach[s][r])
				of[r] = s;
	}
	for (uint32_t i = 0; i < g->narcs; i++)
		if (g->arcs[i].from == GRAPH_NONE || of[g->arcs[i].from] != of[g->arcs[i].to])
			calls[of[g->arcs[i].to]] += (double)g->arcs[i].calls;
	for (uint32_t pass = 0; pass <= g->nroutines; pass++) {
		double next[ROUTINES] = { 0 };

		for (uint32_t r = 0; r < g->nroutines; r++)
			next[of[r]] += (double)g->routines[r].self;
		for (uint32_t i = 0; i < g->narcs; i++) {
			const struct graph_arc *a = g->arcs + i;

			if (a->from != GRAPH_NONE && of[a->from] != of[a->to])
				next[of[a->from]] += total[of[a->to]] * (double)a->calls / calls[of[a->to]];
		}
		memcpy(total, next, sizeof next);
	}
}

static void check_gprof(const struct graph *g)
{
	bool reach[ROUTINES][ROUTINES];
	uint64_t incoming[ROUTINES] = { 0 }, component[ROUTINES] = { 0 };
	double total[ROUTINES], calls[ROUTINES];
	uint32_t of[ROUTINES];

	find_reach(g, reach);
	solve(g, reach, of, total, calls);
	for (uint32_t i = 0; i < g->narcs; i++) {
		const struct graph_arc *a = g->arcs + i;
		double share = total[of[a->to]] * (double)a->calls / calls[of[a->to]];

		assert_int_equal(a->self1, a->self2);
		assert_int_equal(a->child1, a->child2);
		incoming[of[a->to]] += a->self2 + a->child2;
		if (a->from != GRAPH_NONE && of[a->from] == of[a->to]) {
			assert_int_equal(a->self2 + a->child2, 0);
			assert_int_equal(g->routines[a->from].topological, g->routines[a->to].topological);
			continue;
		}
		assert_true(fabs((double)(a->self2 + a->child2) - share) < 300);
		if (a->from != GRAPH_NONE)
			assert_true(g->routines[a->from].topological > g->routines[a->to].topological);
	}
	for (uint32_t r = 0; r < g->nroutines; r++) {
		uint64_t out = g->routines[r].self;

		for (uint32_t i = 0; i < g->routines[r].nout; i++)
			out += g->arcs[g->routines[r].first_out + i].self1 + g->arcs[g->routines[r].first_out + i].child1;
		assert_int_equal(g->routines[r].total, out);
		component[of[r]] += g->routines[r].total;
		for (uint32_t s = 0; s < r; s++)
			assert_int_equal(of[r] == of[s], g->routines[r].topological == g->routines[s].topological);
	}
	for (uint32_t r = 0; r < g->nroutines; r++)
		if (calls[r] > 0)
			assert_int_equal(component[r], incoming[r]);
	for (uint32_t i = 0; i < g->nlumps; i++) {
		uint32_t first = g->lump_members[g->lumps[i].first];

		assert_int_equal(g->lumps[i].total, component[of[first]]);
		assert_true((double)g->lumps[i].calls == calls[of[first]]);
	}
}

static void check_cct(const struct graph *g, const struct walk *w)
{
	uint64_t time = 0, calls = 0;

	for (uint32_t i = 0; i < (ROUTINES + 1) * ROUTINES; i++)
		calls += w->calls[i / ROUTINES][i % ROUTINES];
	assert_int_equal(g->calls, calls);
	for (uint32_t r = 0; r < g->nroutines; r++) {
		assert_int_equal(g->routines[r].total, w->total[r]);
		assert_int_equal(g->routines[r].recursive, w->calls[r][r]);
	}
	for (uint32_t i = 0; i < g->narcs; i++) {
		const struct graph_arc *a = g->arcs + i;
		uint32_t from = a->from == GRAPH_NONE ? ROUTINES : a->from;

		assert_int_equal(a->calls, w->calls[from][a->to]);
		assert_int_equal(a->self1, w->self[from][a->to]);
		assert_int_equal(a->child1, w->child[from][a->to]);
		assert_int_equal(a->self2, a->self1);
		assert_int_equal(a->child2, a->child1);
		time += from == ROUTINES ? a->self2 + a->child2 : 0;
	}
	assert_int_equal(time, g->time);
}

static void test_random(void **state)
{
	static struct walk w;
	uint64_t seed = 1982;
	uint32_t lumps = 0;

	(void)state;
	for (int i = 0; i < PROGRAMS; i++) {
		struct made *m = random_program(&seed, &w);
		struct graph *g = graph_by(m, GRAPH_GPROF);

		check_gprof(g);
		lumps += g->nlumps;
		graph_free(g);
		g = graph_by(m, GRAPH_CCT);
		check_cct(g, &w);
		graph_free(g);
		made_free(m);
	}
	assert_true(lumps > PROGRAMS / 10);
}

/* A chain of calls as long as one likes, closed to a circle: no recursion on the stack of the analysis. */
static void test_long_circle(void **state)
{
	enum { LONG = 200000 };
	const char **many = calloc(LONG, sizeof *many);
	struct made *m;
	struct graph *g;

	(void)state;
	for (uint32_t i = 0; i < LONG; i++)
		many[i] = "A";
	m = made_new(many, LONG);
	for (uint32_t i = 0; i < LONG; i++) {
		char key[16];

		free((char *)m->names[i].key);
		snprintf(key, sizeof key, "r%u", i);
		m->names[i].name = m->names[i].key = strdup(key);
	}
	made_spend(m, made_call(m, made_call(m, 0, LONG - 1, 1), 0, 1), 100, 0);
	for (uint32_t i = 0; i + 1 < LONG; i++)
		made_call(m, made_call(m, 0, i, 0), i + 1, 1);
	g = graph_by(m, GRAPH_GPROF);
	assert_int_equal(g->nlumps, 1);
	assert_int_equal(g->lumps[0].size, LONG);
	assert_int_equal(g->lumps[0].total, 100);
	graph_free(g);
	made_free(m);
	free(many);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_average),
		cmocka_unit_test(test_pieces),
		cmocka_unit_test(test_figure_4),
		cmocka_unit_test(test_static_arcs),
		cmocka_unit_test(test_figure_3),
		cmocka_unit_test(test_bottom_again),
		cmocka_unit_test(test_random),
		cmocka_unit_test(test_long_circle),
	};

	return cmocka_run_group_tests_name("models", tests, NULL, NULL);
}
