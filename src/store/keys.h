/* keys.h - how the store calls things: numbers made of what they are, the same on every host.
 *
 * All are of XXH3 (the 64 bits that XXH3_64bits of xxHash 0.8 gives) over little-endian words; 0 is none of them, 1 stands in its place.
 *
 *     module     its build-id, or, if it has none, "path:" and its path
 *     routine    u64 module (0: none), u64 address, u32 flags, u32 pseudo-routine
 *     context    u64 the context that its history without the last entry is (of the root: the key of no bytes), u64 routine
 *     image      the modules that are main programs, u64 each, ascending; if there is none, "program:" and the program's path
 */
#ifndef STORE_KEYS_H
#define STORE_KEYS_H

#include "understand/analysis.h"

struct keys {
	uint64_t *modules;	/* of each module of the profile */
	uint64_t *routines;	/* of each routine */
	uint64_t *contexts;	/* of each context, the root among them */
	uint64_t image;		/* of all of it */
};

/* The keys of P, which is a sum (sum.h).  False: out of memory.  Freed with keys_free. */
bool keys_make(struct keys *k, const struct profile *p);
void keys_free(struct keys *k);

/* The root's. */
uint64_t keys_root(void);

/* What tells the file of LEN bytes at DATA from all others, 16 bytes to ID: XXH128, as canonical bytes, of all of it; of an amon.out without what may change in it when its
 * process is gone: `used` of the header, symbols, filler, and what is behind its end.  False: out of memory. */
bool keys_identity(const void *data, size_t len, unsigned char *id);

#endif
