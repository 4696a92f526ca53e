/* demangle.h - linked names as the programmer wrote them. */
#ifndef SYMBOLS_DEMANGLE_H
#define SYMBOLS_DEMANGLE_H

#include <stddef.h>

/* The C++, Rust or D name that is mangled in NAME, malloc'ed; NULL if it is none, or is too large: more than
 * 4096 bytes, or 64 KB when demangled, which a short hostile name can exceed without end. */
char *demangle(const char *name);

/* The same as binutils' programs have it, gprof among them: what sets up or takes down the static objects of a file is as linked. */
char *demangle_as_gprof(const char *name);

#endif
