/* rust.c - aprof-rustc: rustc with way inline, by the plugin for the LLVM that it is built with; and cargo, with that for rustc.
 *
 * rustc takes plugins by an unstable option, so RUSTC_BOOTSTRAP=1 is set: for commands that make code alone, since others ask whether unstable features are
 * there.  Each function that is compiled has hooks, also what is made or inlined of the standard library's generic ones; the rest of that library comes compiled,
 * and is code without hooks.  Procedural macros and build scripts are the compiler's: they have none.
 *
 * cargo compiles for the machine that it runs on and for the program's alike, unless it is told a target.  So it is told one, and what is not for a target
 * has no hooks. */
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "compile/choice.h"
#include "compile/compiler.h"
#include "compile/find.h"
#include "compile/line.h"
#include "compile/way.h"

extern char **environ;

/* Set for the wrapper that cargo starts: the wrapper's own options, if there are any. */
static const char cargo_variable[] = "APROF_CARGO";

/* A command for rustc. */
struct rust {
	char *path;		/* the compiler */
	struct choice choice;	/* the wrapper's own options */
	struct list words;	/* the compiler's */
	bool code;		/* it makes code of the program's */
	bool links;		/* and a program or a shared library of it, */
	bool shared;		/* the latter */
	const char *machine;	/* the target, if it is another machine than the monitor's; NULL: it is not. In words */
	bool later;		/* the linker is to make the code */
};

/* The value of the option NAME if word I of WORDS is that; else NULL. */
static const char *rust_value(const struct list *words, size_t i, const char *name)
{
	const char *word = words->items[i];
	size_t n = strlen(name);

	if (strncmp(word, name, n))
		return NULL;
	if (word[n] == '=')
		return word + n + 1;
	return word[n] == '\0' && i + 1 < words->count ? words->items[i + 1] : NULL;
}

/* Whether word I of WORDS is the option NAME for code, with a value or without. */
static bool rust_has_code_option(const struct list *words, size_t i, const char *name)
{
	const char *word = words->items[i], *value = !strncmp(word, "-C", 2) && word[2] ? word + 2 : rust_value(words, i, "-C");
	size_t n = strlen(name);

	return value && !strncmp(value, name, n) && (value[n] == '\0' || value[n] == '=');
}

static bool rust_asks(const char *word)
{
	static const char *const questions[] = { "-V", "-vV", "-h", "--version", "--help", "--explain", "--print" };

	for (size_t i = 0; i < sizeof questions / sizeof *questions; i++)
		if (!strncmp(word, questions[i], strlen(questions[i])) && (word[1] == '-' || !strcmp(word, questions[i])))
			return true;
	return false;
}

static void rust_read(struct rust *r)
{
	bool asks = r->words.count == 0, tests = false, typed = false, target = false, macro = false, program = false, shared = false;
	const char *emit = "link", *name = "", *value;

	for (size_t i = 0; i < r->words.count; i++) {
		asks |= rust_asks(r->words.items[i]);
		tests |= !strcmp(r->words.items[i], "--test");
		if ((value = rust_value(&r->words, i, "--crate-type"))) {
			typed = true;
			macro |= strstr(value, "proc-macro") != NULL;
			program |= strstr(value, "bin") != NULL;
			shared |= strstr(value, "dylib") != NULL;
		}
		emit = (value = rust_value(&r->words, i, "--emit")) ? value : emit;
		name = (value = rust_value(&r->words, i, "--crate-name")) ? value : name;
		if ((value = rust_value(&r->words, i, "--target"))) {
			target = true;
			r->machine = line_other_machine(value) && !strstr(value, ".json") ? value : NULL;
		}
		r->later |= rust_has_code_option(&r->words, i, "linker-plugin-lto");
	}
	r->code = !asks && !macro && strncmp(name, "build_script_", strlen("build_script_")) && (target || !getenv(cargo_variable)) &&
		  (strstr(emit, "link") || strstr(emit, "obj") || strstr(emit, "asm") || strstr(emit, "llvm"));
	r->shared = shared && !tests;
	r->links = r->code && strstr(emit, "link") && (tests || program || shared || !typed);
}

/* Whether WORD is the compiler, as cargo gives it to a wrapper. */
static bool is_rustc(const char *word)
{
	const char *base = strrchr(word, '/') ? strrchr(word, '/') + 1 : word;

	return !strncmp(base, "rustc", strlen("rustc")) && !strchr(base, '.');
}

static bool rust_find(const char *name, const char *variable, char **path, struct error *err)
{
	const char *given = getenv(variable);

	*path = find_in_path(given && *given ? given : name, NULL);
	return *path || error_set(err, ERROR_COMPILER, ERROR_NO_OFFSET, "%s: no such program in PATH: name one in %s", given && *given ? given : name, variable);
}

static bool take_words(struct rust *r, char *const words[], struct error *err)
{
	bool ours;

	for (; *words; words++) {
		if (!choice_take(&r->choice, *words, &ours, err))
			return false;
		if (!ours)
			list_add(&r->words, *words);
	}
	return true;
}

static bool take_cargo_words(struct rust *r, struct error *err)
{
	struct list words = { 0 };
	bool good;

	list_add_words(&words, getenv(cargo_variable) ? getenv(cargo_variable) : "");
	good = !words.failed && (!words.count || take_words(r, words.items, err));
	list_free(&words);
	return good;
}

/* What follows KEY in the line of `rustc -vV` that begins with it.  The caller frees it; NULL: there is none. */
static char *rust_told(const char *path, const char *key)
{
	char name[] = "rustc", question[] = "-vV", *argv[] = { name, question, NULL }, *line = NULL, *found = NULL;
	posix_spawn_file_actions_t files;
	size_t size = 0;
	int ends[2];
	FILE *in;
	pid_t pid;

	if (pipe2(ends, O_CLOEXEC))
		return NULL;
	posix_spawn_file_actions_init(&files);
	posix_spawn_file_actions_adddup2(&files, ends[1], STDOUT_FILENO);
	if (posix_spawn(&pid, path, &files, NULL, argv, environ))
		pid = -1;
	posix_spawn_file_actions_destroy(&files);
	close(ends[1]);
	in = fdopen(ends[0], "r");
	while (in && getline(&line, &size, in) > 0)
		if (!found && !strncmp(line, key, strlen(key)))
			found = strndup(line + strlen(key), strcspn(line + strlen(key), "\n"));
	free(line);
	if (in)
		fclose(in);
	if (pid > 0)
		waitpid(pid, NULL, 0);
	return found;
}

/* The plugin in LIBDIR for the LLVM of the compiler PATH.  The caller frees it; NULL with *ERR set. */
static char *rust_plugin(const char *path, const char *libdir, struct error *err)
{
	char *version = rust_told(path, "LLVM version: "), name[64], *found = NULL;
	struct list plugins = { 0 };

	snprintf(name, sizeof name, "/aprof_llvm%d.so", version ? atoi(version) : 0);
	find_plugins(libdir, &plugins);
	for (size_t i = 0; i < plugins.count && !found; i++)
		if (strstr(plugins.items[i], name))
			found = strdup(plugins.items[i]);
	if (!found)
		error_set(err, ERROR_COMPILER, ERROR_NO_OFFSET, "%s is built with LLVM %s, and aprof without its plugin for that: install llvm-%d-dev, and build aprof again",
			  path, version ? version : "of no known version", version ? atoi(version) : 0);
	free(version);
	list_free(&plugins);
	return found;
}

/* rustc has words of its own for the linker. */
static void add_linker_words(const char *option, const struct list *words, struct list *out)
{
	for (size_t i = 0; i < words->count; i++)
		list_format(out, "%s=%s", option, words->items[i]);
}

static bool rust_link(const struct rust *r, const char *libdir, struct list *out, struct error *err)
{
	struct ability ability = { .late = true, .plugs = true };
	struct line line = { .action = ACTION_LINK, .shared = r->shared };
	struct list before = { 0 }, after = { 0 };
	bool good = way_link_flags(HOOKS_INLINE_LLVM, false, &ability, &line, libdir, &before, err);

	way_link_switches(HOOKS_INLINE_LLVM, false, &line, &r->choice.switches, NULL, libdir, &before, &after);
	add_linker_words("-Zpre-link-arg", &before, out);
	add_linker_words("-Clink-arg", &after, out);
	out->failed |= before.failed || after.failed;
	list_free(&before);
	list_free(&after);
	return good;
}

static bool rust_add(const struct rust *r, struct list *out, struct error *err)
{
	char *libdir = find_libdir(err), *plugin = libdir ? rust_plugin(r->path, libdir, err) : NULL;
	struct list arguments = { 0 };
	bool good = plugin != NULL;

	if (good && r->links && r->later)
		good = error_set(err, ERROR_USAGE, ERROR_NO_OFFSET,
				 "-C linker-plugin-lto: the linker has no hooks for Rust's code: say -C lto=thin or -C lto=fat");
	if (good) {
		list_format(out, "-Zllvm-plugins=%s", plugin);
		list_add(&arguments, "marks=none");
		choice_all_arguments(&r->choice, &arguments);
		for (size_t i = 0; i < arguments.count; i++) {
			list_add(out, "--cfg");
			list_format(out, "aprof=\"%s\"", arguments.items[i]);
		}
		good = !r->links || rust_link(r, libdir, out, err);
	}
	list_free(&arguments);
	free(plugin);
	free(libdir);
	return good;
}

static char *rust_describe(const struct list *command)
{
	char *line = list_join(command, " ", true), *text;
	int n = asprintf(&text, "aprof: method inline: the plugin for rustc's LLVM, taken with RUSTC_BOOTSTRAP=1\n%s\n", line ? line : "");

	free(line);
	return n < 0 ? NULL : text;
}

static bool rust_command(struct rust *r, struct compiler_command *out, struct error *err)
{
	struct list command = { 0 };
	bool good = true;

	if (r->code && r->machine)
		return error_set(err, ERROR_COMPILER, ERROR_NO_OFFSET, "--target %s: the monitor is for 64-bit code of x86: build this with rustc itself", r->machine);
	list_add(&command, r->path);
	if (r->code) {
		good = rust_add(r, &command, err);
		setenv("RUSTC_BOOTSTRAP", "1", 1);
	}
	list_add_all(&command, r->words.items);
	if (good && r->code && r->choice.verbose)
		out->report = rust_describe(&command);
	out->argv = list_take(&command);
	out->path = r->path;
	r->path = NULL;
	return good && (out->argv || error_no_memory_for(err, "command line"));
}

bool compiler_rustc(char *const args[], struct compiler_command *out, struct error *err)
{
	struct rust r = { 0 };
	bool wrapped = args[0] && is_rustc(args[0]), good;

	*out = (struct compiler_command){ 0 };
	if (wrapped)
		r.path = find_in_path(args[0], NULL);
	good = (r.path || rust_find("rustc", "APROF_RUSTC", &r.path, err)) && take_words(&r, args + wrapped, err) && take_cargo_words(&r, err);
	if (good) {
		rust_read(&r);
		good = rust_command(&r, out, err);
	}
	choice_free(&r.choice);
	list_free(&r.words);
	free(r.path);
	if (!good)
		compiler_free(out);
	return good;
}

/* ---- cargo ---- */

/* Let cargo start aprof-rustc, with the wrapper's OPTIONS. */
static bool set_wrapper(const struct list *options, struct error *err)
{
	char *self = find_self(err), *words = options->count ? list_join(options, " ", false) : strdup(""), *wrapper = NULL;
	bool good = self && words;

	if (good) {
		*strrchr(self, '/') = '\0';
		good = asprintf(&wrapper, "%s/aprof-rustc", self) >= 0;
	}
	if (good) {
		setenv("RUSTC_WRAPPER", wrapper, 1);
		setenv(cargo_variable, words, 1);
	}
	free(wrapper);
	free(words);
	free(self);
	return good;
}

/* Take the subcommand and its words from ARGS, and add the target that the program is for, if none is named. */
static bool cargo_words(char *const args[], struct list *options, struct list *out, struct error *err)
{
	char *rustc, *host;
	bool target = false;

	for (; *args && !strncmp(*args, "--aprof-", strlen("--aprof-")); args++)
		list_add(options, *args);
	if (!*args)
		return error_set(err, ERROR_USAGE, ERROR_NO_OFFSET, "cargo aprof: a subcommand of cargo's is to follow: run, build, test or bench");
	for (char *const *a = args; *a && strcmp(*a, "--"); a++)
		target |= !strcmp(*a, "--target") || !strncmp(*a, "--target=", strlen("--target="));
	list_add(out, *args++);
	if (!target) {
		if (!rust_find("rustc", "APROF_RUSTC", &rustc, err))
			return false;
		host = rust_told(rustc, "host: ");
		list_format(out, "--target=%s", host ? host : "x86_64-unknown-linux-gnu");
		free(host);
		free(rustc);
	}
	list_add_all(out, args);
	return true;
}

bool compiler_cargo(char *const args[], struct compiler_command *out, struct error *err)
{
	struct list options = { 0 }, command = { 0 }, words = { 0 };
	bool good;

	*out = (struct compiler_command){ 0 };
	if (args[0] && !strcmp(args[0], "aprof"))	/* as cargo starts it */
		args++;
	good = rust_find("cargo", "CARGO", &out->path, err) && cargo_words(args, &options, &words, err) && set_wrapper(&options, err);
	if (good) {
		list_add(&command, "cargo");
		list_add_all(&command, words.items);
		out->argv = list_take(&command);
		good = out->argv || error_no_memory_for(err, "command line");
	}
	list_free(&options);
	list_free(&words);
	if (!good)
		compiler_free(out);
	return good;
}
