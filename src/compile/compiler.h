/* compiler.h - aprof's wrapper of the user's compiler.
 *
 * aprof-cc, aprof-c++ and aprof-fc behave as the compiler that they wrap and add what the
 * monitor needs: flags that make the compiler call hooks at each entry and exit, and at a link
 * the monitor itself.  Nothing here prints, exits or executes the command: the results are
 * argument vectors and texts for cli/ to act on. */
#ifndef COMPILER_H
#define COMPILER_H

#include <stdbool.h>

#include "base/error.h"

/* Whose compiler stands behind the wrapper. */
enum compiler_language {
	COMPILER_C,		/* aprof-cc: APROF_CC, or cc */
	COMPILER_CXX,		/* aprof-c++: APROF_CXX, or c++ */
	COMPILER_FORTRAN,	/* aprof-fc: APROF_FC, or gfortran */
};

/* A command that is ready to be executed. */
struct compiler_command {
	char *path;		/* executable, for execv */
	char **argv;		/* its arguments, argv[0] included, NULL at the end */
	char *report;		/* what --aprof-verbose asks to be printed on stderr, whole lines; else NULL */
};

/* Make the command that stands for `aprof-cc ARGS` (ARGS without the wrapper's own name, NULL at the end).
 * May run the compiler once or twice to see what it offers, and keeps the answer in the user's
 * cache.  Sets APROF_WRAPPER_DEPTH in the environment, which stops wrappers that call each other.
 * The caller frees *OUT with compiler_free.  False with *ERR set when nothing must be run. */
bool compiler_wrap(enum compiler_language language, char *const args[], struct compiler_command *out,
		   struct error *err);

/* Make the command that stands for `aprof cc-step ARGS`.  When routines are chosen by name, or
 * some files of one command are left out, GCC runs each of its own steps (cc1, as) through this one; ARGS is
 * that step's command.  Same results as compiler_wrap; an open file may be passed to the command. */
bool compiler_step(char *const args[], struct compiler_command *out, struct error *err);

/* Make the command that stands for `aprof-rustc ARGS`: rustc's, by way inline; ARGS may begin with the compiler, as cargo has it for wrappers. Sets
 * RUSTC_BOOTSTRAP in the environment, without which rustc takes no plugin.  Same results as compiler_wrap. */
bool compiler_rustc(char *const args[], struct compiler_command *out, struct error *err);

/* The same for `cargo aprof ARGS`: cargo's subcommand, with aprof-rustc for rustc.  Sets RUSTC_WRAPPER and APROF_CARGO. */
bool compiler_cargo(char *const args[], struct compiler_command *out, struct error *err);

/* The answer to `aprof config ARGS`: whole lines, to be printed on stdout. The caller frees it.
 * NULL with *ERR set on a wrong option or a compiler that cannot be used. */
char *compiler_config(char *const args[], struct error *err);

/* What `aprof cc --aprof-help` and `aprof config --help` print; static. */
extern const char compiler_help_text[];
extern const char compiler_config_help[];

/* Whose help ARGS asks for: that of the wrapper alone (--aprof-help), or first that and then the compiler's own (--help, and nothing else). */
enum compiler_help { COMPILER_HELP_NONE, COMPILER_HELP_OURS, COMPILER_HELP_BOTH };
enum compiler_help compiler_wants_help(char *const args[]);

/* Free what *C holds; *C may be all zero. */
void compiler_free(struct compiler_command *c);

#endif
