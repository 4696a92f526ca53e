/* rows.h - what a run brings into a comparison, before it is known what is the same in other runs. */
#ifndef ROWS_H
#define ROWS_H

#include "base/arena.h"
#include "understand/compare/comparison.h"
#include "understand/findings/call_sites.h"

struct row_routine {
	char *name;		/* display name */
	char *module;		/* path; NULL: none */
	char *identity;		/* of the module, equal in all builds: "" for the main program */
	char *file;		/* source file; NULL: unknown */
	uint32_t run;		/* index in runs[] */
	uint32_t item;		/* the routine of the comparison that it is, once settled */
	struct comparison_value value;
};

struct row_pair {
	uint32_t from;		/* arc: caller, index of a row; context: parent, index of a row */
	uint32_t to;		/* index of a routine's row; GRAPH_NONE: none */
	bool gap, folded;	/* context: see struct comparison_item */
	uint32_t item;		/* the arc or context of the comparison that it is, once settled */
	struct comparison_value value;
};

struct row_site {
	uint32_t from;		/* caller, index of a routine's row; GRAPH_NONE: spontaneous */
	uint32_t to;		/* callee; the caller: direct recursion */
	bool known;		/* false: the arc's calls and time from places that are not known */
	struct call_place place; /* where the calls stand */
	int64_t line;		/* its line, from the one where the caller begins; of places in other functions or files as it is */
	struct comparison_value value;
};

/* The rows of one run. */
struct rows {
	struct row_routine *routines;	/* in the order of its graph */
	uint32_t nroutines;		/* how many */
	struct row_pair *arcs;		/* from: GRAPH_NONE if spontaneous */
	uint32_t narcs;			/* how many */
	struct row_pair *contexts;	/* nodes of the top-down tree, parents first, [0] the root */
	uint32_t ncontexts;		/* how many; 0: not asked for */
	struct row_site *sites;		/* call sites */
	uint32_t nsites;		/* how many; 0: not asked for */
	struct arena text;		/* strings of their places */
};

struct comparison_private {
	struct rows *rows;	/* of each run, in the order of comparison_add */
	struct arena briefs;	/* short forms of the routines' names */
};

/* The rows of IN's graph as run RUN; with the CODES of its routines, unless an earlier run of the same build has them.  False with *ERR set: out of memory; what
 * there is must be freed all the same. */
bool rows_make(struct rows *r, const struct report_input *in, uint32_t run, bool contexts, bool codes, struct error *err);
void rows_free(struct rows *r);

/* The same, of its routines alone, without what is asked of their code.  False: out of memory. */
bool rows_routines(struct rows *r, const struct graph *g, uint32_t run);

/* Add the call sites of IN's graph, which R was made from.  False with *ERR set: out of memory. */
bool rows_sites(struct rows *r, const struct report_input *in, struct error *err);

/* Give each routine's row of the N runs its item, and fill C's routines.  False: out of memory. */
bool match_routines(struct comparison *c, struct rows *rows, uint32_t n);

/* The same of arcs and contexts. */
bool match_arcs(struct comparison *c, struct rows *rows, uint32_t n);
bool match_contexts(struct comparison *c, struct rows *rows, uint32_t n);
bool match_sites(struct comparison *c, struct rows *rows, uint32_t n);

/* Room for N items of NRUNS values each.  False: out of memory. */
bool items_make(struct comparison_items *items, size_t n, uint32_t nruns);

/* Add V to SUM. */
void value_add(struct comparison_value *sum, const struct comparison_value *v);

#endif
