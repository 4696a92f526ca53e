/* find.c - where things are. */
#include "compile/find.h"

#include <glob.h>
#include <libiberty/libiberty.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* How each language's compiler is found. */
static const struct {
	const char *variable;		/* names the compiler */
	const char *usual[4];		/* commands to try otherwise, NULL at the end */
	const char *what;		/* for the error */
} compilers[] = {
	[COMPILER_C] = {"APROF_CC", {"cc", "gcc", "clang"}, "C"},
	[COMPILER_CXX] = {"APROF_CXX", {"c++", "g++", "clang++"}, "C++"},
	[COMPILER_FORTRAN] = {"APROF_FC", {"gfortran", "flang"}, "Fortran"},
};

static bool find_is_program(const char *path)
{
	struct stat st;

	return !stat(path, &st) && S_ISREG(st.st_mode) && !access(path, X_OK);
}

static bool is_self(const char *path)
{
	struct stat st, self;

	return !stat(path, &st) && !stat("/proc/self/exe", &self) && st.st_dev == self.st_dev && st.st_ino == self.st_ino;
}

char *find_in_path(const char *name, bool *passed)
{
	const char *path = getenv("PATH");
	bool unused;

	passed = passed ? passed : &unused;
	*passed = false;
	if (strchr(name, '/'))
		return find_is_program(name) ? strdup(name) : NULL;
	for (const char *s = path ? path : "/usr/local/bin:/usr/bin:/bin"; *s; s += strcspn(s, ":"), s += *s == ':') {
		int n = strcspn(s, ":");
		char *file;

		if (asprintf(&file, "%.*s/%s", n ? n : 1, n ? s : ".", name) < 0)
			return NULL;
		if (find_is_program(file) && !is_self(file))
			return file;
		*passed |= is_self(file);
		free(file);
	}
	return NULL;
}

/* GCC looks its own name up in PATH to find its parts, so it gets its whole path where PATH leads to aprof first. */
static bool find_usual(enum compiler_language language, struct found *out, struct error *err)
{
	bool passed;

	for (const char *const *name = compilers[language].usual; *name; name++)
		if ((out->path = find_in_path(*name, &passed))) {
			list_add(&out->words, passed ? out->path : *name);
			return !out->words.failed || error_no_memory_for(err, "compiler");
		}
	return error_set(err, ERROR_COMPILER, ERROR_NO_OFFSET, "no %s compiler in PATH: install %s, or name one in %s",
			 compilers[language].what, compilers[language].usual[0], compilers[language].variable);
}

/* No word of the command may be aprof: it would start itself for ever. */
static bool check_words(const struct found *f, const char *variable, struct error *err)
{
	for (size_t i = 0; i < f->words.count; i++) {
		const char *word = f->words.items[i];
		const char *base = strrchr(word, '/');

		base = base ? base + 1 : word;
		if (is_self(word) || !strncmp(base, "aprof-", 6))
			return error_set(err, ERROR_COMPILER, ERROR_NO_OFFSET,
					 "%s names aprof's own wrapper (%s): it wants the compiler behind it", variable, word);
	}
	return true;
}

static bool find_named(const char *command, const char *variable, struct found *out, struct error *err)
{
	char **words = buildargv(command);

	list_add_all(&out->words, words);
	freeargv(words);
	if (out->words.failed || !out->words.count)
		return error_no_memory_for(err, variable);
	if (!check_words(out, variable, err))
		return false;
	out->path = find_in_path(out->words.items[0], NULL);
	return out->path || error_set(err, ERROR_COMPILER, ERROR_NO_OFFSET, "%s: no such compiler: %s (set in %s)",
				      out->words.items[0], "give the name of an installed one", variable);
}

bool find_compiler(enum compiler_language language, struct found *out, struct error *err)
{
	const char *variable = compilers[language].variable;
	const char *command = getenv(variable);

	if (command && command[strspn(command, " \t\n")])
		return find_named(command, variable, out, err);
	return find_usual(language, out, err);
}

char *find_self(struct error *err)
{
	char *self = realpath("/proc/self/exe", NULL);

	if (!self)
		error_set(err, ERROR_SYSTEM, ERROR_NO_OFFSET, "/proc/self/exe cannot be read: aprof does not know where it is");
	return self;
}

/* DIRECTORY/BELOW if there is a FILE in it, else NULL. */
static char *with_file(const char *directory, const char *below, const char *file)
{
	char *path, *found = NULL;

	if (asprintf(&path, "%s%s/%s", directory, below, file) < 0)
		return NULL;
	if (!access(path, R_OK)) {
		*strrchr(path, '/') = '\0';
		found = realpath(path, NULL);
	}
	free(path);
	return found;
}

/* The one of N PLACES, from the directory of the executable, that FILE is in: the first is a build directory's, the last one's
 * an installed aprof's. */
static char *find_beside(const char *const *places, int n, const char *file, struct error *err)
{
	char *self = find_self(err), *found = NULL;

	if (!self)
		return NULL;
	*strrchr(self, '/') = '\0';
	for (int i = 0; i < n && !found; i++)
		found = with_file(self, places[i], file);
	if (!found)
		error_set(err, ERROR_COMPILER, ERROR_NO_OFFSET, "%s: no %s in %s/ here, nor in %s: build or install aprof again", self, file,
			  places[0] + 1, places[n - 1] + 1);
	free(self);
	return found;
}

char *find_libdir(struct error *err)
{
	static const char *const places[] = {"/src/inside", "/../src/inside", ("/" LIBDIR_FROM_BINDIR)};
	static const char library[] = "libaprof.a";
	const char *given = getenv("APROF_LIBDIR");
	char *found;

	if (!given || !*given)
		return find_beside(places, sizeof places / sizeof *places, library, err);
	found = with_file(given, "", library);
	if (!found)
		error_set(err, ERROR_COMPILER, ERROR_NO_OFFSET, "APROF_LIBDIR=%s: no %s there", given, library);
	return found;
}

char *find_includedir(struct error *err)
{
	static const char *const places[] = {"/src/contract", ("/" INCLUDEDIR_FROM_BINDIR)};

	return find_beside(places, sizeof places / sizeof *places, "aprof.h", err);
}

char *find_headers(const char *libdir)
{
	char *found = with_file(libdir, "/include", "aprof.h");

	return found ? found : with_file(libdir, "/../contract", "aprof.h");
}

/* Add the files that PATTERN fits in LIBDIR.  True if there are any. */
static bool add_files(const char *libdir, const char *pattern, struct list *out)
{
	size_t before = out->count;
	glob_t found = {0};
	char *whole;

	if (asprintf(&whole, "%s%s", libdir, pattern) < 0)
		return false;
	if (!glob(whole, 0, NULL, &found))
		for (size_t i = 0; i < found.gl_pathc; i++) {
			char *real = realpath(found.gl_pathv[i], NULL);

			if (real)
				list_add(out, real);
			free(real);
		}
	globfree(&found);
	free(whole);
	return out->count > before;
}

void find_plugins(const char *libdir, struct list *out)
{
	static const char *const places[][2] = {{"/aprof_gcc*.so", "/../compile/gcc/aprof_gcc*.so"}, {"/aprof_llvm*.so", "/../compile/llvm/aprof_llvm*.so"}};

	for (int kind = 0; kind < 2; kind++)
		if (!add_files(libdir, places[kind][0], out))
			add_files(libdir, places[kind][1], out);
}

void find_free(struct found *f)
{
	list_free(&f->words);
	free(f->path);
	*f = (struct found){0};
}
