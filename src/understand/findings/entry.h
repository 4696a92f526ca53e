/* entry.h - what stands around a routine in the call graph, and in which order: the callers, the dearest last, next to the routine, and
 * the callees, the dearest first. */
#ifndef ENTRY_H
#define ENTRY_H

#include <jansson.h>

#include "base/print.h"
#include "understand/graph/graph.h"

/* Write the arcs from the callers of R, or to its callees, in the order of their lines to ARCS, which has room for all of them: indices
 * in G's arcs[].  Returns how many there are. */
uint32_t entry_callers(const struct graph *g, const struct graph_routine *r, uint32_t *arcs);
uint32_t entry_callees(const struct graph *g, const struct graph_routine *r, uint32_t *arcs);

/* Write the arcs from outside to members of LUMP, one for each caller, to ARCS, which has room for all of G's; returns how many. */
uint32_t entry_lump_callers(const struct graph *g, const struct graph_lump *lump, struct graph_arc *arcs);

/* Whether both ends of ARC are members of one cycle: it has no times then. */
bool entry_is_within_cycle(const struct graph *g, const struct graph_arc *arc);

/* The calls among which the time of R is shared: its own, or those of its cycle. */
uint64_t entry_calls(const struct graph *g, const struct graph_routine *r);

enum { ENTRY_MARKS = 240 };	/* bytes */

/* What is to be said behind R's name into BUFFER, "" as a rule: " <part>", " <folded with f and 2 more>". Returns its columns. */
int entry_marks(char buffer[ENTRY_MARKS], const struct graph_routine *r, const struct text_style *style);

/* The lines that explain the marks that routines of G have, "" if none has any. */
const char *entry_marks_legend(const struct graph *g);

/* The functions that are folded with R (read/symbols/icf.h), as they were written; NULL: there are none. */
json_t *entry_folded_json(const struct graph_routine *r);

/* What the self times of G's routines are, a line of a legend, as print_worded has it: by exact contexts alone they are those of what routines without hooks did for them, too. */
const char *entry_self_legend(const struct graph *g);

/* Whether options leave ENTRY, a routine or a cycle, in the listing: a cycle is in if one of its members is. */
bool entry_is_listed(const struct graph *g, uint32_t entry);

#endif
