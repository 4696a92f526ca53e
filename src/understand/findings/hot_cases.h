/* hot_cases.h - the cases that a profile can show, for the report that says where to look first.
 *
 *   1. a heavy routine, whose time is its own;
 *   2. a library routine used much, whose callers are to be looked at: code without hooks, by the samples' program
 *      counters; and small routines that many call often;
 *   3. a sequence of calls that recurs in many contexts;
 *   4. a routine that is heavy though it does little itself: most of its time is one callee's.
 *
 * What has hooks was compiled by whoever profiles it, in whichever module: it is no library.  Nothing is a case whose share of the run is within
 * its own error. */
#ifndef HOT_CASES_H
#define HOT_CASES_H

#include "understand/findings/plain_calls.h"
#include "understand/findings/leaves.h"
#include "understand/findings/report_input.h"
#include "understand/graph/recurring_paths.h"

enum hot_case { HOT_HEAVY, HOT_LIBRARY, HOT_SEQUENCE, HOT_ERRAND };

enum { HOT_LISTED = 3 };	/* routines that are listed behind the first of a case */

/* Somebody on whose behalf a routine ran. */
struct hot_caller {
	uint32_t routine;	/* index in graph.routines; GRAPH_NONE: <spontaneous> */
	uint64_t time;		/* ns */
	struct overhead_evidence evidence; /* what samples say of that */
	uint64_t calls;		/* 0: unknown, there was no hook to count them */
};

/* A case's routine. */
struct hot {
	uint32_t routine;	/* index in graph.routines; GRAPH_NONE: code without hooks */
	const char *name;	/* its name; of a library's code without hooks that by which it was called, where that is known */
	const char *place;	/* its module's file name, if it is another one than the program; else NULL */
	uint64_t time;		/* what makes it hot, ns: its own code's, or the time of its calls */
	struct overhead_evidence evidence; /* what samples say of time */
	uint64_t calls;		/* 0: unknown */
	uint64_t whole;		/* what the callers' times are parts of, ns: the sum of them all */
	struct overhead_evidence whole_evidence; /* what samples say of that */
	struct hot_caller *callers; /* all of them, heaviest first */
	uint32_t ncallers;	/* how many */
	size_t room;		/* how many fit */
};

struct hot_list {
	struct hot *hot;	/* heaviest first */
	size_t n;		/* how many */
	bool unsure;		/* there would be more, but for their errors */
};

/* A routine and the callee that most of its time is spent in; no name: there is none. */
struct hot_errand {
	uint32_t routine;	/* index in graph.routines */
	const char *callee;	/* its name */
	uint64_t time;		/* of the callee on behalf of the routine, ns; without hooks: what it has called back is apart */
	struct overhead_evidence evidence; /* what samples say of that */
};

struct hot_cases {
	const struct report_input *in;
	const struct graph *g;	/* where they are */
	struct leaves leaves;	/* self times split by code without hooks, by the names by which it was called */
	struct plain_calls *called;	/* by routine; nothing of those under which no such code ran */
	uint64_t *own;		/* by routine: its self time without that code, ns */
	struct hot_list heavy;	/* case 1 */
	struct hot_list library;	/* case 2 */
	const struct paths *paths; /* case 3 */
	struct paths *own_paths; /* the same, if the input has none; else NULL */
	struct hot_errand errand; /* case 4 */
	uint64_t whole;		/* time of the run, ns */
};

/* The cases of IN.  False with *ERR set: out of memory.  Freed with hot_cases_free, also then. */
bool hot_cases_find(struct hot_cases *c, const struct report_input *in, struct error *err);
void hot_cases_free(struct hot_cases *c);

/* The sequence of case 3: the first in many contexts, else the first; NULL: none. */
const struct graph_path *hot_cases_path(const struct hot_cases *c);

/* What a case is called, with the question that it asks. */
const char *hot_title(const struct hot_cases *c, enum hot_case which);

/* What samples say of a routine's time in its own code. */
struct overhead_evidence hot_own_evidence(const struct hot_cases *c, uint32_t routine);

#endif
