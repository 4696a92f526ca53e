/* test_open_files.c - files that are kept under names that do not open them. */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "read/symbols/open_files.h"

static void assert_opens(const char *path, ino_t inode)
{
	struct stat st;

	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_ino, inode);
}

/* Each file of a name is found, in the order in which they came, though it has been deleted. */
static void test_kept(void **state)
{
	char path[ELSEWHERE_PATH], file[] = "elsewhere-XXXXXX";
	struct stat st;
	size_t at = 0;
	int fd = mkstemp(file);

	(void)state;
	assert_true(fd >= 0);
	assert_int_equal(fstat(fd, &st), 0);
	close(fd);
	assert_false(open_files_next("/gone", &at, path));
	assert_true(open_files_keep("/gone", file));
	assert_true(open_files_keep("/other", "/dev/null"));
	assert_true(open_files_keep("/gone", "/"));
	unlink(file);
	assert_false(open_files_keep("/gone", file));
	at = 0;
	assert_true(open_files_next("/gone", &at, path));
	assert_opens(path, st.st_ino);
	assert_int_equal(stat("/", &st), 0);
	assert_true(open_files_next("/gone", &at, path));
	assert_opens(path, st.st_ino);
	assert_false(open_files_next("/gone", &at, path));
}

/* Most descriptors stay for others. */
static void test_bound(void **state)
{
	struct rlimit limit;
	unsigned kept = 0;

	(void)state;
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
	limit.rlim_cur = 200;
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
	while (kept < 200 && open_files_keep("/many", "/dev/null"))
		kept++;
	assert_in_range(kept, 1, 200 / ELSEWHERE_PART);
	assert_true(fcntl(0, F_DUPFD, 100) >= 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_kept), cmocka_unit_test(test_bound) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
