/* inlined.h - the functions that code was inlined from, as routines in the file of the program that it is of.
 *
 * What a thread was at, and each of its calls, is an address; DWARF tells from which functions the compiler made the code there.  Each address is asked about
 * once. */
#ifndef SAMPLE_INLINED_H
#define SAMPLE_INLINED_H

#include <stddef.h>
#include <stdint.h>

#include "base/table.h"
#include "read/stacks/image.h"
#include "read/stacks/synthetic_routines.h"

/* All zero but for `made.live` and `made.path`: none yet. */
struct inlined {
	struct synthetic made;		/* their routines */
	struct inlined_at {
		const struct image *image;
		uint64_t address;	/* link-time */
		uint64_t entry;		/* where the code of the first begins, link-time; 0: unknown */
		uint32_t first, n;	/* in routines[] */
	} *at;
	uint32_t nat;
	size_t at_room;
	struct table by_address;
	uint32_t *routines;		/* of the file, outermost first for each address */
	uint32_t nroutines;
	size_t routines_room;
};

/* The routines that the code at ADDRESS of I, link-time, was inlined from, outermost first, *N of them, but not the one that has the code.  *ENTRY: where the code
 * of the first begins, link-time; 0: unknown.  Valid until the next call. */
const uint32_t *inlined_find(struct inlined *s, struct image *i, uint64_t address, uint32_t *n, uint64_t *entry);

/* The end: write the names that are left, and free what is in S. */
void inlined_end(struct inlined *s);

#endif
