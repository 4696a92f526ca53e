/* loaded.h - the files that a process has mapped, by parts, and where they are loaded.
 *
 * A file's segments may share pages of it, which are mapped for each of them then, and their addresses need not be as far apart as their offsets (lld, mold):
 *
 *     segment      offset   address        mapped at   from offset
 *     read-only    0x0000   0x0000         base        0x0000
 *     code         0x0d10   0x1d10         base+1000   0x0000
 *
 * So one part by itself may be of either.  What all parts of a file that is loaded once have in common is its bias. */
#ifndef SAMPLE_LOADED_H
#define SAMPLE_LOADED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "read/stacks/image.h"

/* Some pages of a file, as a process has them mapped. */
struct part {
	uint64_t start, end;		/* addresses */
	uint64_t offset;		/* in the file, of start */
	bool code;			/* they can be executed */
	uint64_t device, inode;		/* of the file; 0: not known */
	const char *path;		/* of the file, not owned */
};

/* What is to be taken from an address in PART, which is of the file I, to have the link-time one; the N parts ALL, of this file and others, are mapped beside
 * it. */
uint64_t part_bias(const struct image *i, const struct part *part, const struct part *all, size_t n);

/* The place of code of the file I, which is loaded with BIAS, that is in START .. END, to *PLACE, with its offset in the file but no path.  False: none is. */
bool part_of_code(const struct image *i, uint64_t bias, uint64_t start, uint64_t end, struct part *place);

#endif
