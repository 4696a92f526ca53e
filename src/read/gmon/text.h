/* text.h - the symbols of a program's text as gprof chooses them.
 *
 * symbols.h answers for one address at a time, and settles clones and aliases; gprof has one flat table, of which each part
 * of its output depends: every global symbol of a code section, typed or not, and the local ones that are no label of a compiler.
 * Of several at one address one stays: a global one rather than a local one, a function rather than a label, one
 * without a leading underscore, one with one underscore rather than two, the first.  A symbol reaches to the next one. */
#ifndef TEXT_H
#define TEXT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "read/gmon/gmon.h"

struct text_options {
	bool no_static;		/* leave local symbols out (-a) */
	bool functions_only;	/* leave local symbols out that are not functions by their type (-D) */
	bool lines;		/* a symbol for each stretch of code of one source line, too (-l) */
	bool mangled;		/* display names as linked (--no-demangle) */
	const char *map;	/* file that maps symbols to object files, as nm -A prints it: the first of each file takes its name, and the others
				 * belong to the ones before them (-R); NULL: none */
	const char *table;	/* file with the symbols, as nm prints them, instead of the program's (-S); no source lines; NULL: none */
};

struct text_own;

struct text {
	struct gmon_symbol *symbols;	/* by address, disjoint */
	size_t n;			/* how many, 1 at least */
	struct gmon_layout layout;	/* of the program's gmon.out */
	const char **others;		/* files of the map without a symbol here, by name; NULL without a map */
	size_t nothers;			/* how many */
	struct text_own *own;		/* the binary, and memory */
};

/* Read the symbols of the program PATH.  NULL with *ERR set: ERROR_SYSTEM, ERROR_NOT_ELF, ERROR_NO_SYMBOLS, ERROR_MEMORY.
 * Freed with text_free. */
struct text *text_read(const char *path, const struct text_options *options, struct error *err);
void text_free(struct text *t);

/* The calls that stand in the text, made or not (-c): calls of, and jumps to, the first byte of another symbol, with a count of 0.
 * malloc'ed, *N of them; NULL: the machine is not known here, or memory is short. */
struct gmon_arc *text_static_arcs(const struct text *t, size_t *n);

#endif
