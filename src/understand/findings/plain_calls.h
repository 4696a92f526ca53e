/* plain_calls.h - what a routine calls that has no hooks, by the names in its own code.
 *
 * Samples in a library are found in functions that nobody outside it knows: qsort's work is done in msort_with_tmp, memset's in
 * __memset_avx2_unaligned_erms. Who reads of them knows what he called.  Debug information tells it, of optimised code. */
#ifndef PLAIN_CALLS_H
#define PLAIN_CALLS_H

#include "understand/findings/report_input.h"

/* The names of all routines with hooks, as the programmer wrote them and as linked, sorted. */
struct plain_calls_hooked {
	const char **names;
	size_t n;		/* how many */
};

/* False: out of memory.  Freed with plain_calls_hooked_free; the names are G's. */
bool plain_calls_hooked_find(struct plain_calls_hooked *h, const struct graph *g);
void plain_calls_hooked_free(struct plain_calls_hooked *h);

/* A function that has no hooks. */
struct plain_calls_function {
	char *name;		/* as the programmer wrote it */
	char *linked;		/* as linked, or as the language calls it */
};

struct plain_calls {
	struct plain_calls_function *functions; /* that run on its time: it calls them, or what it calls leaves itself by a jump to them.  Each once */
	uint32_t n;		/* how many */
	size_t room;		/* how many fit */
	bool known;		/* its calls are known, all but those through pointers */
};

/* Fill C for ROUTINE of IN's graph, whose routines are HOOKED; nothing is known without symbols.  False: out of memory.  Freed with plain_calls_free, also then. */
bool plain_calls_find(struct plain_calls *c, const struct report_input *in, const struct plain_calls_hooked *hooked, uint32_t routine);
void plain_calls_free(struct plain_calls *c);

/* The name by which C's routine called the code of a library that PC is in, whose own symbol is NAME, or NULL: one that NAME is made from (`memset` of
 * `__memset_avx2_unaligned_erms`), else the one whose code leads there soonest.  ALONE: else the only one that it calls.  NULL: nothing tells.  Owned by C. */
const char *plain_call_name(const struct plain_calls *c, struct symbols *symbols, const char *name, const struct profile_pc *pc, bool alone);

#endif
