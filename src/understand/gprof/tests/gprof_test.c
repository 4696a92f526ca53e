/* gprof_test.c - gprof's view on random graphs, against the definition: the ordering, the conservation of time, and the recurrence
 * T(r) = S(r) + sum of T(e) C(r, e) / C(e), solved by plain iteration. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "understand/gprof/gprof.h"
#include "understand/gprof/tests/made_gmon.h"

enum { MOST = 40, STEP = 16 };	/* routines; bytes of each */

static struct made_gmon file;
static struct gmon_symbol symbols[MOST + 1];
static char names[MOST + 1][8];

struct random_graph {
	uint32_t n;			/* routines */
	uint64_t calls[MOST][MOST];	/* from, to */
	uint32_t self[MOST];		/* samples */
};

static uint64_t address_of(uint32_t r)
{
	return 0x1000 + r * STEP;
}

static void make(struct random_graph *g, uint32_t seed)
{
	uint64_t dice = seed;
	uint16_t bins[MOST] = { 0 };
	uint32_t arcs;

	memset(g, 0, sizeof *g);
	g->n = 3 + made_roll(&dice, MOST - 3);
	made_begin(&file, (struct gmon_layout){ .word = 8 }, 1);
	for (uint32_t r = 0; r < g->n; r++)
		bins[r] = (uint16_t)(g->self[r] = made_roll(&dice, 4) ? made_roll(&dice, 500) : 0);
	made_histogram(&file, address_of(0), address_of(g->n), bins, g->n, 100);
	arcs = made_roll(&dice, 3 * g->n);
	while (arcs-- > 0) {
		uint32_t from = made_roll(&dice, g->n), to = made_roll(&dice, g->n), calls = made_roll(&dice, 50);

		if (seed % 3 == 0 && from > to) {		/* no cycles */
			uint32_t swap = from;

			from = to;
			to = swap;
		}
		made_arc(&file, address_of(from) + 5, address_of(to), calls);
		g->calls[from][to] += calls;
	}
	for (uint32_t r = 0; r <= g->n; r++) {
		snprintf(names[r], sizeof names[r], "f%u", r);
		symbols[r] = (struct gmon_symbol){ .name = names[r], .display = names[r], .start = address_of(r),
			.last = address_of(r) + STEP - 1, .function = true };
	}
}

/* Whether there is a way from one routine to another, arcs of no calls included. */
static void reach(const struct gprof *g, bool way[MOST][MOST])
{
	memset(way, 0, MOST * sizeof *way);
	for (uint32_t i = 0; i < g->narcs; i++)
		way[g->arcs[i].from][g->arcs[i].to] = true;
	for (uint32_t k = 0; k < MOST; k++)
		for (uint32_t i = 0; i < MOST; i++)
			for (uint32_t j = 0; j < MOST; j++)
				way[i][j] |= way[i][k] && way[k][j];
}

/* Cycles are the strongly connected components of two and more; arcs between components descend in the numbering. */
static void check_order(const struct gprof *g, const struct random_graph *made)
{
	bool way[MOST][MOST];

	reach(g, way);
	for (uint32_t i = 0; i < made->n; i++)
		for (uint32_t j = 0; j < made->n; j++)
			if (i != j)
				assert_int_equal(way[i][j] && way[j][i], g->routines[i].cycle && g->routines[i].cycle == g->routines[j].cycle);
	for (uint32_t i = 0; i < g->narcs; i++) {
		const struct gprof_routine *from = &g->routines[g->arcs[i].from], *to = &g->routines[g->arcs[i].to];

		if (gprof_is_inner(g, &g->arcs[i]))
			assert_int_equal(from->topological, to->topological);
		else
			assert_true(from->topological > to->topological);
	}
}

/* The node of a routine: its cycle or itself, as an index. */
static uint32_t node(const struct gprof *g, uint32_t r)
{
	return gprof_whole(g, r);
}

/* The recurrence on nodes, iterated until nothing changes: the nodes are a graph without cycles, so that as many rounds as nodes are
 * enough.  TOTAL has room for routines and cycles. */
static void solve(const struct gprof *g, const struct random_graph *made, double *total)
{
	uint32_t nodes = g->nroutines + g->ncycles;
	double *self = calloc(nodes, sizeof *self), *calls = calloc(nodes, sizeof *calls);

	for (uint32_t r = 0; r < made->n; r++) {
		self[node(g, r)] += made->self[r];
		for (uint32_t from = 0; from < made->n; from++)
			if (node(g, from) != node(g, r))
				calls[node(g, r)] += (double)made->calls[from][r];
	}
	memcpy(total, self, nodes * sizeof *total);
	for (uint32_t round = 0; round < nodes; round++) {
		double *next = calloc(nodes, sizeof *next);

		memcpy(next, self, nodes * sizeof *next);
		for (uint32_t from = 0; from < made->n; from++)
			for (uint32_t to = 0; to < made->n; to++)
				if (node(g, from) != node(g, to) && made->calls[from][to])
					next[node(g, from)] += total[node(g, to)] * (double)made->calls[from][to] / calls[node(g, to)];
		memcpy(total, next, nodes * sizeof *total);
		free(next);
	}
	free(self);
	free(calls);
}

static void close_to(double a, double b)
{
	if (fabs(a - b) > 1e-6 * (1 + fabs(a)))
		fail_msg("%.9f is not %.9f", a, b);
}

static void check_times(const struct gprof *g, const struct random_graph *made)
{
	double total[2 * MOST + 2] = { 0 }, all = 0, kept = 0;

	solve(g, made, total);
	for (uint32_t r = 0; r < made->n; r++) {
		all += made->self[r];
		close_to(g->routines[r].self, made->self[r]);
		if (!g->routines[r].cycle)
			close_to(g->routines[r].self + g->routines[r].child, total[r]);
	}
	close_to(g->time, all);
	close_to(g->shown_time, all);
	for (uint32_t c = 0; c < g->ncycles; c++)
		close_to(g->routines[g->nroutines + c].self + g->routines[g->nroutines + c].child, total[g->nroutines + c]);
	for (uint32_t i = 0; i < g->nroutines + g->ncycles; i++)	/* what nobody called keeps its time */
		if (g->routines[i].calls == 0 && (i >= g->nroutines || !g->routines[i].cycle))
			kept += total[i];
	close_to(kept, all);
}

/* Each arc passes its share, and those into a node add up to it. */
static void check_arcs(const struct gprof *g)
{
	double passed[2 * MOST + 2] = { 0 };

	for (uint32_t i = 0; i < g->narcs; i++) {
		const struct gprof_arc *arc = &g->arcs[i];
		const struct gprof_routine *to = &g->routines[gprof_whole(g, arc->to)];

		if (gprof_is_inner(g, arc))
			continue;
		passed[gprof_whole(g, arc->to)] += arc->self + arc->child;
		if (to->calls)
			close_to(arc->self + arc->child, (to->self + to->child) * (double)arc->calls / (double)to->calls);
	}
	for (uint32_t i = 0; i < g->nroutines + g->ncycles; i++)
		if (g->routines[i].calls && (i >= g->nroutines || !g->routines[i].cycle))
			close_to(passed[i], g->routines[i].self + g->routines[i].child);
}

static void test_random(void **state)
{
	uint32_t cycles = 0;

	(void)state;
	for (uint32_t seed = 0; seed < 400; seed++) {
		struct random_graph made;
		struct gmon m;
		struct gprof *g;

		make(&made, seed);
		gmon_init(&m, file.layout);
		assert_true(gmon_read(&m, file.data, file.len, GMON_AUTO, "made", NULL));
		g = gprof_build(&m, symbols, made.n + 1, &(struct gprof_options){ 0 }, NULL);
		assert_non_null(g);
		check_order(g, &made);
		check_times(g, &made);
		check_arcs(g);
		cycles += g->ncycles;
		gprof_free(g);
		gmon_free(&m);
	}
	assert_true(cycles > 100);
}

/* A chain and a ring of a hundred thousand routines: no recursion, and no more than a moment. */
static void test_deep(void **state)
{
	enum { DEEP = 100000 };
	struct gmon_symbol *deep = calloc(DEEP, sizeof *deep);
	struct gmon_arc *arcs = calloc(DEEP, sizeof *arcs);
	struct gmon m;

	(void)state;
	gmon_init(&m, (struct gmon_layout){ .word = 8 });
	for (uint32_t i = 0; i < DEEP; i++) {
		deep[i] = (struct gmon_symbol){ .name = "f", .display = "f", .start = 16 * i + 16, .last = 16 * i + 31, .function = true };
		arcs[i] = (struct gmon_arc){ 16 * i + 16, 16 * ((i + 1) % DEEP) + 16, 1 };
	}
	m.arcs = arcs;
	for (int ring = 0; ring < 2; ring++) {
		struct gprof *g;

		m.narcs = DEEP - 1 + (size_t)ring;
		g = gprof_build(&m, deep, DEEP, &(struct gprof_options){ 0 }, NULL);
		assert_non_null(g);
		assert_int_equal(g->ncycles, ring);
		assert_int_equal(g->routines[0].topological, ring ? 1 : DEEP);
		gprof_free(g);
	}
	free(deep);
	free(arcs);
}

static struct gprof *build(struct gmon *m, const struct gprof_spec *specs, size_t n)
{
	static const struct gmon_symbol of[] = {
		{ .name = "main", .display = "main", .file = "/src/main.c", .line = 9, .start = 0x1000, .last = 0x100f, .function = true },
		{ .name = "work", .display = "work", .file = "/src/work.c", .line = 5, .start = 0x1010, .last = 0x101f, .function = true },
		{ .name = "leaf", .display = "leaf", .file = "/src/work.c", .line = 9, .start = 0x1020, .last = 0x102f, .function = true },
		{ .name = "_fini", .display = "_fini", .start = 0x1030, .last = 0x103f, .function = true },
	};
	static const uint16_t bins[4] = { 1, 10, 100, 0 };
	struct gprof *g;

	made_begin(&file, (struct gmon_layout){ .word = 8 }, 1);
	made_histogram(&file, 0x1000, 0x1040, bins, 4, 100);
	made_arc(&file, 0x1004, 0x1010, 2);
	made_arc(&file, 0x1014, 0x1020, 3);
	made_arc(&file, 0x1004, 0x1020, 1);
	gmon_init(m, file.layout);
	assert_true(gmon_read(m, file.data, file.len, GMON_AUTO, "made", NULL));
	g = gprof_build(m, of, 4, &(struct gprof_options){ .specs = specs, .nspecs = n }, NULL);
	assert_non_null(g);
	return g;
}

static void test_names(void **state)
{
	static const struct {
		enum gprof_table table;
		const char *text;
		double time, shown_time, work;	/* of all, of what is shown, of work with its callees */
		uint32_t arcs;
	} cases[] = {
		{ GPROF_EXCLUDE_GRAPH, "nobody", 111, 111, 85, 3 },
		{ GPROF_EXCLUDE_FLAT, "leaf", 11, 11, 10, 3 },
		{ GPROF_INCLUDE_FLAT, "work.c", 110, 110, 85, 3 },
		{ GPROF_INCLUDE_FLAT, "work.c:5", 10, 10, 10, 3 },
		{ GPROF_INCLUDE_FLAT, "9", 101, 101, 75, 3 },
		{ GPROF_EXCLUDE_TIME, "leaf", 111, 11, 10, 3 },
		{ GPROF_EXCLUDE_ARCS, "main/leaf", 111, 111, 110, 2 },
		{ GPROF_EXCLUDE_ARCS, "/leaf", 111, 111, 10, 1 },
		{ GPROF_EXCLUDE_ARCS, "main.c/", 111, 111, 110, 1 },
		{ GPROF_INCLUDE_ARCS, "work/leaf", 111, 111, 110, 1 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct gprof_spec spec = { cases[i].table, cases[i].text };
		struct gmon m;
		struct gprof *g = build(&m, &spec, 1);

		close_to(g->time, cases[i].time);
		close_to(g->shown_time, cases[i].shown_time);
		close_to(g->routines[1].self + g->routines[1].child, cases[i].work);
		assert_int_equal(g->narcs, cases[i].arcs);
		gprof_free(g);
		gmon_free(&m);
	}
}

/* Two arcs of one caller, each named: both go, where gprof 2.40 forgets one. */
static void test_two_arcs(void **state)
{
	static const struct gprof_spec specs[] = { { GPROF_EXCLUDE_ARCS, "main/work" }, { GPROF_EXCLUDE_ARCS, "main/leaf" } };
	struct gmon m;
	struct gprof *g = build(&m, specs, 2);

	(void)state;
	assert_int_equal(g->narcs, 1);
	gprof_free(g);
	gmon_free(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random),
		cmocka_unit_test(test_deep),
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_two_arcs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
