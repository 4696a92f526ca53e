/* config.c - `aprof config`: the flags for those who do not want a wrapper.
 *
 * One set of flags must do for compiling and linking alike.  For GCC a specs file in LIBDIR adds the monitor to whatever
 * is linked; -B tells GCC where the files are that the specs name, and the specs the run path of shared libraries (one in a
 * -static-pie program makes glibc 2.36 crash).  Clang has no specs, so its links get the shared
 * monitor, as linker flags that a compilation passes over. Flags that are given twice do no harm. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "compile/choice.h"
#include "compile/compiler.h"
#include "compile/find.h"
#include "compile/probe.h"

const char compiler_config_help[] =
"Usage: aprof config [--way=METHOD] [--clock=tsc] [--sites]\n"
"                    [--cflags | --cxxflags | --fflags] [--libs | --ldflags]\n"
"                    [--libdir] [--includedir] [--version]\n"
"Prints flags for building without aprof-cc:\n"
"\n"
"  --cflags, --cxxflags, --fflags\n"
"                      for the compiler, and enough for the link as well:\n"
"                      make CFLAGS=\"-O2 $(aprof config --cflags)\"\n"
"  --libs, --ldflags   for the link alone\n"
"  --way=METHOD        inline, fentry, cyg, nop, nop-fentry, nop-cyg; the best\n"
"                      that there is, if not given\n"
"  --clock=tsc         by inline: code that reads the cycle counter, for\n"
"                      that clock\n"
"  --sites             by inline: code that says its call sites\n"
"  --libdir            the directory of aprof's libraries\n"
"  --includedir        the directory of aprof.h\n"
"  --version           aprof's version\n"
"\n"
"APROF_CC, APROF_CXX and APROF_FC name the compilers (cc, c++, gfortran).\n";

/* What is to be printed. */
struct request {
	struct way way;			/* --way= */
	bool tsc;			/* --clock=tsc */
	bool sites;			/* --sites */
	enum compiler_language language;	/* whose flags */
	bool compile;			/* --cflags and the like */
	bool link;			/* --libs, --ldflags */
	bool libdir;			/* --libdir */
	bool includedir;		/* --includedir */
	bool version;			/* --version */
};

static bool config_read_option(struct request *r, const char *word, struct error *err)
{
	static const struct {
		const char *name;		/* the option */
		enum compiler_language language;	/* for the three that compile */
	} compiling[] = {
		{"--cflags", COMPILER_C}, {"--cxxflags", COMPILER_CXX}, {"--fflags", COMPILER_FORTRAN},
	};

	for (size_t i = 0; i < sizeof compiling / sizeof *compiling; i++)
		if (!strcmp(word, compiling[i].name)) {
			r->language = compiling[i].language;
			return r->compile = true;
		}
	if (!strncmp(word, "--way=", strlen("--way=")))
		return way_find(word + strlen("--way="), &r->way, err);
	if (!strcmp(word, "--clock=tsc"))
		return r->tsc = true;
	if (!strcmp(word, "--sites"))
		return r->sites = true;
	if (!strcmp(word, "--libs") || !strcmp(word, "--ldflags"))
		return r->link = true;
	if (!strcmp(word, "--libdir"))
		return r->libdir = true;
	if (!strcmp(word, "--includedir"))
		return r->includedir = true;
	if (!strcmp(word, "--version"))
		return r->version = true;
	return error_set(err, ERROR_USAGE, ERROR_NO_OFFSET, "config: no option %s: see aprof config --help", word);
}

static bool read_request(char *const args[], struct request *r, struct error *err)
{
	for (; *args; args++)
		if (!config_read_option(r, *args, err))
			return false;
	if (r->compile || r->link || r->libdir || r->includedir || r->version)
		return true;
	return error_set(err, ERROR_USAGE, ERROR_NO_OFFSET, "config: say what: --cflags, --libs, --libdir, --includedir or --version");
}

/* The directory of the specs files: LIBDIR, or beside it in a build directory. NULL without memory. */
static char *specs_file(const char *libdir, bool nop)
{
	const char *name = nop ? "aprof-nop.specs" : "aprof.specs";
	char *file, *real;

	if (asprintf(&file, "%s/%s", libdir, name) < 0)
		return NULL;
	if (!access(file, R_OK))
		return file;
	free(file);
	if (asprintf(&file, "%s/../compile/%s", libdir, name) < 0)
		return NULL;
	real = realpath(file, NULL);
	free(file);
	return real;
}

static bool add_specs(const char *libdir, bool nop, struct list *out, struct error *err)
{
	char *specs = specs_file(libdir, nop);

	if (!specs)
		return error_set(err, ERROR_COMPILER, ERROR_NO_OFFSET, "%s: no aprof.specs there: install aprof again", libdir);
	list_format(out, "-B%s", libdir);
	list_format(out, "-specs=%s", specs);
	free(specs);
	return true;
}

static void add_clang(const char *libdir, bool nop, struct list *out)
{
	list_add(out, "-Wno-unused-command-line-argument");
	list_add(out, "-Wl,--wrap=__cyg_profile_func_enter,--wrap=__cyg_profile_func_exit");
	list_format(out, "-Wl,--push-state,--no-as-needed,%s/%s,--pop-state,-rpath,%s", libdir,
		    nop ? "libaprof_nop.so.1" : "libaprof-monitor.so.1", libdir);
}

/* The flags pass through a shell's and make's word splitting, and through specs. */
static bool check_path(const char *path, struct error *err)
{
	if (!strpbrk(path, " \t,'\"\\$%"))
		return true;
	return error_set(err, ERROR_COMPILER, ERROR_NO_OFFSET,
			 "%s: flags cannot carry such a path: use aprof-cc, or move aprof", path);
}

/* As the wrapper has it, behind all other directories.  (GCC looks into contract/ below -B, too, where it is an installed aprof's.)
 * Fortran includes no C. */
static bool add_headers(enum compiler_language language, const char *libdir, struct list *out, struct error *err)
{
	char *directory = language == COMPILER_FORTRAN ? NULL : find_headers(libdir);
	bool good = !directory || check_path(directory, err);

	if (directory && good) {
		list_add(out, "-idirafter");
		list_add(out, directory);
	}
	free(directory);
	return good;
}

/* Clang's code of way inline wants the monitor in the program, which no flags of a compilation bring there. */
static bool config_choose(const struct request *r, const struct ability *ability, const char *compiler, enum hooks *hooks, const char **why, struct error *err)
{
	struct way way = r->way;

	if (ability->flang)
		return error_set(err, ERROR_COMPILER, ERROR_NO_OFFSET, "no flags for flang: use aprof-flang");
	if (ability->late && way.hooks == HOOKS_INLINE)
		return error_set(err, ERROR_COMPILER, ERROR_NO_OFFSET, "no flags for method inline by Clang: use aprof-clang, or --way=cyg");
	if (ability->late && way.hooks == HOOKS_NONE)
		way.hooks = HOOKS_CYG;
	return way_choose(&way, ability, compiler, hooks, why, err);
}

static bool add_flags(const struct request *r, const char *libdir, struct list *out, struct error *err)
{
	struct found compiler = {0};
	struct list plugins = {0};
	struct ability ability;
	enum hooks hooks = HOOKS_NONE;
	const char *why;
	bool good = check_path(libdir, err) && find_compiler(r->language, &compiler, err);

	if (good) {
		find_plugins(libdir, &plugins);
		probe(&compiler, r->language, &plugins, &ability);
		good = config_choose(r, &ability, compiler.path, &hooks, &why, err) && (!r->tsc || way_check_tsc(hooks, why, err)) &&
		       (!r->sites || way_check_sites(hooks, why, err));
	}
	find_free(&compiler);
	if (good && r->compile)
		way_compile_flags(hooks, ability.plugin, r->tsc, r->sites, out);
	list_free(&plugins);
	good = good && (!r->compile || add_headers(r->language, libdir, out, err));
	if (!good)
		return false;
	if (hooks != HOOKS_CYG_LATE)
		return add_specs(libdir, r->way.nop, out, err);
	add_clang(libdir, r->way.nop, out);
	return true;
}

static bool add_includedir(struct list *lines, struct error *err)
{
	char *directory = find_includedir(err);

	if (!directory)
		return false;
	list_add(lines, directory);
	free(directory);
	return true;
}

static bool add_answers(const struct request *r, const char *libdir, struct list *lines, struct error *err)
{
	struct list flags = {0};
	char *joined;

	if (r->version)
		list_add(lines, APROF_VERSION);
	if (r->libdir)
		list_add(lines, libdir);
	if (r->includedir && !add_includedir(lines, err))
		return false;
	if (!r->compile && !r->link)
		return true;
	if (!add_flags(r, libdir, &flags, err)) {
		list_free(&flags);
		return false;
	}
	if (flags.count && (joined = list_join(&flags, " ", false))) {
		list_add(lines, joined);
		free(joined);
	}
	lines->failed |= flags.failed;
	list_free(&flags);
	return true;
}

static char *config_answer(const struct request *r, const char *libdir, struct error *err)
{
	struct list lines = {0};
	char *text = NULL;

	if (add_answers(r, libdir, &lines, err)) {
		list_add(&lines, "");
		text = lines.failed ? NULL : list_join(&lines, "\n", false);
		if (!text)
			error_no_memory_for(err, "flags");
	}
	list_free(&lines);
	return text;
}

char *compiler_config(char *const args[], struct error *err)
{
	struct request request = {0};
	char *libdir, *text;

	if (!read_request(args, &request, err))
		return NULL;
	libdir = find_libdir(err);
	if (!libdir)
		return NULL;
	text = config_answer(&request, libdir, err);
	free(libdir);
	return text;
}
