/* inlined.h - the functions that code was inlined from, each a number of whoever asks.
 *
 * What a thread was at, and each of its calls, is an address; DWARF tells from which functions the compiler made the code there.  Each address is asked about
 * once. */
#ifndef STACKS_INLINED_H
#define STACKS_INLINED_H

#include <stddef.h>
#include <stdint.h>

#include "base/table.h"
#include "read/stacks/image.h"

/* All zero but for the first two: none yet. */
struct inlined {
	uint32_t (*number)(void *arg, const struct debug_inlined *f);	/* of a function; UINT32_MAX: there is no room for it */
	void *arg;
	struct inlined_at {
		const struct image *image;
		uint64_t address;	/* link-time */
		uint64_t entry;		/* where the code of the first begins, link-time; 0: unknown */
		uint32_t first, n;	/* in functions[] */
	} *at;
	uint32_t nat;
	size_t at_room;
	struct table by_address;
	uint32_t *functions;		/* outermost first for each address */
	uint32_t nfunctions;
	size_t functions_room;
};

/* The functions that the code at ADDRESS of I, link-time, was inlined from, outermost first, *N of them, but not the one that has the code.  *ENTRY: where the code
 * of the first begins, link-time; 0: unknown.  Valid until the next call. */
const uint32_t *inlined_find(struct inlined *s, struct image *i, uint64_t address, uint32_t *n, uint64_t *entry);

/* Free what is in S. */
void inlined_free(struct inlined *s);

#endif
