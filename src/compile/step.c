/* step.c - one step of GCC's, seen on its way.
 *
 * With -wrapper GCC runs its own steps through aprof: the compiler proper (cc1 and its kin) is run without our flags for a file that is
 * left out, and without our header for a unit of a C++ module; the assembler gets its input changed (assembly.h). */
#include "compile/compiler.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "compile/assembly.h"
#include "compile/find.h"
#include "compile/line.h"
#include "compile/plan.h"
#include "compile/written.h"

/* The next character, with lines that end in a backslash joined, and comments as a blank. */
static int source_character_next(FILE *in)
{
	int c = getc(in), second, last = 0;

	while (c == '\\') {
		second = getc(in);
		if (second != '\n') {
			ungetc(second, in);
			return c;
		}
		c = getc(in);
	}
	if (c != '/')
		return c;
	second = getc(in);
	if (second == '/') {
		while ((c = getc(in)) != EOF && (c != '\n' || last == '\\'))
			last = c;
		return c;
	}
	if (second != '*') {
		ungetc(second, in);
		return c;
	}
	while ((c = getc(in)) != EOF && (c != '/' || last != '*'))
		last = c;
	return c == EOF ? EOF : ' ';
}

/* The next word into WORD, of SIZE bytes; lines of the preprocessor are none. Empty: none, or what begins with no letter. */
static void source_word_next(FILE *in, char *word, size_t size)
{
	size_t n = 0;
	int c = source_character_next(in);

	while (c != EOF && (isspace(c) || c == '#'))
		if (c == '#')
			while (c != EOF && c != '\n')
				c = source_character_next(in);
		else
			c = source_character_next(in);
	for (; c != EOF && (isalnum(c) || c == '_') && n + 1 < size; c = source_character_next(in))
		word[n++] = c;
	word[n] = '\0';
}

/* Whether the source at PATH begins with `module` or `export module`, before which nothing but comments and lines of the preprocessor may stand
 * (C++20, [module.unit]).  False if it cannot be read. */
static bool is_unit_of_module(const char *path)
{
	char word[16];
	FILE *in = fopen(path, "re");

	if (!in)
		return false;
	source_word_next(in, word, sizeof word);
	if (!strcmp(word, "export"))
		source_word_next(in, word, sizeof word);
	fclose(in);
	return !strcmp(word, "module");
}

static bool no_step(const char *path, struct error *err)
{
	return error_set(err, ERROR_SYSTEM, ERROR_NO_OFFSET, "%s: cannot be read or copied: %s", path, strerror(errno));
}

/* The filtered text of the assembly file at PATH (NULL: stdin), in a nameless file that the next program
 * inherits; -1 with *ERR set on failure. *CHANGED tells whether it differs. */
static int filtered(const char *path, const struct select *s, unsigned way, bool *changed, struct error *err)
{
	FILE *in = path ? fopen(path, "re") : stdin;
	int fd = in ? memfd_create("aprof-step", 0) : -1;
	FILE *out = fd >= 0 ? fdopen(dup(fd), "w") : NULL;
	bool good = out && assembly_filter(in, out, s, way, changed, err);

	if (out && fclose(out))
		good = false;
	if (in && path)
		fclose(in);
	if (good && lseek(fd, 0, SEEK_SET) == 0)
		return fd;
	if (err->code == ERROR_NONE)
		no_step(path ? path : "stdin", err);
	if (fd >= 0)
		close(fd);
	return -1;
}

/* Put the filtered assembly in the place of the file in ARGV, if it differs, or of the standard input. */
static bool filter_assembler(char **argv, const struct line *l, const struct select *s, unsigned way, struct error *err)
{
	const char *path = NULL;
	bool changed = false;
	size_t at = 0;
	int fd;

	for (size_t i = 1; i < l->words.count; i++)
		if (l->kinds[i] > WORD_VALUE && strcmp(l->words.items[i], "-"))
			path = l->words.items[at = i];
	fd = filtered(path, s, way, &changed, err);
	if (fd < 0)
		return false;
	if (!path)
		return dup2(fd, STDIN_FILENO) == STDIN_FILENO || no_step("stdin", err);
	if (!changed) {
		close(fd);
		return true;
	}
	free(argv[at]);
	if (asprintf(&argv[at], "/dev/fd/%d", fd) >= 0)
		return true;
	argv[at] = NULL;
	return error_no_memory_for(err, "command line");
}

static bool is_our_flag(const char *w)
{
	return !strcmp(w, "-pg") || !strcmp(w, "-p") || !strcmp(w, "-mfentry") ||
	       !strncmp(w, "-mfentry-name=", strlen("-mfentry-name=")) ||
	       !strncmp(w, "-minstrument-return=", strlen("-minstrument-return="));
}

/* Take those words out of ARGV that KEPT says of false. */
static void keep_words(char **argv, const bool *kept, size_t words)
{
	size_t n = 0;

	for (size_t i = 0; i < words; i++)
		if (kept[i])
			argv[n++] = argv[i];
		else
			free(argv[i]);
	argv[n] = NULL;
}

/* Is any source of L one that S leaves out? */
static bool step_is_left_out(const struct line *l, const struct select *s)
{
	for (size_t i = 1; i < l->words.count; i++)
		if (l->kinds[i] == WORD_SOURCE && !select_file(s, l->words.items[i]))
			return true;
	return false;
}

/* Is a source of L a unit of a C++ module? */
static bool has_unit(const struct line *l)
{
	bool modules = false, unit = false;

	for (size_t i = 1; i < l->words.count; i++) {
		modules |= !strncmp(l->words.items[i], "-fmodules", strlen("-fmodules"));
		unit |= l->kinds[i] == WORD_SOURCE && is_unit_of_module(l->words.items[i]);
	}
	return modules && unit;
}

/* Take our flags out of ARGV, the compiler proper's, if its source is left out; and the header with the inlined hooks of way cyg if it must begin with
 * other words: the compiler calls the hooks of all compilers then. */
static bool strip_compiler(char **argv, const struct line *l, const struct select *s, struct error *err)
{
	bool out = step_is_left_out(l, s), unit = has_unit(l), *kept = malloc(l->words.count * sizeof *kept);

	if (!kept)
		return error_no_memory_for(err, "command line");
	for (size_t i = 0; i < l->words.count; i++) {
		kept[i] = !(out && l->kinds[i] == WORD_OPTION && is_our_flag(argv[i]));
		if (unit && i && l->kinds[i] == WORD_VALUE && !strcmp(argv[i - 1], "-include") && !strcmp(argv[i], hooks_header))
			kept[i - 1] = kept[i] = false;
	}
	keep_words(argv, kept, l->words.count);
	free(kept);
	return true;
}

/* The compilers proper, apart from the preprocessor and the linker. */
static bool is_compiler(const char *program)
{
	return !strncmp(program, "cc1", 3) || !strcmp(program, "f951") || !strcmp(program, "gnat1") ||
	       !strcmp(program, "d21") || !strcmp(program, "go1");
}

static bool adapt(char **argv, const struct select *s, unsigned way, struct error *err)
{
	const char *base = strrchr(argv[0], '/');
	struct line line = {0};
	bool good = true;

	base = base ? base + 1 : argv[0];
	list_add_all(&line.words, argv);
	if (!line_read(&line))
		good = error_no_memory_for(err, "command line");
	else if (is_compiler(base))
		good = strip_compiler(argv, &line, s, err);
	else if (!strcmp(base, "as"))
		good = filter_assembler(argv, &line, s, way, err);
	line_free(&line);
	return good;
}

/* The options before the command at *ARGS, which goes on to that; *PATTERNS are set if there are any. */
static unsigned take_way(char *const **args, const char **patterns)
{
	unsigned way = 0;

	for (; **args; ++*args)
		if (!strcmp(**args, written_option))
			way |= ASSEMBLY_WRITES;
		else if (!strcmp(**args, marking_option))
			way |= ASSEMBLY_MARKS;
		else if (!strncmp(**args, select_option, strlen(select_option)))
			*patterns = **args + strlen(select_option);
		else if (strncmp(**args, step_key_option, strlen(step_key_option)))
			break;
	return way;
}

bool compiler_step(char *const args[], struct compiler_command *out, struct error *err)
{
	const char *patterns = "";
	struct select select = {0};
	struct list command = {0};
	unsigned way = take_way(&args, &patterns);
	bool good;

	*out = (struct compiler_command){0};
	if (!args[0])
		return error_set(err, ERROR_USAGE, ERROR_NO_OFFSET, "cc-step is for GCC to call");
	list_add_all(&command, args);
	out->argv = list_take(&command);
	out->path = find_in_path(args[0], NULL);
	if (!out->path)
		good = error_set(err, ERROR_SYSTEM, ERROR_NO_OFFSET, "%s: not found", args[0]);
	else
		good = out->argv && select_read(&select, patterns, err) &&
		       adapt(out->argv, &select, way, err);
	select_free(&select);
	if (!good)
		compiler_free(out);
	return good;
}
