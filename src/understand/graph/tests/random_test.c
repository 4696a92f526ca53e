/* random_test.c - hundreds of random programs with clones, pieces and every kind of recursion, made by hand and read
 * from files: the graph equals the literal model of slow.c number for number, and keeps the laws at the head of graph.h. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/lib/make_amon.h"
#include "understand/graph/tests/slow.h"

enum { PROGRAMS = 200, FEWER = 50 /* in the sample that make check has */, STEPS = 1500, DEPTH = 40 };

/* With clones and pieces; and without, when nothing is renamed. */
static const char *const all_names[2][14] = {
	{ "Main", "P.part.0", "A", "P", "B", "Q.cold", "P.constprop.0", "C", "Q", "B.isra.0", "D", "E", "F", "P.part.1" },
	{ "Main", "A", "B", "C", "D", "E", "F", "G", "H", "I", "J", "K", "L", "M" },
};

/* A program of some of the routines, each of which calls but some others. */
static struct made *random_program(uint64_t *seed)
{
	uint32_t n = 3 + random_below(seed, 12), depth = 0;
	struct made *m = made_new(all_names[random_below(seed, 2)], n);
	uint32_t stack[DEPTH + 1] = { 0 };
	bool calls[n][n];

	for (uint32_t i = 0; i < n * n; i++)
		calls[i / n][i % n] = random_below(seed, 3) == 0;
	for (uint32_t step = 0; step < STEPS; step++) {
		uint32_t callee = random_below(seed, n), running = m->p.contexts[stack[depth]].routine;

		if (depth > 1 && random_below(seed, 8) < 2)
			depth--;
		else if (depth < DEPTH && (depth == 0 || calls[running][callee])) {
			stack[depth + 1] = made_call(m, stack[depth], depth ? callee : 0, 1);
			depth++;
		}
		if (random_below(seed, 3) > 0)
			made_spend(m, stack[depth], random_below(seed, 1000), random_below(seed, 300));
	}
	return m;
}

static const struct graph_arc *arc_at(const struct graph *g, uint32_t from, uint32_t to)
{
	for (uint32_t i = 0; i < g->narcs; i++)
		if (g->arcs[i].from == from && g->arcs[i].to == to)
			return g->arcs + i;
	return NULL;
}

static void compare_arcs(const struct graph *g, const struct slow *slow)
{
	for (uint32_t i = 0; i < (slow->n + 1) * slow->n; i++) {
		uint32_t from = i / slow->n, to = i % slow->n;
		const struct slow_arc *expected = slow->arcs + from * (slow->n + 1) + to;
		const struct graph_arc *arc = arc_at(g, from == slow->n ? GRAPH_NONE : from, to);

		assert_int_equal(expected->exists, arc != NULL);
		if (!arc)
			continue;
		assert_int_equal(arc->calls, expected->calls);
		assert_int_equal(arc->self2, expected->self2);
		assert_int_equal(arc->child2, expected->child2);
		assert_int_equal(arc->self1, from == slow->n ? expected->self2 : expected->self1);
		assert_int_equal(arc->child1, from == slow->n ? expected->child2 : expected->child1);
	}
}

static void compare_routines(const struct graph *g, const struct slow *slow)
{
	for (uint32_t r = 0; r < g->nroutines; r++) {
		assert_int_equal(g->routines[r].self, slow->self[r]);
		assert_int_equal(g->routines[r].total, slow->total[r]);
		assert_int_equal(g->routines[r].calls, slow->calls[r]);
		assert_int_equal(g->routines[r].recursive, slow->recursive[r]);
	}
	assert_int_equal(g->time, slow->time);
	assert_int_equal(g->outside, slow->outside);
}

static void compare_histories(const struct made *m, const struct graph *g)
{
	for (uint32_t i = 0; i < m->p.ncontexts; i++) {
		history_entry expected[m->p.longest + 1], found[g->longest + 1];
		size_t n = slow_normalise(g, m->histories[i], m->p.contexts[i].length, expected);

		assert_int_equal(graph_history(g, g->context_of[i], found), n);
		assert_memory_equal(found, expected, n * sizeof *found);
		assert_true(history_is_valid(found, n));
	}
	for (uint32_t i = 0; i < g->ncontexts; i++)
		for (uint32_t j = 0; j < i; j++) {
			history_entry one[g->longest + 1], other[g->longest + 1];
			size_t n = graph_history(g, i, one);

			assert_false(graph_history(g, j, other) == n && memcmp(one, other, n * sizeof *one) == 0);
		}
}

static void compare_cycles(const struct graph *g, const struct slow *slow)
{
	size_t closed = 0;

	for (size_t i = 0; i < slow->cycles.n; i++)
		closed += slow->cycles.lines[i].calls > 0;
	assert_int_equal(g->ncycles, closed);
	for (uint32_t i = 0; i < g->ncycles; i++) {
		const struct graph_cycle *c = g->cycles + i;
		const struct slow_line *line;
		char words[2000] = "";
		size_t used = 0;

		for (uint32_t k = 0; k < c->length; k++) {
			cycle_entry e = g->cycle_entries[c->first + k];

			used += sprintf(words + used, "%03u%s ", cycle_routine(e), cycle_link_known(e) ? "~~" : "..");
		}
		line = slow_find(&slow->cycles, words);
		assert_non_null(line);
		assert_int_equal(c->calls, line->calls);
		assert_int_equal(c->time, line->time);
		assert_true(i == 0 || g->cycles[i - 1].time >= c->time);
	}
}

static void assert_laws(const struct graph *g)
{
	uint64_t self = 0, contexts = 0;

	for (uint32_t r = 0; r < g->nroutines; r++) {
		const struct graph_routine *routine = g->routines + r;
		uint64_t incoming = 0, outgoing = routine->self, calls = 0;

		for (uint32_t i = routine->first_in; i < routine->first_in + routine->nin; i++) {
			const struct graph_arc *arc = g->arcs + g->in_arcs[i];

			assert_int_equal(arc->to, r);
			assert_true(i == routine->first_in || arc[0].from > g->arcs[g->in_arcs[i - 1]].from);
			incoming += arc->self2 + arc->child2;
			calls += arc->calls;
		}
		for (uint32_t i = routine->first_out; i < routine->first_out + routine->nout; i++) {
			assert_int_equal(g->arcs[i].from, r);
			outgoing += g->arcs[i].self1 + g->arcs[i].child1;
		}
		assert_int_equal(incoming, routine->total);
		assert_int_equal(outgoing, routine->total);
		assert_int_equal(calls, routine->calls);
		self += routine->self;
	}
	for (uint32_t i = 0; i < g->ncontexts; i++)
		contexts += g->contexts[i].time;
	assert_int_equal(self, g->time);
	assert_int_equal(contexts, g->time + g->outside);
	for (uint32_t i = 0; i < g->narcs; i++)
		if (!g->arcs[i].folded) {
			assert_int_equal(g->arcs[i].self1, g->arcs[i].self2);
			assert_int_equal(g->arcs[i].child1, g->arcs[i].child2);
		}
}

/* The path of node I of T in words, as slow.c writes it. */
static void path_words(const struct tree *t, uint32_t i, char *words)
{
	uint32_t path[1000], n = 0;

	for (; i != 0; i = t->nodes[i].parent)
		path[n++] = i;
	for (words[0] = '\0'; n-- > 0;)
		words += sprintf(words, "%s%u/", t->nodes[path[n]].gap ? ".." : "", t->nodes[path[n]].routine);
}

static void assert_node(const struct tree *t, uint32_t i, bool bottom_up)
{
	const struct tree_node *node = t->nodes + i;
	uint64_t sum = node->rest + (bottom_up ? 0 : node->self);

	for (uint32_t k = 0; k < node->nchildren; k++) {
		const struct tree_node *child = t->nodes + node->first + k;

		assert_int_equal(child->parent, i);
		assert_true(k == 0 || child[-1].total >= child->total);
		sum += child->total;
	}
	assert_int_equal(sum, node->total);
}

static void compare_tree(const struct graph *g, const struct slow_lines *lines, bool bottom_up)
{
	struct tree *t = tree_build(g, &(struct tree_options){ .bottom_up = bottom_up }, NULL);
	uint32_t timeless = 0;

	for (uint32_t i = 0; i < t->nnodes; i++) {
		const struct slow_line *line;
		char words[2000];

		assert_node(t, i, bottom_up);
		path_words(t, i, words);
		if (i == 0)
			continue;
		line = slow_find(lines, words);
		assert_non_null(line);
		assert_int_equal(t->nodes[i].total, line->time);
		assert_int_equal(t->nodes[i].calls, line->calls);
	}
	/* Roots of the bottom-up tree have self time: below those that have none there is nothing. */
	for (uint32_t i = 0; i < lines->n && bottom_up; i++) {
		char root[20];

		sprintf(root, "%d/", atoi(lines->lines[i].words));
		timeless += slow_find(lines, root)->time == 0 && g->time > 0;
	}
	assert_int_equal(t->nnodes, 1 + lines->n - timeless);
	tree_free(t);
}

/* Opened node by node, in no particular order, the tree has the nodes of the whole one, each with its children in order. */
static void compare_growth(const struct graph *g, bool bottom_up)
{
	struct tree *whole = tree_build(g, &(struct tree_options){ .bottom_up = bottom_up }, NULL);
	struct tree_growth *growth = tree_growth_start(g, bottom_up, NULL);
	const struct tree *grown = tree_growth_tree(growth);
	uint32_t n = whole->nnodes, *twin = calloc(n, sizeof *twin), *left = calloc(n, sizeof *left), nleft = 1;

	assert_true(growth && twin && left);
	while (nleft > 0) {
		uint32_t pick = n * 7 % nleft, node = left[pick];
		bool more = tree_growth_has_more(growth, twin[node]);

		left[pick] = left[--nleft];
		assert_true(tree_growth_open(growth, twin[node], NULL) && tree_growth_open(growth, twin[node], NULL));
		assert_int_equal(more, grown->nodes[twin[node]].nchildren > 0);
		assert_int_equal(grown->nodes[twin[node]].nchildren, whole->nodes[node].nchildren);
		assert_int_equal(grown->nodes[twin[node]].rest, whole->nodes[node].rest);
		for (uint32_t k = 0; k < whole->nodes[node].nchildren; k++) {
			uint32_t child = whole->nodes[node].first + k;

			twin[child] = grown->nodes[twin[node]].first + k;
			assert_int_equal(grown->nodes[twin[child]].routine, whole->nodes[child].routine);
			assert_int_equal(grown->nodes[twin[child]].total, whole->nodes[child].total);
			assert_int_equal(grown->nodes[twin[child]].calls, whole->nodes[child].calls);
			left[nleft++] = child;
		}
	}
	assert_int_equal(grown->nnodes, n);
	free(twin);
	free(left);
	tree_growth_free(growth);
	tree_free(whole);
}

static uint32_t count_large(const struct tree *t, const struct tree_options *limits)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < t->nnodes; i++) {
		uint32_t depth = 0;

		for (uint32_t k = i; k != 0; k = t->nodes[k].parent)
			depth++;
		n += i == 0 || (t->nodes[i].total >= limits->min_time && depth <= limits->depth);
	}
	return n;
}

/* With limits the tree is the whole one without the nodes that are too small or too deep. */
static void compare_limits(const struct graph *g, bool bottom_up)
{
	struct tree_options limits = { .bottom_up = bottom_up, .depth = 4, .min_time = g->time / 50 };
	struct tree *all = tree_build(g, &(struct tree_options){ .bottom_up = bottom_up }, NULL);
	struct tree *part = tree_build(g, &limits, NULL);

	for (uint32_t i = 0; i < part->nnodes; i++)
		assert_node(part, i, bottom_up);
	assert_int_equal(part->nnodes, count_large(all, &limits));
	tree_free(all);
	tree_free(part);
}

static void compare(const struct made *m, const struct graph *g, uint32_t focus)
{
	struct slow *slow = slow_build(m, g, focus);

	compare_routines(g, slow);
	compare_arcs(g, slow);
	compare_cycles(g, slow);
	assert_laws(g);
	compare_tree(g, &slow->down, false);
	compare_tree(g, &slow->up, true);
	compare_growth(g, false);
	compare_growth(g, true);
	compare_limits(g, false);
	compare_limits(g, true);
	assert_int_equal(g->hooks, slow->hooks);
	assert_int_equal(g->hooks_unplaced, slow->hooks_unplaced);
	if (focus == GRAPH_NONE)
		assert_int_equal(g->time + g->outside + g->hooks, m->p.time);
	slow_free(slow);
}

static void test_random_programs(void **state)
{
	uint64_t seed = 1;

	(void)state;
	for (int i = 0; i < (getenv("SAMPLE") ? FEWER : PROGRAMS); i++) {
		struct made *m = random_program(&seed);
		struct graph *g = made_graph(m, NULL);
		char *focus[] = { (char *)g->routines[random_below(&seed, g->nroutines)].name.name };
		char *hide[] = { (char *)g->routines[random_below(&seed, g->nroutines)].name.name };

		compare_histories(m, g);
		compare(m, g, GRAPH_NONE);
		graph_free(g);
		g = made_graph(m, &(struct graph_options){ .thread = GRAPH_NONE, .focus = focus, .nfocus = 1 });
		compare(m, g, named(g, focus[0]));
		graph_free(g);
		g = made_graph(m, &(struct graph_options){ .thread = GRAPH_NONE, .hide = hide, .nhide = 1 });
		assert_true(g->routines[named(g, hide[0])].left_out);
		compare_histories(m, g);
		compare(m, g, GRAPH_NONE);
		graph_free(g);
		made_free(m);
	}
}

/* What slow.c needs of a profile that was read: every third routine is a clone or a piece of the one before. */
static struct made *made_of(struct profile *p)
{
	struct made *m = calloc(1, sizeof *m);

	m->p = *p;
	m->names = calloc(p->nroutines, sizeof *m->names);
	m->histories = calloc(p->ncontexts, sizeof *m->histories);
	m->o = (struct overhead){ .profile = &m->p, .hooks = calloc(p->ncontexts, sizeof *m->o.hooks) };
	for (uint32_t i = 0; i < p->nroutines; i++) {
		char *key = malloc(20);

		sprintf(key, "f%u", i % 3 == 2 ? i - 1 : i);
		m->names[i] = (struct graph_name){ .name = key, .key = key, .part = i % 6 == 5 };
	}
	for (uint32_t i = 0; i < p->ncontexts; i++) {
		m->histories[i] = calloc(p->longest + 1, sizeof (history_entry));
		profile_history(p, i, m->histories[i]);
		m->o.hooks[i] = (int64_t)(p->contexts[i].time * (i % 5) / 3);
	}
	return m;
}

static void free_made_of(struct made *m)
{
	for (uint32_t i = 0; i < m->p.nroutines; i++)
		free((char *)m->names[i].key);
	for (uint32_t i = 0; i < m->p.ncontexts; i++)
		free(m->histories[i]);
	free(m->names);
	free(m->histories);
	free(m->o.hooks);
	free(m);
}

/* Two runs of one program, three threads each, summed. */
static struct profile *read_program(uint64_t seed)
{
	struct profile *p = profile_new();

	for (int run = 0; run < 2; run++) {
		struct made_program program = { .seed = seed + run, .routines = 12, .callees = run ? 4 : 0, .threads = 3,
			.calls = 300, .mean = 6, .deepest = 20, .recursion = 0.2, .ticks = 1 };
		struct make_amon *file = make_amon_random(&program);
		struct error err = { 0 };
		size_t length;
		uint8_t *data = make_amon_finish(file, &length);

		assert_true(profile_read(p, data, length, "amon.out", &err));
		free(data);
		make_amon_free(file);
	}
	return p;
}

static void test_files(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < 12; seed++) {
		struct profile *p = read_program(seed);
		struct made *m = made_of(p);
		struct graph *g = made_graph(m, NULL);

		compare_histories(m, g);
		compare(m, g, GRAPH_NONE);
		graph_free(g);
		free_made_of(m);
		profile_free(p);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_random_programs), cmocka_unit_test(test_files) };

	return cmocka_run_group_tests_name("random programs", tests, NULL, NULL);
}
