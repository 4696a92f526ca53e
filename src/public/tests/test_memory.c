/* test_memory.c - each allocation of libaprof's, and of what it stands on, fails in turn: what was asked for is refused as out of memory, or had, and nothing
 * leaks that a sanitizer would see. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "public/aprof/profile.h"
#include "tests/lib/make_amon.h"

static size_t made, fails;		/* allocations so far; which one fails: 0: none */
static char path[] = "/tmp/test_memory.XXXXXX";

void *__real_malloc(size_t size);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *p, size_t size);
void *__real_reallocarray(void *p, size_t n, size_t size);
char *__real_strdup(const char *s);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *p, size_t size);
void *__wrap_reallocarray(void *p, size_t n, size_t size);
char *__wrap_strdup(const char *s);

void *__wrap_malloc(size_t size) { return ++made == fails ? NULL : __real_malloc(size); }
void *__wrap_calloc(size_t n, size_t size) { return ++made == fails ? NULL : __real_calloc(n, size); }
void *__wrap_realloc(void *p, size_t size) { return ++made == fails ? NULL : __real_realloc(p, size); }
void *__wrap_reallocarray(void *p, size_t n, size_t size) { return ++made == fails ? NULL : __real_reallocarray(p, n, size); }
char *__wrap_strdup(const char *s) { return ++made == fails ? NULL : __real_strdup(s); }

/* ERROR, which is freed, says that memory was short, if something FAILED; else there is none. */
static void check(struct aprof_error *error, bool failed)
{
	assert_int_equal(error != NULL, failed);
	if (error)
		assert_int_equal(aprof_error_kind(error), APROF_ERROR_MEMORY);
	aprof_error_free(error);
}

static void open_all(void)
{
	static const char *const tables[] = { "routines", "arcs", "contexts", "tree", "findings", "values", "runs" };
	struct aprof_error *error = NULL;
	struct aprof_options *options = aprof_options_new();
	struct aprof_profile *p;

	if (options && !aprof_options_set(options, "phase", "", &error))
		check(error, true);
	aprof_options_free(options);
	error = NULL;
	p = aprof_open(path, NULL, &error);
	check(error, !p);
	for (size_t i = 0; p && i < sizeof tables / sizeof *tables; i++) {
		error = NULL;
		if (!aprof_profile_table(p, tables[i], &error))
			check(error, true);
	}
	aprof_profile_free(p);
}

static void compare_all(void)
{
	static const char *const tables[] = { "verdict", "routines", "arcs", "contexts", "runs" };
	const char *file = path;
	struct aprof_error *error = NULL;
	struct aprof_comparison *c = aprof_compare(&file, 1, &file, 1, NULL, &error);

	check(error, !c);
	for (size_t i = 0; c && i < sizeof tables / sizeof *tables; i++) {
		error = NULL;
		if (!aprof_comparison_table(c, tables[i], &error))
			check(error, true);
	}
	aprof_comparison_free(c);
}

/* DO once with each allocation failing: of many the first hundred, and then of every so many one. */
static void fail_each(void (*call)(void))
{
	size_t all;

	fails = made = 0;
	call();
	all = made;
	assert_true(all > 50);
	for (size_t n = 1; n <= all; n += n < 100 ? 1 : 1 + all / 200) {
		made = 0;
		fails = n;
		call();
	}
	fails = 0;
}

static void test_open(void **state)
{
	(void)state;
	fail_each(open_all);
}

static void test_compare(void **state)
{
	(void)state;
	fail_each(compare_all);
}

static int start(void **state)
{
	struct make_amon *m = make_amon_paper(3);
	size_t len;
	uint8_t *data = make_amon_finish(m, &len);
	int fd = mkstemp(path);

	(void)state;
	make_amon_free(m);
	len -= (size_t)(fd < 0 ? 0 : write(fd, data, len));
	free(data);
	return close(fd) | (len != 0);
}

static int end(void **state)
{
	(void)state;
	return unlink(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_open), cmocka_unit_test(test_compare) };

	return cmocka_run_group_tests(tests, start, end);
}
