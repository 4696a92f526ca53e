/* test_public.c - libaprof by its header alone: what a user finds in its tables, what it says of what cannot be read, and several threads at one handle. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "aprof/profile.h"
#include "tests/lib/make_amon.h"

static char directory[] = "/tmp/test_public.XXXXXX", paper[64], fresh[64], wrong[64], named[64], folded[64], timed[64];

extern const char __executable_start[];

static void write_file(const char *path, const void *data, size_t len)
{
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	assert_int_equal(fwrite(data, 1, len, file), len);
	assert_int_equal(fclose(file), 0);
}

/* The program of the paper's Figure 1, N times round, at PATH. */
static void write_paper(const char *path, unsigned n)
{
	struct make_amon *m = make_amon_paper(n);
	size_t len;
	uint8_t *data = make_amon_finish(m, &len);

	write_file(path, data, len);
	free(data);
	make_amon_free(m);
}

/* A profile of this program, which has symbols and lines, at PATH. */
static void write_named(const char *path)
{
	enum { AT = 0x10000000 };
	struct make_amon *m = make_amon_new();
	char program[4096] = "";
	size_t len;
	uint8_t *data;

	assert_true(readlink("/proc/self/exe", program, sizeof program - 1) > 0);
	make_amon_module(m, program, NULL, AT, AT + 0x1000000, AT);
	make_amon_thread(m, "main");
	make_amon_enter(m, 0, make_amon_routine(m, 0, AT + ((uintptr_t)write_file - (uintptr_t)__executable_start), 0));
	make_amon_charge(m, 0, 1000, 1);
	data = make_amon_finish(m, &len);
	write_file(path, data, len);
	free(data);
	make_amon_free(m);
}

static int start(void **state)
{
	static const char stacks[] = "main;part;leaf 3\nmain;part 2\nmain;other;leaf 7\n";
	static const char speedscope[] = "{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\",\"shared\":{\"frames\":[{\"name\":\"main\"},{\"name\":\"leaf\"}]},"
		"\"profiles\":[{\"type\":\"sampled\",\"name\":\"p\",\"unit\":\"seconds\",\"startValue\":0,\"endValue\":3e-1,"
		"\"samples\":[[0],[0,1]],\"weights\":[1e-1,2e-1]}]}";

	(void)state;
	if (!mkdtemp(directory))
		return -1;
	snprintf(paper, sizeof paper, "%s/paper", directory);
	snprintf(fresh, sizeof fresh, "%s/fresh", directory);
	snprintf(wrong, sizeof wrong, "%s/wrong", directory);
	snprintf(named, sizeof named, "%s/named", directory);
	snprintf(folded, sizeof folded, "%s/folded", directory);
	write_paper(paper, 3);
	write_paper(fresh, 5);
	write_named(named);
	write_file(folded, stacks, sizeof stacks - 1);
	snprintf(timed, sizeof timed, "%s/timed", directory);
	write_file(timed, speedscope, sizeof speedscope - 1);
	return 0;
}

static int end(void **state)
{
	(void)state;
	return unlink(paper) | unlink(fresh) | unlink(wrong) | unlink(named) | unlink(folded) | unlink(timed) | rmdir(directory);
}

static struct aprof_profile *open_paper(void)
{
	struct aprof_error *error = NULL;
	struct aprof_profile *p = aprof_open(paper, NULL, &error);

	assert_non_null(p);
	assert_null(error);
	return p;
}

static uint64_t sum(const uint64_t *values, size_t n)
{
	uint64_t total = 0;

	for (size_t i = 0; i < n; i++)
		total += values[i];
	return total;
}

/* Every column has its array by its own type and by no other, and says what it is. */
static void check_columns(const struct aprof_table *t)
{
	const struct aprof_column *c;

	for (size_t i = 0; (c = aprof_table_column(t, i)); i++) {
		const void *const arrays[] = { NULL, aprof_column_integers(c), aprof_column_reals(c), aprof_column_indices(c), aprof_column_texts(c),
			aprof_column_flags(c) };

		for (size_t type = 1; type < sizeof arrays / sizeof *arrays; type++)
			assert_int_equal(arrays[type] != NULL, type == aprof_column_type(c));
		assert_ptr_equal(aprof_table_find(t, aprof_column_name(c)), c);
		assert_true(strlen(aprof_column_about(c)) > 0);
		assert_int_equal(*aprof_column_refers(c) != '\0', aprof_column_type(c) == APROF_INDEX);
	}
	assert_null(aprof_table_column(t, aprof_table_columns(t)));
	assert_null(aprof_table_find(t, "no such"));
	assert_null(aprof_integers(t, "no such"));
}

static void test_tables(void **state)
{
	static const char *const names[] = { "routines", "arcs", "contexts", "tree", "findings", "values", "runs" };
	struct aprof_profile *p = open_paper();

	(void)state;
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		const struct aprof_table *t = aprof_profile_table(p, names[i], NULL);

		assert_non_null(t);
		check_columns(t);
		assert_ptr_equal(aprof_profile_table(p, names[i], NULL), t);
	}
	aprof_profile_free(p);
}

/* What is spent is the same by routine, context and node, and at the root of the tree; each index leads somewhere. */
static void test_sums(void **state)
{
	struct aprof_profile *p = open_paper();
	const struct aprof_table *routines = aprof_profile_table(p, "routines", NULL), *contexts = aprof_profile_table(p, "contexts", NULL);
	const struct aprof_table *tree = aprof_profile_table(p, "tree", NULL);
	uint64_t total = aprof_integers(tree, "total")[0];

	(void)state;
	assert_true(total > 0);
	assert_int_equal(sum(aprof_integers(routines, "self"), aprof_table_rows(routines)), total);
	assert_int_equal(sum(aprof_integers(contexts, "self"), aprof_table_rows(contexts)), total);
	assert_int_equal(sum(aprof_integers(tree, "self"), aprof_table_rows(tree)), total);
	assert_string_equal(aprof_column_unit(aprof_table_find(routines, "self")), "ns");
	assert_int_equal(aprof_indices(tree, "parent")[0], APROF_NONE);
	for (size_t i = 1; i < aprof_table_rows(tree); i++) {
		assert_true(aprof_indices(tree, "parent")[i] < i);
		assert_true(aprof_indices(tree, "routine")[i] < aprof_table_rows(routines));
	}
	for (size_t i = 1; i < aprof_table_rows(routines); i++)
		assert_true(aprof_integers(routines, "self")[i - 1] >= aprof_integers(routines, "self")[i]);
	for (size_t i = 0; i < aprof_table_rows(contexts); i++)
		assert_true(aprof_indices(contexts, "node")[i] < aprof_table_rows(tree));
	aprof_profile_free(p);
}

static void check_error(struct aprof_error *error, enum aprof_error_kind kind, const char *word)
{
	assert_non_null(error);
	assert_int_equal(aprof_error_kind(error), kind);
	assert_non_null(strstr(aprof_error_text(error), word));
	aprof_error_free(error);
}

/* Another value takes the place of times, in all tables, with its unit. */
static void test_values(void **state)
{
	struct aprof_options *o = aprof_options_new();
	struct aprof_error *error = NULL;
	struct aprof_profile *times = open_paper(), *calls;
	const struct aprof_table *values = aprof_profile_table(times, "values", NULL), *routines;
	size_t n = aprof_table_rows(values);

	(void)state;
	assert_true(n >= 2 && aprof_flags(values, "shown")[0] && !aprof_flags(values, "shown")[n - 1]);
	assert_string_equal(aprof_texts(values, "name")[n - 1], "calls");
	assert_string_equal(aprof_texts(values, "unit")[0], "ns");
	assert_true(aprof_options_set(o, "value", "calls", NULL));
	calls = aprof_open(paper, o, &error);
	assert_non_null(calls);
	routines = aprof_profile_table(calls, "routines", NULL);
	assert_string_equal(aprof_column_unit(aprof_table_find(routines, "self")), "count");
	for (size_t i = 0; i < aprof_table_rows(routines); i++)
		assert_int_equal(aprof_integers(routines, "self")[i], aprof_integers(routines, "calls")[i] + aprof_integers(routines, "recursive")[i]);
	assert_true(aprof_options_set(o, "value", "no such", NULL));
	assert_null(aprof_open(paper, o, &error));
	check_error(error, APROF_ERROR_USAGE, "no such");
	aprof_options_free(o);
	aprof_profile_free(times);
	aprof_profile_free(calls);
}

static void test_errors(void **state)
{
	struct aprof_error *error = NULL;
	struct aprof_profile *p = open_paper();
	struct aprof_options *o = aprof_options_new();

	(void)state;
	assert_null(aprof_open("/nowhere/amon.out", NULL, &error));
	check_error(error, APROF_ERROR_SYSTEM, "/nowhere/amon.out");
	write_file(wrong, "no profile\n", 11);
	assert_null(aprof_open(wrong, NULL, &error));
	check_error(error, APROF_ERROR_FILE, wrong);
	assert_null(aprof_open(wrong, NULL, NULL));
	assert_null(aprof_open_files(NULL, 0, NULL, &error));
	check_error(error, APROF_ERROR_USAGE, "no file");
	assert_null(aprof_profile_table(p, "no such", &error));
	check_error(error, APROF_ERROR_USAGE, "no such");
	assert_false(aprof_options_set(o, "no such", "x", &error));
	check_error(error, APROF_ERROR_USAGE, "no such option");
	assert_false(aprof_options_set(o, "model", "x", &error));
	check_error(error, APROF_ERROR_USAGE, "no such value");
	assert_true(aprof_options_set(o, "focus", "no_such_routine", &error));
	assert_null(aprof_open(paper, o, &error));
	check_error(error, APROF_ERROR_USAGE, "no_such_routine");
	aprof_options_free(o);
	aprof_profile_free(p);
	aprof_profile_free(NULL);
	aprof_comparison_free(NULL);
}

static void test_comparison(void **state)
{
	const char *base = paper, *new = fresh;
	struct aprof_error *error = NULL;
	struct aprof_comparison *c = aprof_compare(&base, 1, &new, 1, NULL, &error);
	static const char *const names[] = { "verdict", "routines", "arcs", "contexts", "runs" };
	const struct aprof_table *routines;

	(void)state;
	assert_non_null(c);
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		assert_non_null(aprof_comparison_table(c, names[i], NULL));
		check_columns(aprof_comparison_table(c, names[i], NULL));
	}
	assert_string_equal(aprof_texts(aprof_comparison_table(c, "verdict", NULL), "answer")[0], "slower");
	routines = aprof_comparison_table(c, "routines", NULL);
	for (size_t i = 0; i < aprof_table_rows(routines); i++)
		assert_true(aprof_reals(routines, "new")[i] - aprof_reals(routines, "base")[i] == aprof_reals(routines, "change")[i]);
	assert_null(aprof_comparison_table(c, "tree", &error));
	check_error(error, APROF_ERROR_USAGE, "tree");
	aprof_comparison_free(c);
	assert_null(aprof_compare(&base, 1, NULL, 0, NULL, &error));
	check_error(error, APROF_ERROR_USAGE, "one side");
}

static void *ask_all(void *arg)
{
	static const char *const names[] = { "tree", "contexts", "findings", "arcs", "routines" };
	const struct aprof_table **found = calloc(5, sizeof *found);

	for (size_t i = 0; found && i < 5; i++)
		found[i] = aprof_profile_table(arg, names[i], NULL);
	return found;
}

/* Each thread gets the same tables of one handle, and opens what it likes meanwhile. */
static void test_threads(void **state)
{
	enum { THREADS = 4 };
	struct aprof_profile *p = open_paper();
	const struct aprof_table **found[THREADS];
	pthread_t threads[THREADS];

	(void)state;
	for (size_t i = 0; i < THREADS; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, ask_all, p), 0);
	aprof_profile_free(open_paper());
	for (size_t i = 0; i < THREADS; i++)
		assert_int_equal(pthread_join(threads[i], (void **)&found[i]), 0);
	for (size_t i = 0; i < THREADS; i++) {
		assert_memory_equal(found[i], found[0], 5 * sizeof **found);
		assert_non_null(found[i][0]);
	}
	for (size_t i = 0; i < THREADS; i++)
		free(found[i]);
	aprof_profile_free(p);
}

/* Open each kind of file, with a table of each, and what cannot be opened: by a thread of its own, the same at the same time as others. */
static void *use_handles(void *arg)
{
	const char *const files[] = { timed, paper, named, folded }, *base = paper, *new = fresh;

	pthread_barrier_wait(arg);
	for (size_t i = 0; i < 4; i++) {
		struct aprof_error *error = NULL;
		struct aprof_profile *p = aprof_open(files[i], NULL, &error);
		const struct aprof_table *routines = p ? aprof_profile_table(p, "routines", &error) : NULL;
		struct aprof_comparison *c = aprof_compare(&base, 1, &new, 1, NULL, NULL);

		if (!routines || aprof_table_rows(routines) == 0 || !aprof_texts(routines, "name")[0] || error || !c)
			return NULL;
		free(ask_all(p));
		aprof_profile_free(p);
		aprof_comparison_table(c, "contexts", NULL);
		aprof_comparison_free(c);
		if (aprof_open("/nowhere", NULL, &error))
			return NULL;
		aprof_error_free(error);
	}
	return arg;
}

/* Handles know nothing of each other.  tests/analyser_sanitized has ThreadSanitizer look at it. */
static void test_handles(void **state)
{
	enum { THREADS = 4 };
	pthread_t threads[THREADS];
	pthread_barrier_t start;
	void *found;

	(void)state;
	pthread_barrier_init(&start, NULL, THREADS);
	for (size_t i = 0; i < THREADS; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, use_handles, &start), 0);
	for (size_t i = 0; i < THREADS; i++) {
		assert_int_equal(pthread_join(threads[i], &found), 0);
		assert_ptr_equal(found, &start);
	}
	pthread_barrier_destroy(&start);
}

/* Bytes of a profile that are changed and cut: it is opened or refused, and all tables of it can be read. */
static void test_hostile(void **state)
{
	uint8_t *data, *changed;
	struct make_amon *m = make_amon_paper(3);
	size_t len;

	(void)state;
	data = make_amon_finish(m, &len);
	make_amon_free(m);
	changed = malloc(len);
	assert_non_null(changed);
	for (size_t at = 0; at < 400; at++) {
		struct aprof_profile *p;

		memcpy(changed, data, len);
		changed[at * 7919 % len] ^= (uint8_t)(1 << at % 8);
		write_file(wrong, changed, at % 3 ? len : len - at % len);
		p = aprof_open(wrong, NULL, NULL);
		if (p)
			free(ask_all(p));
		aprof_profile_free(p);
	}
	free(changed);
	free(data);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_tables), cmocka_unit_test(test_sums), cmocka_unit_test(test_values), cmocka_unit_test(test_errors), cmocka_unit_test(test_comparison), cmocka_unit_test(test_threads),
		cmocka_unit_test(test_handles), cmocka_unit_test(test_hostile),
	};

	return cmocka_run_group_tests(tests, start, end);
}
