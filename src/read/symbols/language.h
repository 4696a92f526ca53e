/* language.h - names of Fortran and Ada as the programmer wrote them.
 *
 *     gfortran    __shapes_MOD_area    shapes::area         plain_    plain         inner.0    shapes::area::inner
 *     GNAT        stack__push__2       stack.push           _ada_demo    demo
 *
 * A C function may be called so, too: only what is known of its language tells. */
#ifndef SYMBOLS_LANGUAGE_H
#define SYMBOLS_LANGUAGE_H

#include <stdbool.h>

#include "read/symbols/functions.h"

enum language {
	LANGUAGE_UNKNOWN,	/* no debug information tells */
	LANGUAGE_OTHER,		/* one whose names are as linked, or tell their language themselves (demangle.h) */
	LANGUAGE_FORTRAN,
	LANGUAGE_ADA,
};

/* The language of the function LINKED of F where debug information does not tell: Fortran and Ada where the symbols of F are such as only their
 * compilers make, and the name is that of a module's or package's routine; else UNKNOWN. */
enum language language_guess(const struct functions *f, const char *linked);

/* What the programmer called the function LINKED of LANGUAGE, malloc'ed; NULL: the same, or it is not known.  PATH is its name by debug
 * information, behind those of the modules and procedures around it, `shapes::area::inner`; NULL: unknown. */
char *language_name(enum language language, const char *linked, const char *path);

#endif
