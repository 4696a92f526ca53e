/* test_permission.c - what is said of perf events that are refused is the reason, and nothing is advised that is so already. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "record/sample/permission.h"

static const char *explained(struct permission p)
{
	static char text[400];

	permission_explain(&p, text, sizeof text);
	return text;
}

static void reasons(void **state)
{
	(void)state;
	assert_string_equal(explained((struct permission){ .paranoid = 3, .most = 2 }),
			    "run it as root, or set kernel.perf_event_paranoid to 2 (sysctl; it is 3), or give aprof cap_perfmon (setcap)");
	assert_string_equal(explained((struct permission){ .paranoid = 2, .most = 1, .filtered = 1 }),
			    "run it as root, or set kernel.perf_event_paranoid to 1 (sysctl; it is 2), or give aprof cap_perfmon (setcap)");
	assert_string_equal(explained((struct permission){ .paranoid = 3, .most = 2, .root = 1 }),
			    "set kernel.perf_event_paranoid to 2 (sysctl; it is 3), or give root cap_perfmon, which it lacks here");
	assert_string_equal(explained((struct permission){ .paranoid = 2, .most = 2, .others = 77 }), "process 77 is another user's, or privileged: run aprof as root");
	assert_string_equal(explained((struct permission){ .paranoid = PERMISSION_UNKNOWN, .most = 2 }),
			    "run it as root, or give aprof cap_perfmon (setcap); kernel.perf_event_paranoid cannot be read here");
	assert_non_null(strstr(explained((struct permission){ .paranoid = 2, .most = 2, .filtered = 1 }), "a filter of system calls (seccomp)"));
	assert_non_null(strstr(explained((struct permission){ .paranoid = 3, .most = 2, .filtered = 1, .root = 1, .capable = 1 }), "a filter of system calls (seccomp)"));
	assert_non_null(strstr(explained((struct permission){ .paranoid = 3, .most = 2, .root = 1, .capable = 1 }), "a container, a security module"));
}

/* Whatever it is here: no value is to be set that is there. */
static void nothing_that_is_so(void **state)
{
	(void)state;
	for (int paranoid = -1; paranoid <= 4; paranoid++)
		for (int most = 0; most <= 2; most++)
			for (int bits = 0; bits < 8; bits++) {
				const char *text = explained((struct permission){ .paranoid = paranoid, .most = most, .filtered = bits & 1,
					.root = bits >> 1 & 1, .capable = bits >> 2 });

				assert_int_equal(strstr(text, "set kernel.perf_event_paranoid") != NULL, paranoid > most && !(bits >> 2));
			}
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(reasons), cmocka_unit_test(nothing_that_is_so) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
