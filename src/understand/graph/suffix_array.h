/* suffix_array.h - the ends of all histories, sorted by what they read: a suffix array of the forest of contexts.
 *
 * An end is a place in a history that a sequence can end at, read upwards to the caller, its caller, and so on.  Ends form a
 * forest by `up`, since most histories are their parent's and one entry more:
 *
 *     context Main P Q R      end R, up: the end of context Main P Q
 *     spelled  Main P' Q R P  ends at all its entries; what is above an unmarked entry does not count, as
 *                             that entry would be inside the sequence: Q, up: a P that has nothing above
 *
 * Few ends matter: a sequence has three entries at least, so it takes no more time than all ends together that read the same three. Those of which that is less
 * than is asked for are left out, and the others sorted as strings are, by multikey quicksort (Bentley, Sedgewick: Fast algorithms for sorting and
 * searching strings, 1997), program 2. */
#ifndef SUFFIX_ARRAY_H
#define SUFFIX_ARRAY_H

#include "understand/graph/build.h"
#include "understand/graph/graph.h"

enum { SUFFIX_SHORTEST = 3 };		/* entries of a sequence, at least */
#define SUFFIX_NOWHERE UINT32_MAX	/* the place of an end that is left out */

/* What is counted for one end, or a range of them. */
struct sums {
	uint64_t time;		/* ns */
	uint64_t ticks;		/* samples */
	struct overhead_evidence evidence; /* what these say of time */
	uint64_t calls;		/* entries of the contexts that end here */
	uint32_t contexts;	/* how many of these */
	double squares;		/* sum of the squares of the weights of single ends */
};

/* An end; [0] stands for nothing. */
struct end {
	uint32_t label;		/* routine + 1; 0: nothing */
	uint32_t up;		/* the end before it; 0: none */
	uint32_t length;	/* entries that can be read upwards, itself included */
	uint32_t context;	/* what it brings is of this one; 0: nothing */
};

struct suffix_array {
	const struct graph *g;		/* whose histories these are */
	struct end *ends;		/* all of them */
	uint32_t n;			/* how many */
	size_t room;			/* how many fit */
	struct weight *weights;		/* by context: of itself and all that extend it by parent links */
	uint32_t *end_of;		/* context -> the end at its last entry; 0: none */
	uint32_t *bare;			/* routine -> its end with nothing above; 0: not made yet */
	uint32_t *sorted;		/* ends by what they read, but for those left out; what reads the same by number */
	uint32_t nsorted;		/* how many */
	uint32_t *place;		/* by end: where it is in sorted[], or SUFFIX_NOWHERE */
	uint32_t *below;		/* all ends whose up is in sorted[], by its place there */
	uint32_t *first_below;		/* place in sorted[] -> where those begin whose up is there; one more at the end */
};

/* Make A of the histories of G, for sequences of MIN_TIME ns at least.  False: out of memory.  Freed with suffix_array_free, also then. */
bool suffix_array_make(struct suffix_array *a, const struct graph *g, uint64_t min_time);
void suffix_array_free(struct suffix_array *a);

/* What END brings. */
struct sums suffix_array_sums(const struct suffix_array *a, uint32_t end);

/* What suffix_array_weight says of that. */
uint64_t suffix_array_end_weight(const struct suffix_array *a, uint32_t end);

/* How many entries ends X and Y read alike. */
uint32_t suffix_array_common(const struct suffix_array *a, uint32_t x, uint32_t y);

/* The end N entries above END; 0: nothing is there. */
uint32_t suffix_array_climb(const struct suffix_array *a, uint32_t end, uint32_t n);

/* What SUMS weigh: time, or calls in a run that took none. */
uint64_t suffix_array_weight(const struct suffix_array *a, const struct sums *sums);

#endif
