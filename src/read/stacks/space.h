/* space.h - what code a process has mapped where. */
#ifndef SAMPLE_SPACE_H
#define SAMPLE_SPACE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "read/stacks/image.h"

struct mapping {
	uint64_t start, end;		/* addresses */
	uint64_t offset;		/* in the file, of start */
	uint64_t bias;			/* an address less this is the file's */
	struct image *image;		/* NULL: anonymous memory */
	uint32_t number;		/* no other mapping of this process has or had it */
};

struct space {
	pid_t pid;
	struct images *images;		/* not owned */
	struct mapping *mappings;	/* by address, disjoint */
	uint32_t n;
	size_t room;
	uint32_t made;			/* mappings so far */
};

/* Begin without mappings. */
void space_init(struct space *s, pid_t pid, struct images *images);
void space_free(struct space *s);

/* Map LENGTH bytes at START from OFFSET of the file PATH on ("" or "//anon": of none), instead of what was there.  False: out of memory. */
bool space_map(struct space *s, uint64_t start, uint64_t length, uint64_t offset, uint64_t device, uint64_t inode, const char *path);

/* Make S what TEXT, as of /proc/PID/maps, says that the process has mapped; what was there already stays what it is.  False: memory is short. */
bool space_renew(struct space *s, const char *text);

/* The same by /proc/PID/maps now.  False: it does not say, or memory is short; then S is as before, or lacks something. */
bool space_read(struct space *s);

/* Make S, new, what FROM is, for the process PID.  False: out of memory. */
bool space_copy(struct space *s, const struct space *from, pid_t pid);

/* The mapping that holds ADDRESS; NULL: none. */
const struct mapping *space_find(const struct space *s, uint64_t address);

#endif
