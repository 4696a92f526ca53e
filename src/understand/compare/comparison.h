/* comparison.h - profiles side by side: base runs and new ones, of which routines, arcs and contexts are the same.
 *
 *     comparison_add (a run at a time) -> comparison_settle -> comparison_judge
 *
 * Routines are the same in two builds if name and module are: addresses and build-ids differ.  The main program
 * is the same whatever it is called, and a library without the version after .so.  Where one run has several
 * routines of a name in a module (static functions), the source file tells them apart, in all runs; what still cannot be told
 * apart is added up.  Arcs are the same if both ends are, contexts if all their histories' entries are, in order.  Call sites of an arc are
 * the same if their columns are, and their lines from the one where the caller begins; where programs were built anew, what then is left of an
 * arc, as many places on each side, is the same in its order.
 *
 * A comparison holds no profile: each run can be freed when it was added.  No I/O. */
#ifndef COMPARISON_H
#define COMPARISON_H

#include "base/error.h"
#include "understand/graph/graph.h"
#include "understand/compare/noise.h"
#include "understand/findings/call_sites.h"

enum comparison_kind { COMPARISON_ROUTINES, COMPARISON_ARCS, COMPARISON_CONTEXTS, COMPARISON_SITES, COMPARISON_KINDS };
enum comparison_time { COMPARISON_SELF, COMPARISON_TOTAL, COMPARISON_TIMES };

/* What one run has of a routine, an arc or a context. */
struct comparison_value {
	uint64_t time[COMPARISON_TIMES];	/* ns; an arc's self is the callee's own time, its total all that its calls took */
	double variance[COMPARISON_TIMES];	/* of them, ns^2, by all samples that made them, were these a count; 0: they are no samples */
	uint64_t calls;			/* entries, direct recursive calls included */
	uint64_t code;			/* routine: digest of its machine code (symbols_code); 0: not asked for, or unknown */
};

/* Counts of calls of both sides: compared as they are, since equal work makes equal calls. */
struct comparison_calls {
	double base, fresh;	/* means of the runs of a side */
	uint64_t base_least, base_most;	/* over the base runs */
	uint64_t least, most;	/* over the new runs */
	bool steady;		/* each side agrees with itself */
};

/* What is known of a routine's machine code on both sides. */
enum comparison_code { COMPARISON_CODE_UNKNOWN, COMPARISON_CODE_SAME, COMPARISON_CODE_OTHER };

struct comparison_item {
	uint32_t from;		/* arc, call site: caller, index of a routine, GRAPH_NONE: spontaneous; context: parent, index of a context */
	uint32_t to;		/* arc, call site: callee; context: the routine that it adds; GRAPH_NONE: the root */
	bool gap;		/* context: calls were squeezed out before its last entry */
	bool folded;		/* context: recursion was folded there, in some history of some run: its last entry is active again further down */
	const char *name;	/* routine: its name; else NULL */
	const char *brief;	/* routine: its short form (base/short_names.h) */
	const char *module;	/* routine: path of its module in the last run that has it; NULL: none */
	const char *identity;	/* routine: what its module is called in all builds; "" of the main program */
	const char *file;	/* routine: source file; NULL: unknown */
	const struct call_place *place;	/* call site: where it is in the last run that has it; NULL: the arc's calls from places that are not known */
	uint32_t placed_by;	/* that run */
	struct comparison_value *values;	/* of each run, base runs first */
	/* Filled by comparison_judge: */
	bool counted;		/* some run has calls or time of its own here; of contexts false if it is only the front of others */
	struct sides sides[COMPARISON_TIMES];	/* means and variances */
	struct change change[COMPARISON_TIMES];	/* what it says */
	double chance[COMPARISON_TIMES];	/* of so large a change, either way, by noise; corrected for all items of the kind; NAN: unknown */
	bool news[COMPARISON_TIMES];	/* a change beyond noise */
	struct comparison_calls calls;	/* what the runs counted */
	bool calls_news;		/* they changed: steady and different, or apart beyond their own variation */
	enum comparison_code code;	/* routine: of all runs */
};

struct comparison_items {
	struct comparison_item *items;	/* contexts: [0] is the root, parents before children */
	uint32_t n;			/* how many */
	struct noise noise[COMPARISON_TIMES];	/* by comparison_judge */
};

/* A run: one profile, of one file as a rule. */
struct comparison_run {
	char *label;		/* as the user named it */
	bool fresh;		/* of the new side */
	uint64_t time;		/* of all contexts, the outside included, ns */
	uint64_t outside;	/* of no routine, ns */
	double hooks;		/* estimated cost of all hooks, which was subtracted, ns; 0: none was */
	double scale;		/* by comparison_judge: what its times are multiplied by, so that hooks cost the same in all runs */
	double variance;	/* of time, as that of a value */
	uint64_t ticks;		/* of its clock's samples */
	uint64_t calls;		/* all */
	bool counted;		/* they were counted; equal in all runs */
	bool threaded;		/* some process had several threads: what waits for whom may decide how often a routine is called */
	bool sampled;		/* times are of samples */
	uint32_t clock;		/* AMON_CLOCK_ */
	struct profile_value value; /* what its times are */
	uint32_t unnamed;	/* routines of which only the address is known */
	uint8_t build[32];	/* build-id of the program; zeros: it has none */
	uint32_t nroutines;	/* routines */
};

struct comparison {
	struct comparison_run *runs;	/* base runs, then new ones, once settled */
	uint32_t nruns, nbase;		/* how many, and how many of them base */
	struct comparison_items kinds[COMPARISON_KINDS];
	struct sides whole;		/* the time of the runs as wholes */
	double sampling;		/* relative variance that all samples of a run would have as a count, mean of the runs */
	struct change whole_change;	/* what it says */
	bool sites;			/* call sites are compared */
	bool varies;			/* nothing tells whether counts of calls vary by themselves: some run is threaded, and a side has one run */
	bool paired;			/* the first base run and the first new one were measured in turn, and so were the second ones, ...: what the machine did to both is no difference */
	double level;			/* chance below which a change is news */
	struct comparison_private *private;	/* rows of the runs until settled, strings */
};

/* False with *ERR set: out of memory, for this and all below.  Freed with comparison_free. */
bool comparison_init(struct comparison *c, struct error *err);
void comparison_free(struct comparison *c);

/* What of a run is compared beside routines and arcs. */
struct comparison_parts {
	bool contexts;
	bool sites;		/* call sites */
};

/* Add the run with IN's graph and symbols, called LABEL, to the new side if FRESH, with PARTS.  ERROR_MISMATCH: its clock is not that of
 * the other runs, or it told no call sites apart and they are asked for. */
bool comparison_add(struct comparison *c, const struct report_input *in, const char *label, bool fresh, struct comparison_parts parts, struct error *err);

/* When all are in: find what is the same. */
bool comparison_settle(struct comparison *c, struct error *err);

#define COMPARISON_LEVEL 0.05		/* for who reads and judges, see doc/concepts.md */

/* Say that the runs of the sides, as many on each, are pairs in their order, before they are judged. */
void comparison_pair(struct comparison *c);

/* Fill changes, with news where the chance of noise, corrected by Benjamini and Hochberg for all items of a kind, is at most LEVEL.
 * Without an estimate of noise (a clock that does not sample, one run a side) every change is news. */
bool comparison_judge(struct comparison *c, double level, struct error *err);

/* Which of C's items the routines, arcs and contexts of a graph are. */
struct comparison_places {
	uint32_t *routine;	/* by routine of the graph; GRAPH_NONE: it is none of them */
	uint32_t *arc;		/* by arc, likewise */
	uint32_t *context;	/* by node of its tree; NULL: there is none */
};

/* Find the items of C, settled, in G, which is of runs of C together, and in its top-down tree T, of everything; NULL: only routines and arcs.  False with *ERR set: out of memory; freed
 * with comparison_places_free in any case. */
bool comparison_places_find(struct comparison_places *places, const struct comparison *c, const struct graph *g, const struct tree *t, struct error *err);
void comparison_places_free(struct comparison_places *places);

/* What the times of C are in. */
static inline const char *comparison_unit(const struct comparison *c)
{
	return c->runs[0].value.unit;
}

/* Is I a routine of the same machine code that is called as often on both sides?  What its time differs by then is where it, or its data, lies, and what it works on. */
static inline bool comparison_is_same(const struct comparison *c, const struct comparison_item *i)
{
	return c->runs[0].counted && i->code == COMPARISON_CODE_SAME && i->calls.steady && !i->calls_news;
}

/* Whether anything about I is news; never if it is not counted. */
static inline bool comparison_is_news(const struct comparison_item *i)
{
	return i->news[COMPARISON_SELF] || i->news[COMPARISON_TOTAL] || i->calls_news;
}

#endif
