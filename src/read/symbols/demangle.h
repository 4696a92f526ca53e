/* demangle.h - linked names as people know them. */
#ifndef SYMBOLS_DEMANGLE_H
#define SYMBOLS_DEMANGLE_H

#include <stddef.h>

/* The C++, Rust or D name that is mangled in NAME; what sets up a file's static objects; of a library's variant for some processors the public name with the
 * variant beside, `memset (__memset_avx2_unaligned_erms)`.  Malloc'ed; NULL if it is none of these, or is too large: more than 4096 bytes, or 64 KB when
 * demangled, which a short hostile name can exceed without end.  This is the one place where such names are made: what has a struct symbol has them. */
char *demangle(const char *name);

/* The same as binutils' programs have it, gprof among them: what sets up or takes down the static objects of a file is as linked, and so is a variant. */
char *demangle_as_gprof(const char *name);

#endif
