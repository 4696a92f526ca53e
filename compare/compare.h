/* compare.h - profiles side by side: base runs and new ones, of which routines, arcs and contexts are the same.
 *
 *     compare_add (a run at a time) -> compare_settle -> compare_judge
 *
 * Routines are the same in two builds if name and module are: addresses and build-ids differ.  The main program
 * is the same whatever it is called, and a library without the version after .so.  Where one run has several
 * routines of a name in a module (static functions), the source file tells them apart, in all runs; what still cannot be told
 * apart is added up.  Arcs are the same if both ends are, contexts if all their histories' entries are, in order.
 *
 * A comparison holds no profile: each run can be freed when it was added.  No I/O. */
#ifndef COMPARE_H
#define COMPARE_H

#include "error.h"
#include "graph.h"
#include "noise.h"

enum compare_kind { COMPARE_ROUTINES, COMPARE_ARCS, COMPARE_CONTEXTS, COMPARE_KINDS };
enum compare_time { COMPARE_SELF, COMPARE_TOTAL, COMPARE_TIMES };

/* What one run has of a routine, an arc or a context. */
struct compare_value {
	uint64_t time[COMPARE_TIMES];	/* ns; an arc's self is the callee's own time, its total all that its calls took */
	uint64_t ticks[COMPARE_TIMES];	/* samples behind them; of arcs estimated from the time */
	uint64_t calls;			/* entries, direct recursive calls included */
};

/* Counts of calls of both sides: compared as they are, since equal work makes equal calls. */
struct compare_calls {
	double base, fresh;	/* means of the runs of a side */
	uint64_t base_least, base_most;	/* over the base runs */
	uint64_t least, most;	/* over the new runs */
	bool steady;		/* each side agrees with itself */
};

struct compare_item {
	uint32_t from;		/* arc: caller, index of a routine, GRAPH_NONE: spontaneous; context: parent, index of a context */
	uint32_t to;		/* arc: callee; context: the routine that it adds; GRAPH_NONE: the root */
	bool gap;		/* context: calls were squeezed out before its last entry */
	const char *name;	/* routine: its name; else NULL */
	const char *module;	/* routine: path of its module in the last run that has it; NULL: none */
	const char *file;	/* routine: source file; NULL: unknown */
	struct compare_value *values;	/* of each run, base runs first */
	/* Filled by compare_judge: */
	bool counted;		/* some run has calls or time of its own here; of contexts false if it is only the front of others */
	struct sides sides[COMPARE_TIMES];	/* means and variances */
	struct change change[COMPARE_TIMES];	/* what it says */
	double chance[COMPARE_TIMES];	/* of so large a change, either way, by noise; corrected for all items of the kind; NAN: unknown */
	bool news[COMPARE_TIMES];	/* a change beyond noise */
	struct compare_calls calls;	/* what the runs counted */
	bool calls_news;		/* they changed: steady and different, or apart beyond their own variation */
};

struct compare_items {
	struct compare_item *items;	/* contexts: [0] is the root, parents before children */
	uint32_t n;			/* how many */
	struct noise noise[COMPARE_TIMES];	/* by compare_judge */
};

/* A run: one profile, of one file as a rule. */
struct compare_run {
	char *label;		/* as the user named it */
	bool fresh;		/* of the new side */
	uint64_t time;		/* of all contexts, the outside included, ns */
	uint64_t outside;	/* of no routine, ns */
	uint64_t ticks;		/* samples behind time */
	uint64_t calls;		/* all */
	double tick;		/* time that a sample stands for, ns; 0: the clock does not sample */
	uint32_t clock;		/* AMON_CLOCK_ */
	uint32_t unnamed;	/* routines of which only the address is known */
	uint32_t nroutines;	/* routines */
};

struct comparison {
	struct compare_run *runs;	/* base runs, then new ones, once settled */
	uint32_t nruns, nbase;		/* how many, and how many of them base */
	struct compare_items kinds[COMPARE_KINDS];
	struct sides whole;		/* the time of the runs as wholes */
	struct change whole_change;	/* what it says */
	double level;			/* chance below which a change is news */
	struct compare_private *private;	/* rows of the runs until settled, strings */
};

/* False with *ERR set: out of memory, for this and all below.  Freed with compare_free. */
bool compare_init(struct comparison *c, struct error *err);
void compare_free(struct comparison *c);

/* Add the run with graph G, called LABEL, to the new side if FRESH; CONTEXTS: its contexts, too.  ERROR_MISMATCH: its clock is not that of
 * the other runs. */
bool compare_add(struct comparison *c, const struct graph *g, const char *label, bool fresh, bool contexts, struct error *err);

/* When all are in: find what is the same. */
bool compare_settle(struct comparison *c, struct error *err);

/* Fill changes, with news where the chance of noise, corrected by Benjamini and Hochberg for all items of a kind, is at most LEVEL.
 * Without an estimate of noise (a clock that does not sample, one run a side) every change is news. */
bool compare_judge(struct comparison *c, double level, struct error *err);

/* The means of VALUE (COMPARE_SELF ...) of an item, ns. */
static inline double compare_base(const struct compare_item *i, enum compare_time t) { return i->sides[t].base; }
static inline double compare_fresh(const struct compare_item *i, enum compare_time t) { return i->sides[t].fresh; }

/* Whether anything about I is news; never if it is not counted. */
static inline bool compare_is_news(const struct compare_item *i)
{
	return i->news[COMPARE_SELF] || i->news[COMPARE_TOTAL] || i->calls_news;
}

#endif
