/* graph.h - who pays: from contexts to routines, arcs, cycles and trees.
 *
 * graph_build settles the routines (clones and aliases fold), normalises each history that this
 * renamed, merges contexts that became equal, and attributes the time of each context by one of the models.
 * Reports see only this struct.  No I/O, no ELF.
 *
 * There are three models: what they change are the routines' total, the arcs' times, and `lumps`.
 *
 * What is conserved, to the nanosecond, by the history model (mod 2^64, should a file's counters overflow):
 *
 *   sum of routines' self                     = graph.time
 *   each routine: sum of self2 + child2 over its incoming arcs    = its total
 *   each routine: self + sum of self1 + child1 over its outgoing arcs = its total
 *   each routine: sum of calls over its incoming arcs             = its calls
 *   each arc that is not `folded`: self1 = self2, child1 = child2
 *   sum of contexts' time                     = graph.time + graph.outside
 *   time + outside + hooks = the profile's time, when nothing is left out by focus or thread
 *   hooks + hooks_unplaced = the estimated cost of all hooks in what is kept
 *
 * and the same of self_ticks, ticks and outside_ticks, from which nothing is subtracted.
 *
 * The cct model keeps all of it, and no arc is folded.  The gprof model keeps it where nobody is in a lump, and no arc is folded;
 * total is self and what the routine's callees gave it, and the incoming arcs of all members of a lump from outside
 * add up to the lump's total.  Arcs within a lump have calls and no time.  A routine, or lump, that nobody
 * is known to have entered keeps its time to itself.
 *
 * Of a profile without contexts (profile_has_contexts) routines and arcs are as its files say, without lumps, or, if these tell no times of arcs, by gprof's model; its contexts are
 * of one routine each, without calls, and nobody is to show them.  A total is self and what the outgoing arcs have, or what the
 * incoming ones have, if that is more (of those that call each other in a circle given_model.c tells more); those from nobody make up for the rest. */
#ifndef GRAPH_H
#define GRAPH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/error.h"
#include "understand/graph/gprof_spec.h"
#include "contract/history.h"
#include "understand/overhead/overhead.h"
#include "read/profile/profile.h"

#define GRAPH_NONE UINT32_MAX

/* How a routine of the profile is called; made by cli/ from read/symbols/, or by a test by hand. */
struct graph_name {
	const char *name;	/* display name; routines of one key fold into one */
	const char *key;	/* identity: equal keys are one routine (as a rule module, name and start address) */
	const char *module;	/* path of its module; NULL: none */
	const char *file;	/* source file; NULL: unknown */
	const char *linked;	/* the name as linked, without the suffix of a clone; NULL: none */
	const char *aliases;	/* other names, joined by '=', as struct symbol has them; NULL: none */
	uint32_t line;		/* source line; 0: unknown */
	bool part;		/* .part or .cold, a piece of the routine: see pieces */
};

/* Layers of a program that runs scripts, by the modules of the routines. */
enum graph_layer {
	GRAPH_ALL,		/* both */
	GRAPH_SCRIPT,		/* what interpreters told of */
	GRAPH_NATIVE,		/* what has hooks */
};

/* A routine after folding. Times in ns, of the model and charged or raw as asked. */
struct graph_routine {
	struct graph_name name;	/* strings owned by the caller of graph_build */
	const char *brief;	/* the short form of its name among those of all routines (base/short_names.h); owned by the graph */
	uint64_t calls;		/* entries from other routines; at least so many if partly */
	uint64_t recursive;	/* direct recursive calls */
	uint64_t self;		/* time in the routine itself */
	uint64_t total;		/* time while it was active, counted once */
	uint64_t self_ticks;	/* samples behind self */
	uint64_t total_ticks;	/* samples behind total */
	struct overhead_evidence self_evidence;	/* what samples say of self */
	struct overhead_evidence total_evidence; /* of total; as the arcs' nothing by gprof's model */
	uint32_t first_in;	/* incoming arcs: in_arcs[first_in .. first_in + nin) */
	uint32_t nin;		/* how many */
	uint32_t first_out;	/* outgoing arcs: arcs[first_out .. first_out + nout) */
	uint32_t nout;		/* how many */
	uint32_t topological;	/* gprof model, and without contexts: number of its component from 1, descending along arcs between components; else 0 */
	uint32_t cycle;		/* gprof model: its lump, lumps[cycle - 1]; 0: none */
	double beyond;		/* graph_beyond of its contexts that are kept, added up: what all gain, at most, if their own work is spread evenly */
	double kernel;		/* share of its self time that passed in the kernel, 0..1; 0 too where that is not known */
	bool pseudo;		/* (elided), (lost), ... */
	bool plain;		/* without hooks, below exact contexts (profile.plain): its calls were not counted, and are 0 */
	bool left_out;		/* of the other layer, or hidden: its contexts are its callers' */
	bool partly;		/* its beginning was inlined somewhere: calls and recursive may be more, by calls that ended there */
	bool off_flat;		/* left out of the flat profile (-p, -P) */
	bool off_graph;		/* without an entry in the call graph (-e, -f, -q, -Q) */
	bool shut_graph;	/* so whoever calls it (-e, -Q) */
	bool closed;		/* passes no time to its callers (-E, -F, -n, -N) */
	bool only_time;		/* -F, -n: only its time counts, and that of what it calls */
};

/* An arc of the dynamic call graph.  from GRAPH_NONE: <spontaneous>, the callee was the first
 * entry of a history; nobody has the outgoing view of such an arc, both views say the incoming one. */
struct graph_arc {
	uint32_t from;		/* caller, index in routines[] */
	uint32_t to;		/* callee */
	uint64_t calls;		/* entries along it; 0 of a static one that was not made */
	uint64_t self1;		/* outgoing view: time of `to` itself, ns */
	uint64_t child1;	/* outgoing view: time of what `to` called, ns */
	uint64_t self2;		/* incoming view: the same for the callee's list of parents, ns */
	uint64_t child2;	/* incoming view, ns */
	struct overhead_evidence evidence1; /* what samples say of self1 + child1 */
	struct overhead_evidence evidence2; /* of self2 + child2 */
	bool folded;		/* recursion: in some context only one of its ends was marked, so the two views may differ */
};

/* A context after folding and normalisation, parents before children, [0] the root.
 * Most contexts are their parent's history and one more entry; only where a step unmarked an entry is
 * the history spelled out.  graph_history gives it in either case. */
struct graph_context {
	uint32_t parent;	/* context whose history with `routine` added is this one; GRAPH_NONE: spelled out, or the root */
	uint32_t routine;	/* running routine, the last entry; GRAPH_NONE at the root */
	uint32_t length;	/* entries */
	uint32_t spelled;	/* parent GRAPH_NONE: offset of the first entry in spelled[] */
	bool kept;		/* false: left out by focus or thread, all counters are 0 */
	bool live;		/* kept, or what a kept one extends by parent links */
	uint64_t entries;	/* calls that entered it; at least so many if pieces > 0 */
	uint64_t recursive;	/* direct recursive calls, those between folded clones included */
	uint64_t pieces;	/* entries of .part and .cold pieces from other routines: calls that came past an inlined beginning */
	uint64_t time;		/* ns, charged or raw as asked */
	uint64_t ticks;		/* samples */
	uint64_t bytes;		/* moved by its calls, as far as somebody told */
	uint64_t above;		/* of one that a focus left out: its entries, which a tree shows above those that are kept; else 0 */
	struct overhead_evidence evidence; /* what they say of time */
};

/* A cycle that was really traversed.  Where an entry s(j) of a history is marked and the same routine
 * has an unmarked entry before it, the last of them at i, the entries s(i) .. s(j-1) are a cycle, closed by the call of s(j).
 * A context ends the cycle for which j is its last entry; of all cycles that its history holds the innermost
 * is the one with the largest j.  So each context ends at most one cycle and gives its time to at most one.
 * Two cycles are one if a rotation makes them equal, unknown links included; the least rotation stands for
 * them.  Cycles whose entries were squeezed out by A4 and A5 are not seen. */
struct graph_cycle {
	size_t first;		/* offset of its entries in cycle_entries[] */
	uint32_t length;	/* entries, the repeated routine once */
	uint64_t calls;		/* entries of the contexts that end it */
	bool closed;		/* there were some, or, where calls are not counted, a stack that was sampled ends it */
	uint64_t time;		/* of the contexts in which it is the innermost, ns */
	struct overhead_evidence evidence; /* what samples say of time */
};

/* Routines that call each other in a circle, directly or not: "cycle N" of gprof, which cannot tell what each costs.
 * Made by the gprof model, and where contexts are not known, only. */
struct graph_lump {
	uint32_t first;		/* its members are lump_members[first .. first + size) */
	uint32_t size;		/* members, 2 at least */
	uint64_t calls;		/* entries of members from outside */
	uint64_t inner;		/* entries of members from other members */
	uint64_t self;		/* time of the members themselves, ns */
	uint64_t total;		/* self, and what callees outside gave the members, ns */
};

/* An entry of a cycle: the routine, and whether the link to the next entry (from the last: to the first) is a
 * known call; it is not between two unmarked entries. */
typedef uint32_t cycle_entry;

static inline cycle_entry cycle_entry_of(uint32_t routine, bool known) { return routine << 1 | known; }
static inline uint32_t cycle_routine(cycle_entry e) { return e >> 1; }
static inline bool cycle_link_known(cycle_entry e) { return e & 1; }

/* A call that stands in the program's code, made or not.  Its ends are folded with the profile's routines. */
struct graph_static_arc {
	struct graph_name from;	/* caller */
	struct graph_name to;	/* callee */
};

enum graph_model { GRAPH_HISTORY, GRAPH_GPROF, GRAPH_CCT };

struct graph_options {
	enum graph_model model;	/* attribution; history is the default */
	bool raw;		/* do not subtract the hooks' cost */
	enum graph_layer layer;	/* which routines there are */
	char **hide;		/* words or patterns (graph_match); the frames of such routines are their callers' */
	size_t nhide;		/* how many; 0: hide none */
	char **focus;		/* words or patterns (graph_match); contexts in which no such routine is active are left out */
	size_t nfocus;		/* how many; 0: keep all */
	const char *module;	/* the path of a module: contexts in which no routine of it, nor of focus, is active are left out; NULL: none */
	uint32_t thread;	/* only this thread of the profile; GRAPH_NONE: all */
	const struct graph_static_arc *static_arcs; /* to add with no calls to those that were made, before the model looks at them */
	size_t nstatic_arcs;	/* how many */
	const struct graph_name *unused; /* further routines, which have hooks; those that were called, or are in a static arc, are the profile's */
	size_t nunused;		/* how many */
	const struct gprof_spec *specs; /* names of gprof's options, of the tables GRAPH, ARCS, FLAT and TIME */
	size_t nspecs;		/* how many; 0: everything counts and is shown */
};

struct graph {
	const struct overhead *overhead; /* what it was built from, not owned */
	const struct profile *profile;	/* and its profile */
	struct graph_options options;	/* as given */
	struct graph_routine *routines;	/* routines after folding */
	struct arena briefs;		/* short forms of their names */
	uint32_t nroutines;		/* how many */
	uint32_t nhidden;		/* how many of them the options hide */
	uint32_t *routine_of;		/* profile routine -> index in routines[]; profile->nroutines of them */
	const struct graph_name *names;	/* as given, not owned: one for each routine of the profile */
	uint32_t *static_ends;		/* indices in routines[] of the options' static arcs: caller, callee of each */
	struct graph_arc *arcs;		/* sorted by from, then to; spontaneous ones last */
	uint32_t narcs;			/* how many */
	uint32_t *in_arcs;		/* indices in arcs[], sorted by to, then from */
	struct graph_context *contexts;	/* distinct normalised histories */
	uint32_t ncontexts;		/* how many */
	uint32_t *context_of;		/* profile context -> index in contexts[]; see kept */
	history_entry *spelled;		/* histories that are spelled out, with indices of routines[] */
	uint32_t longest;		/* length of the longest history, entries */
	struct graph_cycle *cycles;	/* largest time first, then calls, then entries */
	uint32_t ncycles;		/* how many */
	cycle_entry *cycle_entries;	/* entries of all cycles */
	struct graph_lump *lumps;	/* gprof model; in the order of their first routines */
	uint32_t nlumps;		/* how many */
	uint32_t *lump_members;		/* routines in lumps */
	bool *spec_named;		/* of each of the options' specs nroutines for what stands before a slash, and as many for what stands behind it */
	bool only_time;			/* some routine is only_time */
	uint64_t time;			/* sum of the routines' self, ns */
	uint64_t outside;		/* time of the root context, ns: no routine with hooks was active; 0 with a focus */
	int64_t hooks;			/* hooks' cost subtracted in the contexts kept, ns; 0 if raw; of one thread below 0 if more was drawn to its contexts (understand/overhead/draw.c) */
	uint64_t hooks_unplaced;	/* estimated cost that exceeded these contexts' time, ns; 0 if raw */
	uint64_t monitor;		/* time in the slow path, ns; of the one thread if one was asked for */
	uint64_t unplaced;		/* time no sample placed, ns; of the one thread if one was asked for */
	uint64_t calls;			/* sum of the routines' calls and recursive calls */
	uint64_t ticks;			/* samples behind time */
	uint64_t outside_ticks;		/* samples behind outside */
	double sample;			/* what each of these stands for, ns, hooks included: the mean of all; 0: times are no samples */
	bool arcs_alone;		/* no contexts are known: how much of an arc's time is the callee's own is not, and all of it stands as child1 and child2 */
	bool counted;			/* calls were; else all numbers of calls are 0, which nobody is to print */
	bool sampled;			/* times are of samples, so that evidence stands beside them */
	struct overhead_evidence evidence; /* what they say of time and outside together */
	double unsure;			/* part of the run's time, 0..1, of which it is not known where it was spent */
};

/* Build the graph of O's profile with the given NAMES, one for each of its routines.  Freed with graph_free; O, NAMES and the
 * patterns must outlive it.  NULL with *ERR set: ERROR_MEMORY, ERROR_PATTERN (a word of the options that means no
 * routine, as graph_match says), ERROR_USAGE (no such thread, or what is asked for needs contexts, and none are known).
 * Linear in the contexts and in the entries of the histories that unmarked something. */
struct graph *graph_build(const struct overhead *o, const struct graph_name *names,
			  const struct graph_options *options, struct error *err);

/* By how much PART / WHOLE may be off, 0..1: so far from it, at most, the true share is in 95 of 100 runs (errors.c).  PART is a part of
 * WHOLE, both in ns, whose evidence is of PART and of all of WHOLE.  Less than 0: not known, the times of G are no samples. */
double graph_error(const struct graph *g, uint64_t part, const struct overhead_evidence *of_part, uint64_t whole,
		   const struct overhead_evidence *of_whole);

/* The same of TIME in the run, time and outside. */
double graph_run_error(const struct graph *g, uint64_t time, const struct overhead_evidence *evidence);

/* The same of K of N samples. */
double graph_samples_error(const struct graph *g, uint64_t k, uint64_t n);

/* The same of the total of R.  Less than 0, too: the model does not measure it. */
double graph_total_error(const struct graph *g, const struct graph_routine *r);

/* The same of ARC in the total of its callee, incoming view (CALLERS), or in that of its caller; 0 of the only caller.  Less than 0, too: the model
 * does not measure arcs, or there is no caller. */
double graph_arc_error(const struct graph *g, const struct graph_arc *arc, bool callers);

/* Whether SHARE is more than what chance may make of nothing, with ERROR as graph_error has it. */
static inline bool graph_share_is_news(double share, double error)
{
	return error < 0 || share > error;
}

/* Were the calls of ROUTINE counted, an index in routines[] or GRAPH_NONE?  If not nobody is to print their number. */
static inline bool graph_counts(const struct graph *g, uint32_t routine)
{
	return g->counted && (routine == GRAPH_NONE || !g->routines[routine].plain);
}

/* Free all of G; NULL is allowed. */
void graph_free(struct graph *g);

/* Set NAMED[r] for the routines of G that WORD means, which a user typed.  The first of these that is the name of any routine:
 *
 *   1. the whole name, with its parameters or without, or as linked, or an alias; all routines of that name
 *   2. the name without template arguments: all of its instances; or its short form (brief)
 *   3. with PATTERN, what an extended regular expression fits: whole names, or whole ones as in 2
 *   4. FILE:ROUTINE, FILE:LINE, FILE:, LINE or FILE, a FILE being the end of a source file's path
 *   5. the end of one name of 2, after a `::` or a dot, else a part of one; then both in letters of either case
 *
 * False with *ERR set: ERROR_MEMORY; ERROR_PATTERN, no name is found, or in 5 several, which *ERR then lists, those with most time of their own
 * first.  OPTION is the name of the long option that was given WORD, for *ERR; NULL: an operand, or a letter. */
bool graph_match(const struct graph *g, const char *option, const char *word, bool pattern, bool *named, struct error *err);

/* By how much the rank with the most of CONTEXT, of the profile's contexts[], is beyond the mean of all ranks of an MPI job: ns, raw, or, in a profile without
 * times, calls.  0: the profile is of no job. */
double graph_beyond(const struct graph *g, uint32_t context);

/* The routine of G whose own the time of CONTEXT is, of the profile's contexts[]: the one that ran or, where that is left out, its nearest caller that is not.
 * GRAPH_NONE: there is none. */
static inline uint32_t graph_owner(const struct graph *g, uint32_t context)
{
	return g->contexts[g->context_of[context]].routine;
}

/* The time of CONTEXT, of the profile's contexts[], ns, charged or raw as the graph was asked to have it. */
uint64_t graph_time(const struct graph *g, uint32_t context);

/* Write the history of CONTEXT to OUT, which has room for g->longest entries, with indices of g->routines[].
 * Returns its length.  Linear in the length. */
size_t graph_history(const struct graph *g, uint32_t context, history_entry *out);

/* What one thread has in one context of the graph, charged or raw as the graph was asked to be; a thread may have several
 * shares in a context.  The shares of a context add up to its time, but for the rounding of each. */
struct graph_share {
	uint32_t context;	/* index in contexts[] */
	uint32_t thread;	/* index in the profile's threads[] */
	uint64_t entries;	/* calls that entered it */
	uint64_t recursive;	/* direct recursive calls */
	uint64_t time;		/* ns */
	uint64_t ticks;		/* samples */
	struct overhead_evidence evidence; /* of time */
};

/* Share I of the profile as a share in G, what focus and thread leave out included. */
struct graph_share graph_share(const struct graph *g, size_t i);

/* A node of a tree view: a path of entries.  Paths of equal routines are one node, whether entries are
 * marked or not; known and unknown links to the parent are two.  Children are nodes[first .. first + nchildren), sorted by total,
 * then calls, largest first, then by routine.  Parents come before children.
 *
 *   top-down:   total = self + totals of the children + rest
 *   bottom-up:  total = totals of the children + rest */
struct tree_node {
	uint32_t routine;	/* index in graph.routines; GRAPH_NONE at the root */
	uint32_t parent;	/* index of a node; GRAPH_NONE at the root */
	uint32_t first;		/* first child; 0 if there is none */
	uint32_t nchildren;	/* how many */
	uint64_t self;		/* top-down: of the contexts that end here, ns; bottom-up: total of the root's children, 0 deeper */
	uint64_t total;		/* time of the contexts whose histories pass here, ns; at the root graph.time + graph.outside */
	uint64_t rest;		/* part of total that no child has, ns: left out by the limits; bottom-up also histories that begin here */
	uint64_t calls;		/* top-down: entries of the contexts that end here; bottom-up: entries of those whose histories pass */
	uint64_t above;		/* top-down: entries of those that end here and that a focus left out, which no sum has */
	uint64_t ticks;		/* samples behind total */
	struct overhead_evidence evidence; /* what samples say of total */
	bool folded;		/* in some history the entry is unmarked: folded recursion */
	bool gap;		/* the link to the parent joins two unmarked entries: no known call */
};

struct tree {
	struct tree_node *nodes; /* [0] is the root: the run */
	size_t nnodes;		/* how many */
	uint32_t *node_of;	/* top-down: context of the graph -> node where it ends; GRAPH_NONE: left out by the limits; NULL bottom-up */
};

/* What to build of a tree.  All zero: everything, top-down.  Of a million contexts a bottom-up tree without
 * limits can have tens of millions of nodes: reports that print a part of it should say which. */
struct tree_options {
	bool bottom_up;		/* children are callers; the root's children are the routines with self time */
	uint32_t depth;		/* deepest level, the root's children being 1; 0: all */
	uint64_t min_time;	/* leave out nodes with a smaller total, ns */
	bool entered;		/* top-down: leave out contexts that were made and never entered */
};

/* The top-down tree: histories as paths from the root; or the bottom-up one, from the running routine to the root.
 * In a run without time (clock none) the bottom-up tree has all routines.
 * NULL with *ERR set: out of memory.  Freed with tree_free. */
struct tree *tree_build(const struct graph *g, const struct tree_options *options, struct error *err);

/* Free T; NULL is allowed. */
void tree_free(struct tree *t);

/* A tree that grows where somebody looks: at first it is its root, and a node has children when it was opened.  So the bottom-up tree
 * of a million contexts, which would have tens of millions of nodes, can be walked. */
struct tree_growth;

/* NULL with *ERR set: out of memory.  Freed with tree_growth_free; G must outlive it. */
struct tree_growth *tree_growth_start(const struct graph *g, bool bottom_up, struct error *err);
void tree_growth_free(struct tree_growth *t);

/* The tree so far; its nodes may move when one is opened.  rest is only right in opened nodes. */
const struct tree *tree_growth_tree(const struct tree_growth *t);

/* Give NODE its children, once; what is opened already stays.  False with *ERR set: out of memory. */
bool tree_growth_open(struct tree_growth *t, uint32_t node, struct error *err);

/* Whether NODE has children or would get some. */
bool tree_growth_has_more(const struct tree_growth *t, uint32_t node);

#endif
