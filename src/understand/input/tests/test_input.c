/* test_input.c - from the names of files to a graph, and what is told meanwhile. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cmocka.h>

#include "contract/amon.h"
#include "tests/lib/make_amon.h"
#include "understand/input/input.h"

static char directory[] = "/tmp/test_input.XXXXXX";
static char told[1000];			/* steps and notes, each with a bar behind it */

static void tell(void *arg, const char *text)
{
	size_t n = strlen(told);

	(void)arg;
	snprintf(told + n, sizeof told - n, "%s|", text ? text : "end");
}

static int grows;			/* a file does before each of so many readings of it */

/* One more chunk at the end of the file at FD, and then its header says so. */
static void grow(int fd)
{
	struct amon_chunk filler = { .magic = AMON_CHUNK_MAGIC, .kind = AMON_FILLER, .size = AMON_PAGE, .thread = AMON_NONE, .first = sizeof filler };
	char path[64];
	struct stat st;
	FILE *file;

	snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(truncate(path, st.st_size + AMON_PAGE), 0);
	file = fopen(path, "r+");
	assert_non_null(file);
	assert_int_equal(fseek(file, st.st_size, SEEK_SET), 0);
	assert_int_equal(fwrite(&filler, sizeof filler, 1, file), 1);
	assert_int_equal(fseek(file, offsetof(struct amon_header, used), SEEK_SET), 0);
	assert_int_equal(fwrite(&(uint64_t){ (uint64_t)st.st_size + AMON_PAGE }, sizeof(uint64_t), 1, file), 1);
	assert_int_equal(fclose(file), 0);
}

/* libc's, before which a file may grow. */
ssize_t pread(int fd, void *buffer, size_t size, off_t at)
{
	if (grows > 0) {
		grows--;
		grow(fd);
	}
	return syscall(SYS_pread64, fd, buffer, size, at);
}

static const struct input_listener listener = { .step = tell, .note = tell };
static const struct graph_options usual = { .thread = GRAPH_NONE };

static int set_up(void **state)
{
	(void)state;
	return !mkdtemp(directory) || chdir(directory) != 0;
}

static int tear_down(void **state)
{
	(void)state;
	return unlink("one") | unlink("two") | unlink("cut") | unlink("text") | chdir("/") | rmdir(directory);
}

static void write_to(const char *name, const void *data, size_t len)
{
	FILE *out = fopen(name, "w");

	assert_non_null(out);
	assert_int_equal(fwrite(data, 1, len, out), len);
	assert_int_equal(fclose(out), 0);
}

/* A run of the program at PATH, whose Main calls P three times, in the file NAME; PART of it, for a file that was cut. */
static void write_profile(const char *name, const char *path, double part)
{
	struct make_amon *m = make_amon_new();
	uint32_t module = make_amon_module(m, path, NULL, 0, 0x1000, 0), thread = make_amon_thread(m, "x");
	uint8_t *data;
	size_t len;

	make_amon_module_record(m, module)->main_program = 1;
	make_amon_routine(m, module, 0x10, 0);
	make_amon_routine(m, module, 0x20, 0);
	make_amon_enter(m, thread, 0);
	for (int i = 0; i < 3; i++) {
		make_amon_enter(m, thread, 1);
		make_amon_leave(m, thread);
	}
	make_amon_charge(m, thread, 1000000, 1);
	data = make_amon_finish(m, &len);
	write_to(name, data, (size_t)((double)len * part));
	free(data);
	make_amon_free(m);
}

static void test_sum(void **state)
{
	char *files[] = { (char *)"one", (char *)"two" };
	struct input in = { .listener = &listener };
	struct error err = { .text = "" };

	(void)state;
	told[0] = '\0';
	write_profile("one", "/made/x", 1);
	write_profile("two", "/made/x", 1);
	assert_true(input_read(&in, files, 2, NULL, &err));
	assert_true(input_build(&in, NULL, &usual, &err));
	assert_int_equal(in.profile->nruns, 2);
	assert_int_equal(in.graph->calls, 2 * (1 + 3));
	assert_int_equal(in.graph->time, 2000000);
	assert_ptr_equal(in.report.graph, in.graph);
	input_free(&in);
	assert_null(in.graph);
	assert_ptr_equal(in.listener, &listener);
	assert_string_equal(told, "reading the profile|reading symbols|building the call graph|end|");
}

/* Two programs are added up, and that is said. */
static void test_several_programs(void **state)
{
	char *files[] = { (char *)"one", (char *)"two" };
	struct input in = { .listener = &listener };
	struct error err;

	(void)state;
	told[0] = '\0';
	write_profile("two", "/made/y", 1);
	assert_true(input_read(&in, files, 2, NULL, &err));
	input_free(&in);
	assert_string_equal(told, "reading the profile|note: these are profiles of several programs, x and y for instance; they are added up|end|");
}

/* A bad file behind a good one: the error names it, and the good one stays. */
static void assert_refused(const char *name, enum error_code code)
{
	char *files[] = { (char *)"one", (char *)name };
	struct input in = { 0 };		/* and nobody listens */
	struct error err = { .text = "" };

	assert_false(input_read(&in, files, 2, NULL, &err));
	assert_int_equal(err.code, code);
	assert_non_null(strstr(err.text, name));
	assert_int_equal(in.profile->nruns, 1);
	assert_true(input_build(&in, NULL, &usual, &err));
	assert_int_equal(in.graph->calls, 1 + 3);
	input_free(&in);
}

static void test_bad_files(void **state)
{
	(void)state;
	write_to("text", "hello\n", 6);
	write_profile("cut", "/made/x", 0.01);
	assert_refused("text", ERROR_NOT_AMON);
	assert_refused("missing", ERROR_SYSTEM);
	assert_refused("cut", ERROR_CORRUPT);
}

static void test_bad_phase(void **state)
{
	char *files[] = { (char *)"one" };
	struct input in = { .phase = "load" };
	struct error err = { .text = "" };

	(void)state;
	assert_true(input_read(&in, files, 1, NULL, &err));
	assert_false(input_build(&in, NULL, &usual, &err));
	assert_int_equal(err.code, ERROR_USAGE);
	input_free(&in);
}

/* Of a file that is written, what was there is read, and nothing is missing. */
static void test_growing_file(void **state)
{
	char *files[] = { (char *)"one" };

	(void)state;
	for (int n = 1; n < 6; n++) {
		struct input in = { 0 };
		struct error err = { .text = "" };

		write_profile("one", "/made/x", 1);
		grows = n;
		assert_true(input_read(&in, files, 1, NULL, &err));
		grows = 0;
		assert_int_equal(in.profile->nruns, 1);
		assert_false(in.profile->runs[0].truncated);
		assert_true(input_build(&in, NULL, &usual, &err));
		assert_int_equal(in.graph->calls, 1 + 3);
		input_free(&in);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sum), cmocka_unit_test(test_several_programs), cmocka_unit_test(test_bad_files), cmocka_unit_test(test_bad_phase),
		cmocka_unit_test(test_growing_file),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
