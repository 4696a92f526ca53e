/* fuzz_public.c - any bytes at all are opened by libaprof, and everything that its interface has is asked of them; what comes back is what the header promises.
 *
 * With Clang this is a libFuzzer target.  Built with -DDRIVER it has a main of its own that takes FILES and tries each one and
 * ROUNDS mutations of it: fuzz_public ROUNDS FILE... */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../../../tests/lib/fuzz.h"
#include "public/aprof/profile.h"

static void fail(const char *what)
{
	fprintf(stderr, "%s\n", what);
	abort();
}

/* What failed has said why, once. */
static void check_error(struct aprof_error *error)
{
	if (!error || !*aprof_error_text(error) || aprof_error_kind(error) < APROF_ERROR_MEMORY || aprof_error_kind(error) > APROF_ERROR_USAGE)
		fail("refused without a reason");
	aprof_error_free(error);
}

typedef const struct aprof_table *ask_table(void *of, const char *name, struct aprof_error **error);

static const struct aprof_table *ask_profile(void *of, const char *name, struct aprof_error **error)
{
	return aprof_profile_table(of, name, error);
}

static const struct aprof_table *ask_comparison(void *of, const char *name, struct aprof_error **error)
{
	return aprof_comparison_table(of, name, error);
}

/* Each index leads to a row, or is none. */
static void check_indices(const struct aprof_column *c, size_t rows, void *of, ask_table *ask)
{
	const struct aprof_table *there = ask(of, aprof_column_refers(c), NULL);
	const uint32_t *indices = aprof_column_indices(c);
	size_t n = there ? aprof_table_rows(there) : 0;

	for (size_t i = 0; i < rows; i++)
		if (indices[i] != APROF_NONE && indices[i] >= n)
			fail("an index that leads nowhere");
}

static void check_texts(const char *const *texts, size_t rows)
{
	static volatile size_t length;

	for (size_t i = 0; i < rows; i++)
		length += texts[i] ? strlen(texts[i]) : 0;
	(void)length;
}

static void check_flags(const uint8_t *flags, size_t rows)
{
	for (size_t i = 0; flags && i < rows; i++)
		if (flags[i] > 1)
			fail("a flag that is neither 0 nor 1");
}

static void check_table(const struct aprof_table *t, void *of, ask_table *ask)
{
	size_t rows = aprof_table_rows(t);
	const struct aprof_column *c;

	for (size_t i = 0; (c = aprof_table_column(t, i)); i++) {
		if (aprof_column_type(c) == APROF_INDEX)
			check_indices(c, rows, of, ask);
		if (aprof_column_type(c) == APROF_TEXT)
			check_texts(aprof_column_texts(c), rows);
		check_flags(aprof_column_flags(c), rows);
		check_flags(aprof_column_known(c), rows);
	}
}

static void check_tables(const char *const *names, void *of, ask_table *ask)
{
	for (; *names; names++) {
		struct aprof_error *error = NULL;
		const struct aprof_table *t = ask(of, *names, &error);

		if (t)
			check_table(t, of, ask);
		else
			check_error(error);
	}
}

/* Parents stand before their children. */
static void check_tree(struct aprof_profile *p)
{
	const struct aprof_table *tree = aprof_profile_table(p, "tree", NULL);
	const uint32_t *parents = tree ? aprof_indices(tree, "parent") : NULL;

	for (size_t i = 0; tree && i < aprof_table_rows(tree); i++)
		if (i == 0 ? parents[i] != APROF_NONE : parents[i] >= i)
			fail("a node that does not stand behind its parent");
}

static void check_profile(const char *path, const struct aprof_options *options)
{
	static const char *const names[] = { "routines", "arcs", "contexts", "tree", "findings", "values", "runs", NULL };
	struct aprof_error *error = NULL;
	struct aprof_profile *p = aprof_open(path, options, &error);

	if (p) {
		check_tables(names, p, ask_profile);
		check_tree(p);
		for (size_t i = 0; aprof_profile_note(p, i); i++)
			;
	} else {
		check_error(error);
	}
	aprof_profile_free(p);
}

static void check_comparison(const char *path, const struct aprof_options *options)
{
	static const char *const names[] = { "verdict", "routines", "arcs", "contexts", "runs", NULL };
	struct aprof_error *error = NULL;
	struct aprof_comparison *c = aprof_compare(&path, 1, &path, 1, options, &error);

	if (c)
		check_tables(names, c, ask_comparison);
	else
		check_error(error);
	aprof_comparison_free(c);
}

/* The bytes as a file that has no name. */
static int make_file(const uint8_t *data, size_t size, char path[40])
{
	int fd = memfd_create("fuzz", MFD_CLOEXEC);

	if (fd < 0 || write(fd, data, size) != (ssize_t)size)
		fail("no file for the bytes");
	snprintf(path, 40, "/proc/self/fd/%d", fd);
	return fd;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct aprof_options *options = aprof_options_new();
	char path[40];
	int fd = make_file(data, size, path);

	if (size > 4 && memcmp(data, "gmon", 4) == 0)
		aprof_options_set(options, "program", "/proc/self/exe", NULL);
	check_profile(path, options);
	if (size % 4 == 0)
		check_comparison(path, options);
	close(fd);
	aprof_options_free(options);
	return 0;
}

/* Of a file of chunks words where the structure is, of others bytes; one of twenty is cut off. */
static size_t mutate(uint8_t *data, size_t size, uint64_t dice)
{
	if (size > 8 && memcmp(data, AMON_MAGIC, 8) == 0)
		return fuzz_words(data, size, dice);
	for (uint32_t changes = 1 + roll(&dice, 4); changes > 0 && size > 0; changes--)
		data[roll(&dice, (uint32_t)size)] = (uint8_t)(roll(&dice, 4) ? roll(&dice, 256) : roll(&dice, 2) * 255);
	return roll(&dice, 20) == 0 && size > 0 ? roll(&dice, (uint32_t)size) : size;
}

#ifdef DRIVER

int main(int argc, char **argv)
{
	return fuzz_files(argc, argv, mutate, NULL);
}

#else

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed)
{
	return seed % 4 == 0 ? LLVMFuzzerMutate(data, size, most) : mutate(data, size, seed);
}

#endif
