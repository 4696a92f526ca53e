/* text_lines.h - stretches of code that come from one source line, as gprof -l sees them. */
#ifndef TEXT_LINES_H
#define TEXT_LINES_H

#include "read/symbols/binary.h"
#include "read/gmon/gmon.h"

/* The functions of a program, each list sorted by address, with `last` set. */
struct text_functions {
	const struct gmon_symbol *chosen; /* those that gprof chooses: they say what is static */
	size_t nchosen;			/* how many */
	const struct gmon_symbol *all;	/* all of the symbol table: they name what DWARF does not */
	size_t nall;			/* how many */
};

/* Make a symbol of each stretch of the code in [START, END) of B whose function, file and line are the same, after what DWARF says; an inlined
 * function counts as one.  Returns the symbols, malloc'ed, sorted and without `last` and `display`; their number is in *COUNT.  NULL: out of memory.
 * Strings live as long as B. */
struct gmon_symbol *text_lines(const struct binary *b, uint64_t start, uint64_t end, const struct text_functions *functions,
			       size_t *count);

#endif
