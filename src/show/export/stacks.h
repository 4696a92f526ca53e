/* stacks.h - what a profile counted, stack by stack and thread by thread: for the formats that hold stacks.
 *
 * A stack is a path of the top-down tree.  The samples of all threads add up, to the nanosecond and to the call, to
 * the graph: time + outside, calls, ticks + outside_ticks.  What the graph charges to a context (with the hooks' cost subtracted, as a
 * rule) is split among its threads in proportion to what each of them was charged raw, since only the sum over the threads is known
 * exactly. */
#ifndef STACKS_H
#define STACKS_H

#include "understand/analysis.h"

struct stack_sample {
	uint32_t node;		/* of the tree; 0, the root: outside all routines */
	uint32_t thread;	/* index in the profile's threads[]; GRAPH_NONE: all of them together */
	uint64_t time;		/* ns */
	uint64_t ticks;		/* samples of the clock */
	uint64_t calls;		/* entries, direct recursive calls included */
};

struct stacks {
	struct tree *tree;		/* top-down, whole */
	struct stack_sample *samples;	/* that count anything, by thread, then depth first: each pair of thread and node once */
	size_t n;			/* how many */
};

/* The stacks of G; BY_THREAD: a sample for each thread of a node, else one for each node.  False with *ERR set: out of memory.  Freed with stacks_free. */
bool stacks_make(struct stacks *s, const struct graph *g, bool by_thread, struct error *err);
void stacks_free(struct stacks *s);

#endif
