/* hot_cases.h - the three cases that a profile can show, for the report that says where to look first.
 *
 *   1. a heavy routine, whose time is its own;
 *   2. a library routine used much, whose callers are to be looked at: code without hooks, by the samples' program
 *      counters; routines of other modules than the program; and small routines that many call;
 *   3. a sequence of calls that recurs in many contexts. */
#ifndef HOT_CASES_H
#define HOT_CASES_H

#include "graph/recurring_paths.h"
#include "report/leaves.h"
#include "report/report.h"

enum { HOT_CALLERS = 3 };		/* kept of each routine's */

/* Somebody on whose behalf a library routine ran. */
struct hot_caller {
	uint32_t routine;	/* index in graph.routines; GRAPH_NONE: <spontaneous> */
	uint64_t time;		/* ns */
	struct overhead_evidence evidence; /* what samples say of that */
	uint64_t calls;		/* 0: unknown, there was no hook to count them */
};

/* A case's routine. */
struct hot {
	uint32_t routine;	/* index in graph.routines; GRAPH_NONE: code without hooks */
	const char *name;	/* its name */
	const char *place;	/* its module's file name, if it is another one than the program; else NULL */
	uint64_t time;		/* what makes it hot, ns: its own code's, or the time of its calls */
	struct overhead_evidence evidence; /* what samples say of time */
	uint64_t calls;		/* 0: unknown */
	struct hot_caller callers[HOT_CALLERS];	/* heaviest first */
	uint32_t ncallers;	/* how many of these */
};

struct hot_list {
	struct hot *hot;	/* heaviest first */
	size_t n;		/* how many */
};

struct hot_cases {
	const struct graph *g;	/* where they are */
	struct leaves leaves;	/* self times split by code without hooks */
	uint64_t *own;		/* by routine: its self time without that code, ns */
	struct hot_list heavy;	/* case 1 */
	struct hot_list library;	/* case 2 */
	struct paths *paths;	/* case 3 */
	uint64_t whole;		/* time of the run, ns */
};

/* The cases of IN.  False with *ERR set: out of memory.  Freed with hot_cases_free, also then. */
bool hot_cases_find(struct hot_cases *c, const struct report_input *in, struct error *err);
void hot_cases_free(struct hot_cases *c);

/* The sequence of case 3: the first in many contexts, else the first; NULL: none. */
const struct graph_path *hot_cases_path(const struct hot_cases *c);

#endif
