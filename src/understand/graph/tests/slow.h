/* slow.h - the history model once more, literally: each context of the profile is renamed and normalised by the words of
 * DESIGN section 6, and each of its items looked at.  Nothing of understand/graph/ is used but the numbering of the routines. */
#ifndef SLOW_H
#define SLOW_H

#include "understand/graph/tests/made.h"

/* Times of an arc, as in struct graph_arc. */
struct slow_arc {
	uint64_t calls, self1, child1, self2, child2;
	bool exists;			/* some context has it */
};

/* A cycle or a path, written in words, with what counts for it. */
struct slow_line {
	char *words;
	uint64_t calls, time;
};

struct slow_lines {
	struct slow_line *lines;	/* each once */
	uint32_t n;			/* how many */
};

struct slow {
	uint32_t n;			/* routines */
	uint64_t *self, *total, *calls, *recursive;	/* by routine */
	struct slow_arc *arcs;		/* [from * (n + 1) + to]; from n: spontaneous */
	struct slow_lines cycles;	/* `P Q..R` */
	struct slow_lines down;		/* paths from the root, time that passes and calls that end there */
	struct slow_lines up;		/* paths from the running routine, time and calls that pass */
	uint64_t time, outside, hooks, hooks_unplaced;
};

/* Normalise the history S of N entries of the profile for G's routines; returns the length. */
size_t slow_normalise(const struct graph *g, const history_entry *s, size_t n, history_entry *out);

/* The graph of M by the numbering of G.  FOCUS: routine of G that must be active, or GRAPH_NONE. */
struct slow *slow_build(const struct made *m, const struct graph *g, uint32_t focus);
void slow_free(struct slow *s);

/* The line for WORDS, or NULL. */
const struct slow_line *slow_find(const struct slow_lines *lines, const char *words);

#endif
