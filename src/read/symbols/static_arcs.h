/* static_arcs.h - the arcs of a module's call graph that stand in its code. */
#ifndef STATIC_ARCS_H
#define STATIC_ARCS_H

#include "read/symbols/module.h"

/* Function FROM has a call of, or a jump to, the first byte of function TO; both are indices in functions[]. */
struct static_arc {
	uint32_t from;
	uint32_t to;
};

/* The arcs of M, each once, sorted by FROM, then TO: those between functions that call a hook of a profiler, or all.
 * malloc'ed, their number in *N.  NULL: M is not there, or its machine is not known, or memory is short. */
struct static_arc *static_arcs_find(struct module *m, bool hooked, size_t *n);

#endif
