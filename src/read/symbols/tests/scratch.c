/* scratch.c - see scratch.h. */
#include "read/symbols/tests/scratch.h"

#include <fnmatch.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include <elfutils/libdwelf.h>
#include <fcntl.h>
#include <libelf.h>

static char directory[] = "/tmp/aprof-symbols-XXXXXX";

int scratch_begin(void **state)
{
	(void)state;
	return mkdtemp(directory) && chdir(directory) == 0 ? 0 : -1;
}

int scratch_end(void **state)
{
	(void)state;
	if (chdir("/") != 0)
		return -1;
	return scratch_try("rm -rf %s", directory) ? 0 : -1;
}

void scratch_file(const char *name, const char *text)
{
	FILE *f = fopen(name, "w");

	assert_non_null(f);
	assert_true(fputs(text, f) >= 0);
	assert_int_equal(fclose(f), 0);
}

static bool run(const char *format, va_list args, const char *redirection)
{
	char *command, *whole;
	int status;

	assert_true(vasprintf(&command, format, args) >= 0);
	assert_true(asprintf(&whole, "{ %s; } %s", command, redirection) >= 0);
	status = system(whole);
	free(command);
	free(whole);
	return status == 0;
}

bool scratch_try(const char *format, ...)
{
	va_list args;
	bool ok;

	va_start(args, format);
	ok = run(format, args, ">/dev/null 2>&1");
	va_end(args);
	return ok;
}

void scratch_run(const char *format, ...)
{
	va_list args;
	bool ok;

	va_start(args, format);
	ok = run(format, args, ">&2");
	va_end(args);
	assert_true(ok);
}

uint64_t scratch_address(const char *path, const char *name)
{
	char *command, line[4096], found[4096];
	uint64_t address = 0, value;
	FILE *f;

	assert_true(asprintf(&command, "nm '%s'", path) >= 0);
	f = popen(command, "r");
	assert_non_null(f);
	while (fgets(line, sizeof line, f))
		if (sscanf(line, "%lx %*c %4095s", &value, found) == 2 && !fnmatch(name, found, 0))
			address = value;
	pclose(f);
	free(command);
	if (!address)
		fail_msg("%s: no symbol %s", path, name);
	return address;
}

static void read_build_id(const char *path, struct profile_module *m)
{
	int fd = open(path, O_RDONLY);
	Elf *elf;
	const void *id;
	ssize_t size;

	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_READ, NULL);
	size = elf ? dwelf_elf_gnu_build_id(elf, &id) : 0;
	if (size > 0)
		memcpy(m->build_id, id, m->build_id_size = size);
	elf_end(elf);
	close(fd);
}

const struct profile *scratch_profile(size_t n, const char *const *paths)
{
	static struct profile_module modules[4];
	static struct profile profile = { .modules = modules };

	memset(modules, 0, sizeof modules);
	profile.nmodules = n;
	for (size_t i = 0; i < n; i++) {
		modules[i].path = (char *)paths[i];
		modules[i].main_program = i == 0;
		modules[i].hooked = true;
		read_build_id(paths[i], &modules[i]);
	}
	return &profile;
}

struct symbols *scratch_open(const char *path)
{
	struct symbols *s = symbols_open(scratch_profile(1, &path), NULL, NULL);

	assert_non_null(s);
	return s;
}
