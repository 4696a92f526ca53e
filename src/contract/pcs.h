/* pcs.h - program counters with their contexts, packed: what a table of them holds, in two to three bytes for each, for 16.
 *
 * The PCs of each context stand together, ascending, as differences; numbers are unsigned, seven bits a byte, the low ones first, the highest bit of a byte
 * says that another follows (LEB128).  A group is: the context less that of the group before; how many PCs; the first one less the first one of
 * the group before, signed (2x for x >= 0, else -2x - 1); its samples; then of each other PC what it is above the one before, and its samples. */
#ifndef PCS_H
#define PCS_H

#include <stddef.h>
#include <stdint.h>

#include "contract/amon.h"

/* The order in which they are packed: by context, then by PC. */
static inline int pcs_order(const struct amon_pc *a, const struct amon_pc *b)
{
	if (a->context != b->context)
		return a->context < b->context ? -1 : 1;
	return (a->pc > b->pc) - (a->pc < b->pc);
}

/* Pack the N entries at PCS, ascending by pcs_order, to TO; NULL: nowhere.  Returns the bytes that they take. */
uint64_t pcs_pack(const struct amon_pc *pcs, size_t n, unsigned char *to);

/* Where somebody who unpacks stands.  At first all but DATA and SIZE are 0. */
struct pcs_reader {
	const unsigned char *data;	/* packed */
	size_t size;			/* bytes of it */
	size_t at;			/* the next one */
	uint64_t context;		/* of the group at hand */
	uint64_t left;			/* entries of it to come */
	uint64_t first, pc;		/* its first PC, and the last one read */
};

enum pcs_next { PCS_END, PCS_ONE, PCS_ILL };

/* The next entry to *PC.  PCS_END: there is no more; PCS_ILL: what stands there is none, or is not whole. */
enum pcs_next pcs_next(struct pcs_reader *r, struct amon_pc *pc);

#endif
