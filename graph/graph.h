/* graph.h - who pays: from contexts to routines, arcs, cycles and trees.
 *
 * graph_build settles the routines (clones and aliases fold), normalises each history that this
 * renamed, merges contexts that became equal, and attributes the time of each context by one of the models.
 * Reports see only this struct.  No I/O, no ELF. */
#ifndef GRAPH_H
#define GRAPH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "error.h"
#include "history.h"
#include "profile.h"

#define GRAPH_NONE UINT32_MAX

/* How a routine of the profile is called; made by cli/ from symbols/, or by a test by hand. */
struct graph_name {
	const char *name;	/* display name; routines of one key fold into one */
	const char *key;	/* identity: equal keys are one routine (as a rule module, name and start address) */
	const char *module;	/* path of its module; NULL: none */
	const char *file;	/* source file; NULL: unknown */
	const char *aliases;	/* other names; NULL: none */
	uint32_t line;		/* source line; 0: unknown */
	bool part;		/* .part or .cold: its time is the routine's, its entries are no calls */
};

/* A routine after folding. Times in ns, of the model and charged or raw as asked. */
struct graph_routine {
	struct graph_name name;	/* strings owned by the caller of graph_build */
	uint64_t calls;		/* entries from other routines */
	uint64_t recursive;	/* direct recursive calls */
	uint64_t self;		/* time in the routine itself */
	uint64_t total;		/* time while it was active, counted once */
	uint64_t self_ticks;	/* samples behind self */
	uint64_t total_ticks;	/* samples behind total */
	uint32_t first_in;	/* incoming arcs: in_arcs[first_in .. first_in + nin) */
	uint32_t nin;		/* how many */
	uint32_t first_out;	/* outgoing arcs: arcs[first_out .. first_out + nout) */
	uint32_t nout;		/* how many */
	uint32_t cycle;		/* gprof model: number of its cycle from 1; 0: none */
	bool pseudo;		/* (elided), (lost), ... */
};

/* An arc of the dynamic call graph.  from GRAPH_NONE: <spontaneous>. */
struct graph_arc {
	uint32_t from;		/* caller, index in routines[] */
	uint32_t to;		/* callee */
	uint64_t calls;		/* entries along it */
	uint64_t self1;		/* outgoing view: time of `to` itself, ns */
	uint64_t child1;	/* outgoing view: time of what `to` called, ns */
	uint64_t self2;		/* incoming view: the same for the callee's list of parents, ns */
	uint64_t child2;	/* incoming view, ns */
	bool folded;		/* some of it ran between two unmarked entries: no known call */
};

/* A context after folding and normalisation, parents before children, [0] the root. */
struct graph_context {
	uint32_t history;	/* offset of its first entry in history[] */
	uint32_t length;	/* entries */
	uint64_t entries;	/* calls that entered it */
	uint64_t recursive;	/* direct recursive calls */
	uint64_t time;		/* ns, charged or raw as asked */
	uint64_t ticks;		/* samples */
};

/* A cycle that was really traversed (DESIGN section 6): suffix of a context from the last unmarked
 * entry of its running routine to the end, rotated to a canonical start (the smallest routine index of the rotation). */
struct graph_cycle {
	uint32_t first;		/* offset of its entries in cycle_entries[] */
	uint32_t length;	/* entries, the repeated routine once */
	uint64_t calls;		/* entries of the contexts that end it */
	uint64_t time;		/* of the contexts in which it is the innermost, ns */
};

enum graph_model { GRAPH_HISTORY, GRAPH_GPROF, GRAPH_CCT };

struct graph_options {
	enum graph_model model;	/* attribution; history is the default */
	bool raw;		/* do not subtract the hooks' cost */
	char **focus;		/* extended regular expressions for whole names; contexts without such a routine are left out */
	size_t nfocus;		/* how many; 0: keep all */
	uint32_t thread;	/* only this thread of the profile; GRAPH_NONE: all */
};

struct graph {
	const struct profile *profile;	/* what it was built from, not owned */
	struct graph_options options;	/* as given */
	struct graph_routine *routines;	/* routines after folding */
	uint32_t nroutines;		/* how many */
	uint32_t *routine_of;		/* profile routine -> index in routines[]; profile->nroutines of them */
	struct graph_arc *arcs;		/* sorted by from, then to; spontaneous ones last */
	uint32_t narcs;			/* how many */
	uint32_t *in_arcs;		/* indices in arcs[], sorted by to, then from */
	struct graph_context *contexts;	/* distinct normalised histories */
	uint32_t ncontexts;		/* how many */
	uint32_t *context_of;		/* profile context -> index in contexts[], GRAPH_NONE: not in focus */
	history_entry *history;		/* entries of all contexts, with indices of routines[] */
	struct graph_cycle *cycles;	/* largest time first, then calls, then entries */
	uint32_t ncycles;		/* how many */
	uint32_t *cycle_entries;	/* routines of all cycles */
	uint64_t time;			/* sum of the contexts, ns: equals the sum of routines' self */
	uint64_t hooks;			/* hooks' cost subtracted, ns */
	uint64_t hooks_unplaced;	/* estimated cost that exceeded the contexts' time, ns */
	uint64_t monitor;		/* time in the slow path, ns */
	uint64_t unplaced;		/* time no sample placed, ns */
	uint64_t calls;			/* all calls, recursive ones included */
	uint64_t ticks;			/* all samples */
};

/* Build the graph of P with the given NAMES, one for each of its routines. NULL with *ERR set: out of memory, bad pattern.
 * Freed with graph_free; P and NAMES must outlive it. */
struct graph *graph_build(const struct profile *p, const struct graph_name *names,
			  const struct graph_options *options, struct error *err);
void graph_free(struct graph *g);

/* A node of a tree view. Children are nodes[first .. first + nchildren), sorted by total, largest first. */
struct tree_node {
	uint32_t routine;	/* index in graph.routines; GRAPH_NONE at the root */
	uint32_t parent;	/* index of a node; GRAPH_NONE at the root */
	uint32_t first;		/* first child */
	uint32_t nchildren;	/* how many */
	uint64_t self;		/* time in it, ns */
	uint64_t total;		/* with its children, ns: always self + children's totals */
	uint64_t calls;		/* entries of the contexts that end here */
	uint64_t ticks;		/* samples behind total */
	bool folded;		/* the entry is unmarked: folded recursion */
	bool gap;		/* the link to the parent joins two unmarked entries: no known call */
};

struct tree {
	struct tree_node *nodes; /* [0] is the root: the run */
	size_t nnodes;		/* how many */
};

/* The top-down tree: histories as paths from the root; or, BOTTOM_UP, from the running routine to the root,
 * roots being the routines with self time.  NULL with *ERR set: out of memory.  Freed with tree_free. */
struct tree *tree_build(const struct graph *g, bool bottom_up, struct error *err);
void tree_free(struct tree *t);

#endif
