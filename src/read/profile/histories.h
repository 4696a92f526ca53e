/* histories.h - the set of all histories of a profile, as a trie.
 *
 *     node 0 (empty) --Main--> 1 --P--> 2 --Q--> 3 --R--> 4
 *                              |
 *                              +---P'-> 5 --Q--> 6 --R--> 7 --P--> 8
 *
 * A node is a sequence of entries: its parent's and one more (' = unmarked), and no two
 * nodes are the same sequence: so histories are equal just when their nodes are,
 * however they came about, and what they have in common at the front is kept once.  A
 * history takes 12 bytes when its step unmarked nothing, and its new tail otherwise.
 *
 * Invariant: each node is a history or the front of one; so none has two marks of one routine. */
#ifndef HISTORIES_H
#define HISTORIES_H

#include "base/array.h"
#include "base/table.h"
#include "contract/history.h"

#define HISTORIES_NONE UINT32_MAX

struct history_node {
	uint32_t parent;	/* node of all entries but the last; HISTORIES_NONE for node 0 */
	history_entry entry;	/* the last */
	uint32_t context;	/* context of the profile with this history; HISTORIES_NONE: none yet */
};

struct histories {
	struct history_node *nodes;	/* [0] is the empty history */
	uint32_t n;			/* how many */
	size_t room;			/* for how many there is room */
	struct table table;		/* nodes by (parent, entry) */
	/* The path: one node spelt out, so that "is P marked in it?" is one look. */
	history_entry *path;		/* its entries */
	uint32_t *path_nodes;		/* the nodes on the way, one after each entry */
	size_t depth;			/* entries in path */
	size_t path_room, nodes_room;	/* for how many entries there is room */
	uint32_t *position;		/* routine -> where it is marked in path; HISTORIES_NONE: nowhere */
	size_t routines, position_room;	/* routines in position, and for how many there is room */
	history_entry *scratch;		/* a history being squeezed */
	size_t scratch_room;		/* for how many entries */
	uint64_t work;			/* entries handled so far: the measure of time spent */
};

/* Where a step led. */
struct history_step {
	uint32_t node;		/* the history after the step */
	uint32_t length;	/* its entries */
	bool folded;		/* an earlier activation was unmarked (A3) */
};

/* Begin with the empty history.  False: out of memory. */
bool histories_init(struct histories *h);
void histories_free(struct histories *h);

/* Make room for N more nodes, and for routines below ROUTINES. False: out of memory. */
bool histories_reserve(struct histories *h, size_t n, size_t routines);

/* A1-A5: in the history NODE of LENGTH entries, ROUTINE is called.  False: out of memory (no
 * history is damaged).  Time: constant when the result has been made before by an append, else in
 * proportion to the way from the last node spelt out to this one; LENGTH when it folds. */
bool histories_step(struct histories *h, uint32_t node, uint32_t length, uint32_t routine, struct history_step *step);

/* The same step comes soon: have at hand what it looks up first, which is anywhere in a large table. */
void histories_expect(const struct histories *h, uint32_t node, uint32_t routine);

/* Each routine i is NUMBERS[i] from now on. */
void histories_renumber(struct histories *h, const uint32_t *numbers);

/* Forget all nodes from N on. */
void histories_cut(struct histories *h, uint32_t n);

/* Write the LENGTH entries of NODE to OUT. */
void histories_get(const struct histories *h, uint32_t node, uint32_t length, history_entry *out);

#endif
