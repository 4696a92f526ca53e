/* text_arcs.h - the calls that stand in a program's text, for gprof's table of routines. */
#ifndef TEXT_ARCS_H
#define TEXT_ARCS_H

#include "read/symbols/binary.h"
#include "read/gmon/gmon.h"

/* The calls of, and jumps to, the first byte of another of the N SYMBOLS, which are in the order of their addresses, in the code of
 * B: `from` is the instruction's address, `self` the symbol's, count 0.  malloc'ed, *NARCS of them; NULL: the machine is not known, or
 * memory is short. */
struct gmon_arc *text_arcs_find(const struct binary *b, const struct gmon_symbol *symbols, size_t n, size_t *narcs);

#endif
