/* probe.c - compiles an empty file with the flags in question, and keeps the answer. */
#include "compile/probe.h"

#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "compile/key.h"

extern char **environ;

/* Run ARGV of the program at PATH without input and output; true if it succeeds. */
static bool run_quietly(const char *path, char **argv)
{
	struct sigaction usual = {.sa_handler = SIG_DFL}, before;
	posix_spawn_file_actions_t files;
	int status = -1;
	pid_t pid;

	if (posix_spawn_file_actions_init(&files))
		return false;
	for (int fd = 0; fd <= 2; fd++)
		posix_spawn_file_actions_addopen(&files, fd, "/dev/null", fd ? O_WRONLY : O_RDONLY, 0);
	sigaction(SIGCHLD, &usual, &before);
	if (posix_spawn(&pid, path, &files, NULL, argv, environ) || waitpid(pid, &status, 0) < 0)
		status = -1;
	sigaction(SIGCHLD, &before, NULL);
	posix_spawn_file_actions_destroy(&files);
	return status == 0;
}

bool probe_succeeds(const struct found *compiler, struct list *command)
{
	char **argv = list_take(command);
	bool yes = argv && run_quietly(compiler->path, argv);

	list_free_items(argv);
	return yes;
}

/* True if COMPILER takes the flags of HOOKS, with PLUGIN. */
static bool takes(const struct found *compiler, enum compiler_language language, enum hooks hooks, const char *plugin)
{
	static const char *const names[] = {[COMPILER_C] = "c", [COMPILER_CXX] = "c++", [COMPILER_FORTRAN] = "f95"};
	struct list command = {0};

	list_add_all(&command, compiler->words.items);
	way_compile_flags(hooks, plugin, false, false, &command);
	list_format(&command, "-x%s", names[language]);
	list_add_words(&command, "-S -o - -");		/* flang reads no devices */
	return probe_succeeds(compiler, &command);
}

/* The place in PLUGINS of the one with which COMPILER takes HOOKS, -1: none. */
static int ask_plugins(const struct found *compiler, enum compiler_language language, enum hooks hooks, const struct list *plugins)
{
	for (size_t i = 0; i < plugins->count; i++)
		if (way_is_for_llvm(plugins->items[i]) == (hooks != HOOKS_INLINE) && takes(compiler, language, hooks, plugins->items[i]))
			return (int)i;
	return -1;
}

/* The last of PLUGINS that is for compilers of that kind; NULL: there is none. */
static const char *last_plugin(const struct list *plugins, bool llvm)
{
	for (size_t i = plugins->count; i-- > 0;)
		if (way_is_for_llvm(plugins->items[i]) == llvm)
			return plugins->items[i];
	return NULL;
}

/* True if COMPILER finds the shared LIBRARY. */
static bool has_library(const struct found *compiler, const char *library)
{
	struct list command = {0};

	list_add_all(&command, compiler->words.items);
	list_add_words(&command, "-shared -nostdlib -o /dev/null");
	list_add(&command, library);
	return probe_succeeds(compiler, &command);
}

/* Whether COMPILER is one of a language whose library switches stacks, and that library is shared. */
static bool switches_stacks(const struct found *compiler)
{
	const char *base = strrchr(compiler->path, '/') ? strrchr(compiler->path, '/') + 1 : compiler->path;

	return (strstr(base, "gccgo") && has_library(compiler, "-l:libgo.so")) || (strstr(base, "gdc") && has_library(compiler, "-l:libgphobos.so"));
}

/* What a compiler answered, as it is remembered. */
struct answer {
	int fentry, late, flang;	/* it has those hooks, or is that: 1 or 0 */
	int linker;		/* its ld.lld loads the plugin */
	int switches;		/* and such a library */
	int plugin;		/* place in the list of plugins of the one that it takes; -1: none */
};

/* True if the ld.lld that COMPILER finds is of its version, and loads PLUGIN where it makes code. */
static bool takes_in_linker(const struct found *compiler, const char *plugin)
{
	const struct line line = {.lto = true};
	const struct list none = {0};
	struct list command = {0};

	list_add_all(&command, compiler->words.items);
	list_add_words(&command, "-flto -shared -nostdlib -o /dev/null");
	way_linker_plugin(plugin, &none, &line, &command);
	list_add_words(&command, "-xc /dev/null");
	return probe_succeeds(compiler, &command);
}

static struct answer probe_ask(const struct found *compiler, enum compiler_language language, const struct list *plugins)
{
	struct answer a = {.fentry = takes(compiler, language, HOOKS_FENTRY, NULL), .plugin = -1, .switches = switches_stacks(compiler)};

	a.late = !a.fentry && takes(compiler, language, HOOKS_CYG_LATE, NULL);
	a.flang = language == COMPILER_FORTRAN && !a.fentry && !a.late && !takes(compiler, language, HOOKS_CYG, NULL);
	if (a.fentry || a.late || a.flang)
		a.plugin = ask_plugins(compiler, language, a.flang ? HOOKS_INLINE_FLANG : a.late ? HOOKS_INLINE_LLVM : HOOKS_INLINE, plugins);
	a.linker = a.late && a.plugin >= 0 && takes_in_linker(compiler, plugins->items[a.plugin]);
	return a;
}

/* What the answer depends on, in one line. The caller frees it; NULL without memory. */
static char *identity(const struct found *compiler, enum compiler_language language, const struct list *plugins)
{
	char what[64];

	snprintf(what, sizeof what, "probe 5 language %d", language);
	return key_text(what, &compiler->words, plugins);
}

/* The directory of the cache, made if need be. The caller frees it; NULL: there is none. */
static char *cache_directory(void)
{
	const char *base = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
	bool given = base && base[0] == '/';
	char *directory;

	if (!given && (!home || home[0] != '/'))
		return NULL;
	if (asprintf(&directory, "%s%s", given ? base : home, given ? "" : "/.cache") < 0)
		return NULL;
	mkdir(directory, 0700);
	base = directory;
	if (asprintf(&directory, "%s/aprof", base) < 0)
		directory = NULL;
	free((char *)base);
	if (directory)
		mkdir(directory, 0700);
	return directory;
}

/* The file of the cache for IDENTITY. */
static char *cache_file(const char *key)
{
	char *directory = cache_directory(), *file = NULL;

	if (directory && asprintf(&file, "%s/compiler-%016" PRIx64, directory, key_hash(key)) < 0)
		file = NULL;
	free(directory);
	return file;
}

/* The file holds the identity in its first line and the answer in the second. */
static bool probe_recall(const char *file, const char *key, struct answer *out)
{
	FILE *in = fopen(file, "re");
	char *line = NULL;
	size_t size = 0;
	struct answer a;
	bool good = in && getline(&line, &size, in) > 0 && !strncmp(line, key, strlen(key)) &&
		    !strcmp(line + strlen(key), "\n") && fscanf(in, "fentry %d late %d flang %d plugin %d linker %d switches %d", &a.fentry, &a.late, &a.flang, &a.plugin, &a.linker,
							       &a.switches) == 6;

	if (good)
		*out = a;
	free(line);
	if (in)
		fclose(in);
	return good;
}

/* Write the file aside and rename it, so that nobody reads half of it. */
static void probe_remember(const char *file, const char *key, const struct answer *a)
{
	char *aside;
	FILE *out = NULL;
	int fd;

	if (asprintf(&aside, "%s.XXXXXX", file) < 0)
		return;
	fd = mkostemp(aside, O_CLOEXEC);
	if (fd >= 0 && !(out = fdopen(fd, "w")))
		close(fd);
	if (out)
		fprintf(out, "%s\nfentry %d late %d flang %d plugin %d linker %d switches %d\n", key, a->fentry, a->late, a->flang, a->plugin, a->linker, a->switches);
	if (fd >= 0 && (!out || fclose(out) || rename(aside, file)))
		unlink(aside);
	free(aside);
}

void probe(const struct found *compiler, enum compiler_language language, const struct list *plugins, struct ability *out)
{
	char *key = identity(compiler, language, plugins);
	char *file = key ? cache_file(key) : NULL;
	struct answer a;

	if (!file || !probe_recall(file, key, &a)) {
		a = probe_ask(compiler, language, plugins);
		if (file)
			probe_remember(file, key, &a);
	}
	*out = (struct ability){.fentry = a.fentry, .late = a.late, .flang = a.flang, .plugs = a.plugin >= 0 && a.plugin < (int)plugins->count,
		.linker = a.linker, .switches = a.switches};
	out->plugin = out->plugs ? plugins->items[a.plugin] : last_plugin(plugins, a.late || a.flang);
	free(file);
	free(key);
}
