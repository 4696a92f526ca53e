/* test_data_file.c - the names of a run's profiles: each program has its own, whatever others are called. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cli/data_file.h"

/* The N programs at PATHS are kept under NAMES. */
static void names_are(const char *const *paths, const char *const *names, size_t n)
{
	struct harvest_program programs[16] = { 0 };
	struct harvest h = { .programs = programs, .n = n };

	for (size_t i = 0; i < n; i++)
		programs[i].path = strdup(paths[i]);
	for (size_t i = 0; i < n; i++) {
		char *name = data_file_name("/nowhere/data", &h, i);

		assert_string_equal(name, names[i]);
		free(name);
	}
	for (size_t i = 0; i < n; i++)
		free(programs[i].path);
}

#define NAMES_ARE(paths, ...) names_are(paths, (const char *const[]){ __VA_ARGS__ }, sizeof(paths) / sizeof *(paths))

/* The first has what was asked for, the others their programs' names after it. */
static void usual(void **state)
{
	const char *const paths[] = { "/bin/a", "/bin/b", "/bin/c" };

	(void)state;
	NAMES_ARE(paths, "/nowhere/data", "/nowhere/data.b", "/nowhere/data.c");
}

/* Programs of one name in several directories, and in none. */
static void one_name(void **state)
{
	const char *const paths[] = { "/bin/a", "/bin/b", "/usr/bin/b", "b", "/opt/b", "a", "[b]" };

	(void)state;
	NAMES_ARE(paths, "/nowhere/data", "/nowhere/data.b", "/nowhere/data.b.2", "/nowhere/data.b.3", "/nowhere/data.b.4", "/nowhere/data.a", "/nowhere/data.[b]");
}

/* A program whose name is what another's would be. */
static void numbered(void **state)
{
	const char *const paths[] = { "/bin/a", "/bin/b.2", "/bin/b", "/usr/b", "/usr/b.2", "/opt/b", "b.2.2" };

	(void)state;
	NAMES_ARE(paths, "/nowhere/data", "/nowhere/data.b.2", "/nowhere/data.b", "/nowhere/data.b.3", "/nowhere/data.b.2.3", "/nowhere/data.b.4", "/nowhere/data.b.2.2");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(usual),
		cmocka_unit_test(one_name),
		cmocka_unit_test(numbered),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
