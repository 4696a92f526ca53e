/* paths_test.c - recurring sequences: the essay's case by hand; then random programs, each history of which is cut into all its
 * sequences by the words of recurring_paths.h, and what is found held against that. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "understand/graph/tests/made.h"
#include "understand/graph/recurring_paths.h"

/* PATH in words, in a static buffer. */
static const char *words_of(const struct graph *g, const struct paths *found, const struct graph_path *path)
{
	static char words[1000];
	size_t used = 0;

	words[0] = '\0';
	for (uint32_t i = 0; i < path->length; i++)
		used += snprintf(words + used, sizeof words - used, "%s%s", i ? " " : "",
			g->routines[found->routines[path->first + i]].name.name);
	return words;
}

static struct paths *find(const struct graph *g, size_t most)
{
	struct paths *found = paths_find(g, &(struct paths_options){ .most = most }, NULL);

	assert_non_null(found);
	return found;
}

/* Twelve callers of A -> B -> C, none of which has much; one place with most of the time; and a sequence in two places. */
static void test_essay(void **state)
{
	static const char *names[] = { "Main", "A", "B", "C", "X", "Y", "Z", "c0", "c1", "c2", "c3", "c4", "c5", "c6", "c7",
		"c8", "c9", "c10", "c11" };
	struct made *m = made_new(names, sizeof names / sizeof *names);
	struct paths *found;
	struct graph *g;
	char stack[40];

	(void)state;
	made_play(m, "Main X Y Z", 5000);
	made_play(m, "Main c0 X Y", 300);
	for (int i = 0; i < 12; i++) {
		snprintf(stack, sizeof stack, "Main c%d A B C", i);
		made_play(m, stack, 100);
	}
	g = made_graph(m, NULL);
	found = find(g, 0);
	assert_int_equal(found->n, 1);
	assert_string_equal(words_of(g, found, found->paths), "A B C");
	assert_int_equal(found->paths[0].time, 1200);
	assert_int_equal(found->paths[0].ticks, 12);
	assert_int_equal(found->paths[0].calls, 12);
	assert_int_equal(found->paths[0].contexts, 12);
	assert_true(found->paths[0].effective > 11.99 && found->paths[0].effective < 12.01);
	paths_free(found);
	graph_free(g);
	made_free(m);
}

/* B is always called by A and always calls C, which has two callees: the sequence that is listed has all three. */
static void test_maximal(void **state)
{
	static const char *names[] = { "Main", "A", "B", "C", "D", "E", "c0", "c1", "c2" };
	struct made *m = made_new(names, sizeof names / sizeof *names);
	struct paths *found;
	struct graph *g;

	(void)state;
	for (int i = 0; i < 3; i++) {
		char stack[40];

		snprintf(stack, sizeof stack, "Main c%d A B C D", i);
		made_play(m, stack, 100);
		snprintf(stack, sizeof stack, "Main c%d A B C E", i);
		made_play(m, stack, 90);
	}
	g = made_graph(m, NULL);
	found = find(g, 0);
	assert_int_equal(found->n, 1);
	assert_string_equal(words_of(g, found, found->paths), "A B C");
	assert_int_equal(found->paths[0].time, 570);
	paths_free(found);
	graph_free(g);
	made_free(m);
}

/* The paper's program: R has 1000 ns in <Main P Q R> and as much in <Main P' R' P Q R>, where P, Q and R are active twice;
 * P -> Q -> R has each of them once. */
static void test_recursion(void **state)
{
	static const char *names[] = { "Main", "P", "Q", "R", "S" };
	struct made *m = made_new(names, 5);
	struct paths *found;
	struct graph *g;

	(void)state;
	made_play(m, "Main P Q R P Q R P S", 0);
	made_spend_in(m, "Main P Q R", 1000);
	made_spend_in(m, "Main P Q R P Q R", 1000);
	g = made_graph(m, NULL);
	found = find(g, 0);
	assert_int_equal(found->n, 1);
	assert_string_equal(words_of(g, found, found->paths), "P Q R");
	assert_int_equal(found->paths[0].time, 2000);
	assert_int_equal(found->paths[0].contexts, 2);
	assert_int_equal(found->paths[0].calls, 2);
	paths_free(found);
	graph_free(g);
	made_free(m);
}

/* Nothing runs, nothing recurs; a pseudo-routine joins nothing. */
static void test_nothing(void **state)
{
	static const char *names[] = { "Main", "(elided)", "A", "B", "c0", "c1" };
	struct made *m = made_new(names, 6);
	struct graph *g = made_graph(m, NULL);
	struct paths *found = find(g, 0);

	(void)state;
	assert_int_equal(found->n, 0);
	paths_free(found);
	graph_free(g);
	made_play(m, "c0 (elided) A B", 10);
	made_play(m, "c1 (elided) A B", 10);
	g = made_graph(m, NULL);
	found = find(g, 0);
	assert_int_equal(found->n, 0);
	paths_free(found);
	graph_free(g);
	made_free(m);
}

/* Without time calls rank. */
static void test_calls(void **state)
{
	static const char *names[] = { "Main", "A", "B", "C", "c0", "c1" };
	struct made *m = made_new(names, 6);
	struct paths *found;
	struct graph *g;

	(void)state;
	made_play(m, "Main c0 A B C", 0);
	made_play(m, "Main c1 A B C", 0);
	g = made_graph(m, NULL);
	found = find(g, 0);
	assert_int_equal(found->n, 1);
	assert_string_equal(words_of(g, found, found->paths), "A B C");
	assert_int_equal(found->paths[0].calls, 2);
	paths_free(found);
	graph_free(g);
	made_free(m);
}

/* The first of several are what fewer would have been; of another least time they are not. */
static void test_answer(void **state)
{
	struct paths all = { .options = { 0 } }, ten = { .options = { .most = 10, .min_time = 5 } };

	(void)state;
	assert_true(paths_answer(&all, &(struct paths_options){ 0 }));
	assert_true(paths_answer(&all, &(struct paths_options){ .most = 3 }));
	assert_false(paths_answer(&all, &(struct paths_options){ .min_time = 1 }));
	assert_true(paths_answer(&ten, &(struct paths_options){ .most = 10, .min_time = 5 }));
	assert_true(paths_answer(&ten, &(struct paths_options){ .most = 9, .min_time = 5 }));
	assert_false(paths_answer(&ten, &(struct paths_options){ .most = 11, .min_time = 5 }));
	assert_false(paths_answer(&ten, &(struct paths_options){ .min_time = 5 }));
	assert_false(paths_answer(&ten, &(struct paths_options){ .most = 10, .min_time = 6 }));
}

/* A sequence, cut out of the histories one by one. */
struct literal {
	uint32_t routines[64];	/* the caller first */
	uint32_t length;	/* how many */
	uint32_t contexts;	/* that end with it */
	uint64_t time, calls;
	uint32_t last;		/* context for which time was counted last */
};

struct literals {
	struct literal *all;
	size_t n, room;
	size_t *slots;		/* hash table of indices + 1 */
	size_t nslots;
};

static size_t *literal_slot(struct literals *l, const uint32_t *routines, uint32_t n)
{
	size_t i = history_hash(routines, n) & (l->nslots - 1);

	for (; l->slots[i]; i = (i + 1) & (l->nslots - 1)) {
		const struct literal *s = l->all + l->slots[i] - 1;

		if (s->length == n && memcmp(s->routines, routines, n * sizeof *routines) == 0)
			break;
	}
	return l->slots + i;
}

static struct literal *literal_at(struct literals *l, const uint32_t *routines, uint32_t n)
{
	size_t *slot = literal_slot(l, routines, n);

	if (*slot)
		return l->all + *slot - 1;
	assert_true(l->n + 1 < l->nslots);
	if (l->n == l->room) {
		l->room = l->room ? 2 * l->room : 1024;
		l->all = reallocarray(l->all, l->room, sizeof *l->all);
		assert_non_null(l->all);
	}
	l->all[l->n] = (struct literal){ .length = n };
	memcpy(l->all[l->n].routines, routines, n * sizeof *routines);
	*slot = ++l->n;
	return l->all + l->n - 1;
}

/* All sequences of context C that end at entry END. */
static void cut(struct literals *l, const struct graph *g, uint32_t c, const history_entry *s, uint32_t n, uint32_t end)
{
	uint32_t routines[64];

	for (uint32_t first = 0; first < end; first++) {
		struct literal *literal;
		bool inside = true;

		for (uint32_t i = first; i <= end; i++) {
			routines[i - first] = history_routine(s[i]);
			if (i > first && i < end)
				inside = inside && history_is_marked(s[i]);
		}
		if (!inside || (end - first == 1 && !history_is_marked(s[first])))
			continue;
		literal = literal_at(l, routines, end - first + 1);
		if (end - first > 1) {
			assert_true(literal->last != c);	/* once at most in a history */
			literal->last = c;
		}
		literal->time += g->contexts[c].time;
		if (end + 1 == n) {
			literal->contexts++;
			literal->calls += g->contexts[c].entries;
		}
	}
}

static struct literals cut_all(const struct graph *g)
{
	struct literals l = { .nslots = 1 << 20 };

	l.slots = calloc(l.nslots, sizeof *l.slots);
	assert_non_null(l.slots);
	for (uint32_t c = 1; c < g->ncontexts; c++) {
		history_entry s[g->longest + 1];
		uint32_t n = graph_history(g, c, s);

		assert_true(n <= 60);
		for (uint32_t end = 1; end < n; end++)
			cut(&l, g, c, s, n, end);
	}
	return l;
}

/* The sequence of ROUTINES[0..n) as it was cut, or one of nothing. */
static struct literal literal_of(struct literals *l, const uint32_t *routines, uint32_t n)
{
	size_t slot = *literal_slot(l, routines, n);

	return slot ? l->all[slot - 1] : (struct literal){ 0 };
}

/* No sequence one longer has nine tenths of the time. */
static void assert_maximal(const struct graph *g, struct literals *l, const uint32_t *routines, uint32_t n, uint64_t time)
{
	uint32_t longer[66];

	memcpy(longer + 1, routines, n * sizeof *longer);
	for (uint32_t r = 0; r < g->nroutines; r++) {
		longer[0] = longer[n + 1] = r;
		assert_true(10 * literal_of(l, longer, n + 1).time < 9 * time);
		assert_true(10 * literal_of(l, longer + 1, n + 1).time < 9 * time);
	}
}

static void assert_no_parts(const struct paths *found, size_t i)
{
	const struct graph_path *p = found->paths + i;

	for (size_t j = 0; j < found->n; j++) {
		const struct graph_path *q = found->paths + j;

		for (uint32_t at = 0; j != i && at + p->length <= q->length; at++)
			assert_memory_not_equal(found->routines + p->first, found->routines + q->first + at,
				p->length * sizeof *found->routines);
	}
}

/* The sequences of two arcs are the items of the model: those that go on by an arc, and those that begin with it, are the arc. */
static void assert_items(const struct graph *g, const struct literals *l)
{
	uint64_t (*sums)[2] = calloc(g->narcs, sizeof *sums);

	assert_non_null(sums);
	for (size_t i = 0; i < l->n; i++) {
		const struct literal *s = l->all + i;

		for (uint32_t a = 0; a < g->narcs && s->length <= 3; a++)
			if (g->arcs[a].from == s->routines[s->length - 2] && g->arcs[a].to == s->routines[s->length - 1])
				sums[a][s->length == 3] += s->time;
	}
	for (uint32_t a = 0; a < g->narcs; a++)
		if (g->arcs[a].from != GRAPH_NONE) {
			assert_int_equal(sums[a][0], g->arcs[a].self1 + g->arcs[a].child1);
			assert_true(sums[a][1] <= sums[a][0]);
		}
	free(sums);
}

static struct made *random_program(uint64_t *seed)
{
	static const char *names[] = { "Main", "A", "B", "C", "D", "E", "F", "P", "P.part.0", "Q.cold", "Q" };
	struct made *m = made_new(names, sizeof names / sizeof *names);
	uint32_t stack[40] = { 0 }, depth = 0;

	for (int step = 0; step < 800; step++) {
		if (depth == 39 || (depth > 1 && random_below(seed, 5) < 2))
			depth--;
		else {
			stack[depth + 1] = made_call(m, stack[depth], depth ? random_below(seed, m->p.nroutines) : 0, 1);
			depth++;
		}
		made_spend(m, stack[depth], random_below(seed, 1000), random_below(seed, 100));
	}
	return m;
}

static void compare(const struct graph *g)
{
	struct literals l = cut_all(g);
	struct paths *found = find(g, 0);

	assert_items(g, &l);
	assert_true(found->n > 0);
	for (size_t i = 0; i < found->n; i++) {
		const struct graph_path *p = found->paths + i;
		const uint32_t *routines = found->routines + p->first;
		struct literal expected = literal_of(&l, routines, p->length);

		assert_int_equal(p->time, expected.time);
		assert_int_equal(p->calls, expected.calls);
		assert_int_equal(p->contexts, expected.contexts);
		assert_true(p->length >= 3 && p->contexts >= 2 && p->effective > 1);
		assert_maximal(g, &l, routines, p->length, p->time);
		assert_no_parts(found, i);
	}
	paths_free(found);
	free(l.all);
	free(l.slots);
}

static void test_random(void **state)
{
	uint64_t seed = 7;

	(void)state;
	for (int i = 0; i < 30; i++) {
		struct made *m = random_program(&seed);
		struct graph *g = made_graph(m, NULL);

		compare(g);
		graph_free(g);
		made_free(m);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_essay), cmocka_unit_test(test_maximal), cmocka_unit_test(test_recursion),
		cmocka_unit_test(test_nothing), cmocka_unit_test(test_calls), cmocka_unit_test(test_answer), cmocka_unit_test(test_random),
	};

	return cmocka_run_group_tests_name("paths", tests, NULL, NULL);
}
