/* find.h - where things are: the compiler to run, and aprof's own libraries. */
#ifndef FIND_H
#define FIND_H

#include "compile/compiler.h"
#include "base/list.h"

/* A compiler to be run. */
struct found {
	struct list words;	/* its command, as the user writes it: "ccache gcc" has two */
	char *path;		/* executable file of the first word */
};

/* The compiler of LANGUAGE: what APROF_CC, APROF_CXX or APROF_FC says, else the usual names in PATH.  An
 * executable that is aprof itself is passed over. False with *ERR set when there is none. */
bool find_compiler(enum compiler_language language, struct found *out, struct error *err);

/* The file that the command NAME runs, or NULL; the caller frees it. *PASSED (may be NULL) tells whether a file of that
 * name was passed over since it is aprof itself. */
char *find_in_path(const char *name, bool *passed);

/* Path of the running executable. The caller frees it; NULL with *ERR set. */
char *find_self(struct error *err);

/* Directory of libaprof.a, relative to the running executable: inside/ beside it in a build directory,
 * LIBDIR/aprof of the prefix when installed; APROF_LIBDIR goes before both.  The caller frees it; NULL with *ERR set. */
char *find_libdir(struct error *err);

/* Directory of aprof.h: contract/ beside the running executable in a build directory, that of the prefix when installed.  The
 * caller frees it; NULL with *ERR set. */
char *find_includedir(struct error *err);

/* Directory that has aprof.h and nothing else, for LIBDIR: below it, or beside it in a build directory.  NULL: it is not there.  The caller
 * frees it. */
char *find_headers(const char *libdir);

/* Files of the plugins in LIBDIR, or beside it in a build directory: one for each GCC and each LLVM that they were built for. Empty: none. */
void find_plugins(const char *libdir, struct list *out);

void find_free(struct found *f);

#endif
