/* hot_cases.h - where the run's time is, and the cases that a profile can show, for the report that says where to look first.
 *
 * Where the time is, is always told: the routines, and the code without hooks, with most time of their own; and the routines with most in all.  Code without
 * hooks has the name of its own symbol.  A script's routine has all that its interpreter does for it.  What aprof itself took stands among the former, though it
 * is no part of the run's time, unless it was left in that.
 *
 * The cases follow, where they hold:
 *
 *   1. a heavy routine: half of its time is its own, or much of the run's;
 *   2. a library routine used much, whose callers are to be looked at: code without hooks, by the samples' program
 *      counters; and small routines that many call often;
 *   3. a sequence of calls that recurs in many contexts;
 *   4. a routine that is heavy though it does little itself: most of its time is one callee's.
 *
 * What has hooks was compiled by whoever profiles it, in whichever module, and what lies beside it was, too: a library is of the system's folders, or
 * linked into a static program.  Nothing is a case whose share of the run is within its own error. */
#ifndef HOT_CASES_H
#define HOT_CASES_H

#include "understand/findings/leaves.h"
#include "understand/findings/report_input.h"
#include "understand/graph/recurring_paths.h"

enum hot_case { HOT_HEAVY, HOT_LIBRARY, HOT_SEQUENCE, HOT_ERRAND, HOT_CASES };

enum { HOT_LISTED = 3, HOT_TOP = 5 };	/* routines that are listed behind the first of a case; of by_own and by_total */

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
	const char *name;	/* its name */
	const char *called;	/* of code without hooks the name by which it was called, if that is another and known; else NULL */
	const char *place;	/* its module's file name, if it is another one than the program; else NULL */
	const char *module;	/* its module's file name; NULL: none, or not known */
	bool library;		/* code without hooks in a library */
	bool beside;		/* its time is no part of the run's: what aprof took */
	uint32_t through;	/* index in graph.routines: who called it in the source on behalf of the heaviest caller, by a jump at its end (tail_calls.h); GRAPH_NONE:
				 * nobody, or nobody looked, who looks at the first of by_own and by_total only */
	uint64_t time;		/* what makes it hot, ns: its own code's, or the time of its calls */
	struct overhead_evidence evidence; /* what samples say of time */
	uint64_t calls;		/* 0: unknown */
	uint64_t whole;		/* what the callers' times are parts of, ns: the sum of them all */
	struct overhead_evidence whole_evidence; /* what samples say of that */
	struct hot_caller *callers; /* all of them, heaviest first; known of the first few of a list */
	uint32_t ncallers;	/* how many */
	size_t room;		/* how many fit */
};

struct hot_list {
	struct hot *hot;	/* heaviest first */
	size_t n;		/* how many */
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
	struct leaves leaves;	/* self times split by code without hooks */
	uint64_t *own;		/* by routine: its self time without that code, ns */
	struct hot_list by_own;	/* all that has time of its own; callers are known of the first HOT_TOP */
	struct hot_list by_total; /* all routines, but for those through which a program only begins, and for callers that nobody knows; callers likewise */
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

/* The same of the heaviest by their OWN, or by their total. */
const char *hot_list_title(const struct hot_cases *c, bool own);

/* What samples say of a routine's time in its own code. */
struct overhead_evidence hot_own_evidence(const struct hot_cases *c, uint32_t routine);

#endif
