/* leaves.h - where in a routine's self time the program counter was.
 *
 * A routine's self time is that of its own code, of the code without hooks that ran under it, and of the kernel (understand/overhead/kernel.c). Each sample carries
 * a program counter, so that the time can be split: by plain function ("in libc.so.6: memcpy")
 * and, when asked, by source line ("sort.c:120"), and by the functions that the compiler put into the routine ("inlined: compare").  A plain function has the name of its own symbol; of one that no program can name that by which the
 * routine called the library stands beside, where that can be told (plain_calls.h): `msort_with_tmp`, called as `qsort`.  What has no symbol has that name, or
 * an address.  The parts of a routine never exceed its self time.  All samples in a routine stand for the same time: there are too few in each context to
 * weigh them by its time.
 *
 * Samples in aprof's hooks are no part of it where the hooks' cost was subtracted; with --raw they are "(hooks)".
 * Samples in another routine with hooks fell before its entry hook or after its exit: they stay with the caller. */
#ifndef LEAVES_H
#define LEAVES_H

#include "base/arena.h"
#include "understand/findings/report_input.h"

struct plain_calls;

/* What a leaf is. */
enum leaf_kind {
	LEAF_LINE,		/* a source line of the routine itself */
	LEAF_INLINED,		/* a function that the compiler put into the routine */
	LEAF_PLAIN,		/* a plain function of a file */
	LEAF_PSEUDO,		/* one that no file has: of [kernel], [vdso] */
	LEAF_HOOKS,		/* aprof's hooks */
	LEAF_UNKNOWN,		/* in none of the modules */
};

struct leaf {
	enum leaf_kind kind;
	uint32_t routine;	/* index in graph.routines */
	uint32_t line;		/* source line, for own code; 0: a plain function */
	const char *place;	/* own code: source file; inlined: the functions through which it was, outermost first, itself the last, joined by line feeds; else file name of the
				 * module */
	const char *name;	/* inlined: its own; plain function's own; of one without a symbol that by which it was called, or its address; NULL for own code */
	const char *called;	/* the name by which the routine called it, if it has another of its own and that is known; else NULL */
	uint64_t time;		/* ns of the routine's self time */
	uint64_t ticks;		/* samples; the kernel has none */
	const struct profile_pc *pc; /* one of them; NULL: none */
	bool nameless;		/* no program can have called the plain function by a name of its own: it has none, or is local or a variant for some processors, in a
				 * library or linked from one */
	bool unnamed;		/* it has no symbol */
};

struct leaves {
	struct leaf *leaf;	/* sorted by routine, then by time, largest first */
	size_t n;		/* how many */
	uint32_t *owner;	/* by sample of the profile: the routine whose own time it is of, if that is kept; else GRAPH_NONE */
	uint64_t *explained;	/* by routine: samples of all of its own time in user mode */
	size_t *first;		/* leaves of routine r: leaf[first[r] .. first[r + 1]) */
	uint32_t nroutines;	/* of the graph */
	struct arena text;	/* of places */
	struct plain_calls *called;	/* by routine: what it calls, which the names of its leaves may be of; NULL: nobody asked */
};

/* What the samples outside of all routines with hooks were in, one for each into LEAF, which has room for all of the profile's pcs[]; they have no routine
 * (GRAPH_NONE), and together no more than the graph's time there.  Returns how many. */
size_t leaves_outside(const struct report_input *in, struct leaf *leaf);

enum { LEAF_OWN = UINT32_MAX };	/* the code of the routine itself */

/* Samples of one context in one place. */
struct leaf_count {
	uint32_t context;	/* index in graph.contexts */
	uint32_t leaf;		/* index in leaves.leaf, of the context's routine; LEAF_OWN */
	uint64_t ticks;		/* samples, 1 at least */
};

/* Split the self times of IN's graph as OPTIONS ask; without leaves and lines, or without symbols, into nothing; where call stacks have split them (profile.plain) plain
 * functions are routines of the graph, and no leaves.
 * False with *ERR set: out of memory.  Freed with leaves_free. */
bool leaves_make(struct leaves *l, const struct report_input *in, const struct report_options *options,
		 struct error *err);
void leaves_free(struct leaves *l);

/* Where the samples of each context were: a malloc'ed array of *N, by context, then leaf, each pair once; those of L's `explained` add up to all of them.
 * L was made with `leaves`, without `lines`.  NULL: out of memory. */
struct leaf_count *leaves_count(const struct leaves *l, const struct report_input *in, size_t *n);

/* The leaf that each sample of the profile was in, as an index in leaves.leaf, or LEAF_OWN: also of what is left out.  L is that of leaves_count; malloc'ed, NULL: out
 * of memory. */
uint32_t *leaves_each(const struct leaves *l, const struct report_input *in);

/* Is what lies at PATH the system's, and none of the user's own? */
bool leaves_is_systems(const char *path);

/* Whether nothing tells what source line PC is of: so it is in a library that was linked into the program, mostly. */
bool leaves_has_no_source(const struct report_input *in, const struct profile_pc *pc);

/* What each sample that tells where ROUTINE's own time went, EXPLAINED in all, stands for, ns. */
double leaves_sample(const struct graph *g, uint32_t routine, uint64_t explained);

#endif
