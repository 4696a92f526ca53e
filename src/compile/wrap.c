/* wrap.c - compiler_wrap: look at the words, ask the compiler, make the plan, write the command. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compile/compiler.h"
#include "compile/find.h"
#include "compile/key.h"
#include "compile/objects.h"
#include "compile/plan.h"
#include "compile/probe.h"
#include "compile/switches.h"

enum { DEEPEST = 3 };	/* wrappers within wrappers before it is taken for a loop */

static const char depth_variable[] = "APROF_WRAPPER_DEPTH";

const char compiler_help_text[] =
"Usage: aprof-cc [--aprof-OPTION]... COMPILER-ARGUMENT...\n"
"The same: aprof cc. For C++: aprof-c++, aprof c++. For Fortran: aprof-fc,\n"
"aprof fc. Runs the compiler with the flags that let aprof profile the program,\n"
"and links aprof's monitor.\n"
"\n"
"  --aprof-way=METHOD      inline (GCC, Clang on 64-bit x86, if aprof was built\n"
"                          with a plugin for that version), fentry (any such\n"
"                          GCC), cyg (any GCC or Clang), or nop: hooks that do\n"
"                          nothing, to measure what calling them costs;\n"
"                          nop-fentry, nop-cyg name the kind. The first that the\n"
"                          compiler has, if not given\n"
"  --aprof-only=PATTERN    profile these files or routines only (may be repeated)\n"
"  --aprof-except=PATTERN  do not profile these (may be repeated)\n"
"                          A shell pattern; one with a / or . in it is for files,\n"
"                          else for routines, unless file: or name: stands\n"
"                          before it\n"
"  --aprof-leaf=N          no hooks in routines of less than N statements that\n"
"                          call nothing (by inline)\n"
"  --aprof-layout=SEED     lay functions out by chance (by inline): what layout\n"
"                          alone does to the time shows between seeds;\n"
"                          aprof compare --layouts does it\n"
"  --aprof-clock=tsc       by inline: code that reads the cycle counter, so\n"
"                          that the program's clock is tsc, elapsed time at each\n"
"                          call and return, unless APROF_CLOCK says otherwise\n"
"  --aprof-sites           by inline: code that says where a routine is called,\n"
"                          so that calls are counted by call site; the other\n"
"                          methods need none: APROF_SITES=1, aprof run --sites\n"
"  --aprof-callers         no jump in place of a call at a routine's end: who\n"
"                          calls is who is written in the source to call\n"
"  --aprof-switch=NAME     this routine returns on another stack, as swapcontext\n"
"                          does; for compiling and for linking, wherever it is:\n"
"                          in the program, an archive or a shared library\n"
"  --aprof-verify          refuse a routine whose hooks are not proven to put the\n"
"                          context back on all paths (by inline); else it is\n"
"                          mended, or calls its hooks\n"
"  --aprof-verify=report   print such routines, and how many were checked\n"
"  --aprof-verbose         print the method, why, and the real command; and each\n"
"                          routine that --aprof-verify would refuse\n"
"  --aprof-help            print this; --help, and then the compiler's own help\n"
"\n"
"Examples:\n"
"  aprof-cc -O2 -o prog prog.c              one program\n"
"  make CC=aprof-cc CXX=aprof-c++           a whole build\n"
"\n"
"APROF_CC, APROF_CXX and APROF_FC name the real compilers (cc, c++, gfortran).\n";

enum compiler_help compiler_wants_help(char *const args[])
{
	if (args[0] && !strcmp(args[0], "--aprof-help"))
		return COMPILER_HELP_OURS;
	return args[0] && !args[1] && !strcmp(args[0], "--help") ? COMPILER_HELP_BOTH : COMPILER_HELP_NONE;
}

/* A script named cc may lead back to aprof: count how often that happened, also where the compiler is only asked. */
static bool count_depth(struct error *err)
{
	const char *text = getenv(depth_variable);
	int depth = text ? atoi(text) : 0;
	char next[16];

	if (depth >= DEEPEST)
		return error_set(err, ERROR_COMPILER, ERROR_NO_OFFSET,
				 "the compiler that was found starts aprof again: name the real one in APROF_CC");
	snprintf(next, sizeof next, "%d", depth + 1);
	setenv(depth_variable, next, 1);
	return true;
}

/* The seed by which functions are laid out (--aprof-layout), for builds whose flags nobody may touch. */
static const char layout_variable[] = "APROF_LAYOUT";

/* The key of what makes code here: AROUND's aprof, and COMPILER and PLUGINS where they are given.  Malloc'ed, NULL: out of memory. */
static char *key_make(const char *self, const struct found *compiler, const struct list *plugins)
{
	struct list words = {0};
	char *text, *key = NULL;

	list_add(&words, self);
	if (getenv(layout_variable))
		list_format(&words, "%s=%s", layout_variable, getenv(layout_variable));
	if (compiler)
		list_add_all(&words, compiler->words.items);
	text = words.failed ? NULL : key_text("aprof", &words, plugins);
	if (text && asprintf(&key, "%016" PRIx64, key_hash(text)) < 0)
		key = NULL;
	free(text);
	list_free(&words);
	return key;
}

/* Look at the surroundings and make the plan. */
static bool decide(struct plan *p, const struct found *compiler, enum compiler_language language, struct error *err)
{
	struct surroundings around = {.compiler = compiler->path};
	struct list plugins = {0};
	char *libdir, *self = NULL, *headers, *key, *switches = NULL;
	bool good;

	libdir = find_libdir(err);
	if (!libdir)
		return false;
	self = find_self(err);
	find_plugins(libdir, &plugins);
	probe(compiler, language, &plugins, &around.ability);
	headers = find_headers(libdir);
	key = self ? key_make(self, NULL, NULL) : NULL;
	around.libdir = libdir;
	around.self = self;
	around.key = key;
	around.layout = getenv(layout_variable);
	around.headers = headers;
	good = self && (p->line.action != ACTION_LINK || !p->choice.switches.count || switches_make(compiler, &p->choice.switches, &switches, err));
	around.switches = switches;
	around.nested = atoi(getenv(depth_variable)) > 1;
	good = good && key && plan_make(p, &around, err) && objects_check(&p->line, p->hooks, err);
	list_free(&plugins);
	free(libdir);
	free(headers);
	free(key);
	free(switches);
	free(self);
	return good;
}

/* A cache looks at what is preprocessed, which is to tell it what it cannot know: what is behind aprof-cc. */
static void show_key(struct plan *p, const struct found *compiler, const char *libdir)
{
	struct error ignored;
	struct list plugins = {0};
	char *self = find_self(&ignored), *key;

	find_plugins(libdir, &plugins);
	key = self ? key_make(self, compiler, &plugins) : NULL;
	if (key)
		plan_key(p, libdir, key);
	free(key);
	free(self);
	list_free(&plugins);
}

/* A command that is passed on as it is, but that it finds aprof.h: what is preprocessed before it is compiled is the same. */
static void wrap_pass_on(struct plan *p, const struct found *compiler)
{
	struct error ignored;
	char *libdir = plan_wants_headers(p) ? find_libdir(&ignored) : NULL;
	char *headers = libdir ? find_headers(libdir) : NULL;

	if (headers)
		plan_headers(p, headers);
	if (libdir && plan_is_preprocessed(p) && key_is_asked())
		show_key(p, compiler, libdir);
	free(headers);
	free(libdir);
}

/* The lines of --aprof-verbose. */
static char *describe(const struct plan *p, const struct list *command)
{
	char *line = list_join(command, " ", true), *text;
	const char *nop = p->choice.way.nop ? ", hooks that do nothing" : "";
	int n;

	if (p->hooks == HOOKS_NONE)
		n = asprintf(&text, "aprof: passed on: nothing is compiled or linked\n%s\n", line ? line : "");
	else
		n = asprintf(&text, "aprof: method %s%s: %s\n%s\n", way_name(p->hooks), nop, p->why, line ? line : "");
	free(line);
	return n < 0 ? NULL : text;
}

static bool write_command(const struct plan *p, struct found *compiler, struct compiler_command *out, struct error *err)
{
	struct list command = {0};

	list_add_all(&command, compiler->words.items);
	list_add_all(&command, p->before.items);
	list_add_all(&command, p->given.items);
	list_add_all(&command, p->after.items);
	if (p->choice.verbose)
		out->report = describe(p, &command);
	out->argv = list_take(&command);
	out->path = compiler->path;
	compiler->path = NULL;
	return out->argv || error_no_memory_for(err, "command line");
}

bool compiler_wrap(enum compiler_language language, char *const args[], struct compiler_command *out, struct error *err)
{
	struct plan plan = {0};
	struct found compiler = {0};
	bool good;

	*out = (struct compiler_command){0};
	good = count_depth(err) && plan_read(&plan, args, err) && find_compiler(language, &compiler, err);
	if (good && plan_is_ours(&plan))
		good = decide(&plan, &compiler, language, err);
	else if (good)
		wrap_pass_on(&plan, &compiler);
	good = good && write_command(&plan, &compiler, out, err);
	plan_free(&plan);
	find_free(&compiler);
	if (!good)
		compiler_free(out);
	return good;
}

void compiler_free(struct compiler_command *c)
{
	free(c->path);
	list_free_items(c->argv);
	free(c->report);
	*c = (struct compiler_command){0};
}
