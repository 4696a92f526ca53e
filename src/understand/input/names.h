/* names.h - how the routines of a profile are called: from symbols to the graph's names. */
#ifndef NAMES_H
#define NAMES_H

#include "read/symbols/symbols.h"
#include "understand/findings/report_input.h"
#include "understand/graph/graph.h"

/* The function SYMBOL of module MODULE of P; strings stay those of SYMBOL. */
struct graph_name names_of(const struct profile *p, uint32_t module, const struct symbol *symbol);

struct names {
	struct graph_name *names;	/* one for each routine of the profile */
	const struct symbol **never;	/* hooked functions never called, sorted by name */
	size_t nnever;			/* how many */
	bool never_known;		/* every hooked module told which functions have hooks */
	struct report_left_out *left_out; /* functions left out at compile time, by reason and name; the names are owned */
	size_t nleft_out;		/* how many */
};

/* Name the routines of P by S.  False with *ERR set: out of memory.  Freed with names_free; S must outlive it. */
bool names_make(struct names *n, const struct profile *p, struct symbols *s, struct error *err);
void names_free(struct names *n);

#endif
