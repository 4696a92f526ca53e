/* memory_test.c - each allocation of understand/graph/ fails in turn: every function says ERROR_MEMORY and leaks nothing.
 *
 * Linked with --wrap for malloc, calloc, realloc, reallocarray and free. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "understand/graph/model_difference.h"
#include "understand/graph/tests/made.h"
#include "understand/graph/recurring_paths.h"

static long until_failure = -1;	/* allocations that still succeed; -1: all */
static long held;		/* blocks allocated and not yet freed */

void *__real_malloc(size_t size);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *old, size_t size);
void *__real_reallocarray(void *old, size_t n, size_t size);
void __real_free(void *block);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *old, size_t size);
void *__wrap_reallocarray(void *old, size_t n, size_t size);
void __wrap_free(void *block);

static bool fails(void)
{
	if (until_failure == 0)
		return true;
	until_failure -= until_failure > 0;
	return false;
}

static void *counted(void *block, const void *old)
{
	held += block && !old;
	return block;
}

void *__wrap_malloc(size_t size)
{
	return fails() ? NULL : counted(__real_malloc(size), NULL);
}

void *__wrap_calloc(size_t n, size_t size)
{
	return fails() ? NULL : counted(__real_calloc(n, size), NULL);
}

void *__wrap_realloc(void *old, size_t size)
{
	return fails() ? NULL : counted(__real_realloc(old, size), old);
}

void *__wrap_reallocarray(void *old, size_t n, size_t size)
{
	return fails() ? NULL : counted(__real_reallocarray(old, n, size), old);
}

void __wrap_free(void *block)
{
	held -= block != NULL;
	__real_free(block);
}

/* Enough routines, contexts, spelled entries and cycles that every array and table grows. */
static struct made *large_program(void)
{
	static const char *const words[] = { "Main", "P", "P.part.0", "Q", "Q.isra.0" };
	const char *names[60];
	static char made[60][8];	/* which the program's names point to */
	struct made *m;
	uint64_t seed = 7;
	uint32_t c = 0;

	for (uint32_t i = 0; i < 60; i++) {
		made[i][0] = 'a' + i % 26;
		made[i][1] = 'a' + i / 26;
		made[i][2] = '\0';
		names[i] = i < 5 ? words[i] : made[i];
	}
	m = made_new(names, 60);
	for (int i = 0; i < 1500; i++) {
		c = i % 40 == 0 ? 0 : made_call(m, c, random_below(&seed, i % 400 < 200 ? 8 : 60), 1);
		made_spend(m, c, 1 + random_below(&seed, 100), 0);
	}
	return m;
}

static void fail_graph(enum graph_model model)
{
	struct made *m = large_program();
	char *focus[] = { (char *)"Main|Q" };
	static const struct graph_static_arc arc = { { .name = "new", .key = "new" }, { .name = "Main", .key = "Main" } };
	static const struct gprof_spec specs[] = { { GPROF_EXCLUDE_ARCS, "Main/Q" }, { GPROF_INCLUDE_FLAT, "Q" } };
	struct graph_options options = { .model = model, .thread = GRAPH_NONE, .focus = focus, .nfocus = 1,
		.static_arcs = &arc, .nstatic_arcs = 1, .specs = specs, .nspecs = 2, .unused = &arc.from, .nunused = 1 };
	long before = held;

	for (long n = 0;; n++) {
		struct error err = { 0 };
		struct graph *g;

		until_failure = n;
		g = graph_build(&m->o, m->names, &options, &err);
		until_failure = -1;
		if (g) {
			assert_true(n > 20);
			graph_free(g);
			break;
		}
		assert_int_equal(err.code, ERROR_MEMORY);
		assert_int_equal(held, before);
	}
	assert_int_equal(held, before);
	made_free(m);
}

static void test_graph(void **state)
{
	(void)state;
	for (enum graph_model model = GRAPH_HISTORY; model <= GRAPH_CCT; model++)
		fail_graph(model);
}

static void fail_tree(bool bottom_up)
{
	struct made *m = large_program();
	struct graph *g = made_graph(m, NULL);
	long before = held;

	for (long n = 0;; n++) {
		struct error err = { 0 };
		struct tree *t;

		until_failure = n;
		t = tree_build(g, &(struct tree_options){ .bottom_up = bottom_up }, &err);
		until_failure = -1;
		if (t) {
			assert_true(n > 10);
			tree_free(t);
			break;
		}
		assert_int_equal(err.code, ERROR_MEMORY);
		assert_int_equal(held, before);
	}
	assert_int_equal(held, before);
	graph_free(g);
	made_free(m);
}

static void test_top_down(void **state)
{
	(void)state;
	fail_tree(false);
}

static void test_bottom_up(void **state)
{
	(void)state;
	fail_tree(true);
}

/* Start and open all nodes; what was made stays whole when an opening fails. */
static bool grow_whole(const struct graph *g, bool bottom_up, struct error *err)
{
	struct tree_growth *t = tree_growth_start(g, bottom_up, err);
	bool done = t != NULL;

	for (uint32_t i = 0; done && i < tree_growth_tree(t)->nnodes; i++)
		done = tree_growth_open(t, i, err);
	tree_growth_free(t);
	return done;
}

static void test_growth(void **state)
{
	struct made *m = large_program();
	struct graph *g = made_graph(m, NULL);
	long before = held;

	(void)state;
	for (int bottom_up = 0; bottom_up < 2; bottom_up++)
		for (long n = 0;; n++) {
			struct error err = { 0 };
			bool done;

			until_failure = n;
			done = grow_whole(g, bottom_up, &err);
			until_failure = -1;
			assert_int_equal(held, before);
			if (done) {
				assert_true(n > 10);
				break;
			}
			assert_int_equal(err.code, ERROR_MEMORY);
		}
	graph_free(g);
	made_free(m);
}

static void test_paths(void **state)
{
	struct made *m = large_program();
	struct graph *g = made_graph(m, NULL);
	long before = held;

	(void)state;
	for (long n = 0;; n++) {
		struct error err = { 0 };
		struct paths *found;

		until_failure = n;
		found = paths_find(g, &(struct paths_options){ 0 }, &err);
		until_failure = -1;
		if (found) {
			assert_true(n > 20 && found->n > 0);
			paths_free(found);
			break;
		}
		assert_int_equal(err.code, ERROR_MEMORY);
		assert_int_equal(held, before);
	}
	assert_int_equal(held, before);
	graph_free(g);
	made_free(m);
}

static void test_compare(void **state)
{
	struct made *m = large_program();
	struct graph *truth = made_graph(m, NULL), *gprof = made_graph(m, &(struct graph_options){ .model = GRAPH_GPROF, .thread = GRAPH_NONE });
	long before = held;

	(void)state;
	for (long n = 0; n < 3; n++) {
		struct error err = { 0 };

		until_failure = n;
		assert_null(compare_models(truth, gprof, &err));
		until_failure = -1;
		assert_int_equal(err.code, ERROR_MEMORY);
		assert_int_equal(held, before);
	}
	compare_free(compare_models(truth, gprof, NULL));
	assert_int_equal(held, before);
	graph_free(truth);
	graph_free(gprof);
	made_free(m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_graph),
		cmocka_unit_test(test_top_down),
		cmocka_unit_test(test_bottom_up),
		cmocka_unit_test(test_compare),
		cmocka_unit_test(test_growth),
		cmocka_unit_test(test_paths),
	};

	return cmocka_run_group_tests_name("graph memory", tests, NULL, NULL);
}
