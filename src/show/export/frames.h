/* frames.h - the routines of a graph as formats name them: each with what its source and module are.
 *
 * After the graph's routines come two frames that are none: calls that recursion squeezed out (`..` in aprof tree), and
 * the time outside all routines. */
#ifndef FRAMES_H
#define FRAMES_H

#include "understand/analysis.h"

struct frame {
	const char *name;	/* as demangled, not escaped; of a library's variant for some processors as linked: by that name all other profilers know it */
	const char *file;	/* source file; NULL: unknown */
	const char *module;	/* path of the module; NULL: none */
	uint32_t line;		/* of its definition; 0: unknown */
	uint32_t module_index;	/* in the profile's modules[]; PROFILE_NONE: none */
	uint64_t address;	/* link-time address; 0 if module_index is PROFILE_NONE */
};

struct frames {
	struct frame *frames;	/* [r] is graph.routines[r] */
	uint32_t n;		/* how many: the routines and two */
};

/* The frames of G, whose strings they share.  False with *ERR set: out of memory.  Freed with frames_free. */
bool frames_make(struct frames *f, const struct graph *g, struct error *err);
void frames_free(struct frames *f);

/* The two that are no routines. */
static inline uint32_t frames_folded(const struct frames *f) { return f->n - 2; }
static inline uint32_t frames_outside(const struct frames *f) { return f->n - 1; }

/* Frame of a node of the tree: the outside at the root. */
static inline uint32_t frames_of(const struct frames *f, const struct tree_node *node)
{
	return node->routine == GRAPH_NONE ? frames_outside(f) : node->routine;
}

/* Write the frames of the path to NODE of T to OUT, the outermost first; between two that need not have called each other stands the
 * folded one.  Returns how many; OUT has room for frames_most of them. */
size_t frames_stack(const struct frames *f, const struct tree *t, uint32_t node, uint32_t *out);

/* Frames that the longest stack of G can have. */
size_t frames_most(const struct graph *g);

#endif
