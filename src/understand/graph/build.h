/* build.h - what the files of understand/graph/ share while a graph is built.
 *
 *     routines_fold -> routines_leave_out -> contexts_fold -> charge_contexts -> focus_apply -> calls and self times -> a model -> cycles_find
 *
 * Each step fills its own fields of struct graph and relies on those before it.  Steps return
 * false with *ERR set; graph_build then frees what there is. */
#ifndef BUILD_H
#define BUILD_H

#include "understand/graph/arcs.h"
#include "understand/graph/graph.h"

/* Fold the routines of g->profile and of the static arcs by key: fills routines[] (names only), routine_of[] and static_ends[]. */
bool routines_fold(struct graph *g, const struct graph_name *names, struct error *err);

/* Mark the routines whose frames are to be their callers', as the options say: fills left_out and nhidden. */
bool routines_leave_out(struct graph *g, struct error *err);

/* Replay the profile's contexts on the folded routines, without those that are left out: fills contexts[] without counters, context_of[],
 * spelled[] and longest. */
bool contexts_fold(struct graph *g, struct error *err);

/* Counters of the contexts, by thread and charged or raw as the options say: fills them and
 * hooks, hooks_unplaced, monitor, unplaced and the routines' kernel. */
bool charge_contexts(struct graph *g, struct error *err);

/* What the ranks with the most have beyond the mean, by routine: fills beyond. */
void ranks_sum(struct graph *g);

/* hooks and hooks_unplaced anew, of the contexts that are kept. */
void charge_hooks(struct graph *g);

/* Mark the routines that the options' names mean.  Nothing without such options. */
bool narrow_routines(struct graph *g, struct error *err);

/* Whether calls from FROM to TO are counted, as -k and -q FROM/TO say; and whether time passes from TO to FROM along them. */
bool narrow_keeps(const struct graph *g, uint32_t from, uint32_t to);
bool narrow_passes(const struct graph *g, uint32_t from, uint32_t to);

/* Which routines have entries in the call graph: what is wanted, and what that calls.  After the arcs are settled. */
bool narrow_entries(struct graph *g, struct error *err);

/* Clear `kept` and zero the counters of contexts in which no routine is active that the patterns name. */
bool focus_apply(struct graph *g, struct error *err);

/* What runs in a context and in all that extend its history: the contexts that have it as a prefix and reach it
 * by parent links. */
struct weight {
	uint64_t time;		/* sum of their times, ns */
	uint64_t ticks;		/* sum of their samples */
	struct overhead_evidence evidence; /* what these say of time */
};

/* The weights of all contexts, malloc'ed; NULL with *ERR set when memory is short.  Fills `live`, too. */
struct weight *contexts_weigh(struct graph *g, struct error *err);

/* The routine before the last entry of context C, not the root: its caller; GRAPH_NONE if it has none. */
uint32_t contexts_caller(const struct graph *g, uint32_t c);

/* A model: from contexts with their times, and arcs with their calls, to the routines' total and total_ticks, the
 * arcs' times, and what else is its own.  W are the contexts' weights.  It may add arcs. */
typedef bool graph_model_function(struct graph *g, struct arcs *arcs, const struct weight *w, struct error *err);

/* Spivey 2004, "Presenting the results". */
graph_model_function history_model_attribute;

/* Graham, Kessler and McKusick 1982: from calls and self times alone; W may be NULL.  Fills lumps, too. */
graph_model_function gprof_model_attribute;

/* Ammons, Ball and Larus 1997. */
graph_model_function cct_model_attribute;

/* What files without contexts say of arcs.  Fills lumps, too. */
graph_model_function given_arcs_attribute;

/* Fill cycles[], ncycles and cycle_entries[]. */
bool cycles_find(struct graph *g, const struct weight *w, struct error *err);

/* Sets *ERR to ERROR_MEMORY, returns 0. */
static inline int build_no_memory(struct error *err)
{
	return error_no_memory(err, "the call graph was built");
}

#endif
