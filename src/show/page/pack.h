/* pack.h - bytes and numbers into a page: deflated as they come, and written as base64.
 *
 * A profile of a million contexts is some ten million numbers; they go through one buffer and are never whole in memory. */
#ifndef PACK_H
#define PACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <zlib.h>

struct pack {
	FILE *out;			/* where the base64 goes, not owned */
	z_stream z;			/* the deflation under way, zlib format */
	unsigned char in[1 << 16];	/* bytes not yet deflated */
	size_t n;			/* how many */
	unsigned char deflated[3 << 12]; /* not yet written; three bytes are four characters */
	size_t ndeflated;		/* how many */
	bool failed;			/* zlib is out of memory */
};

enum { PACK_NUMBER = 10 };		/* bytes of the largest number */

/* Begin on OUT.  False: out of memory; nothing is to be ended then. */
bool pack_begin(struct pack *p, FILE *out);

/* Append the LEN bytes at DATA. */
void pack_bytes(struct pack *p, const void *data, size_t len);

/* Empty the buffer of what is to be deflated. */
void pack_make_room(struct pack *p);

/* Append N as groups of seven bits, the lowest first, all but the last with the high bit set (LEB128). */
static inline void pack_number(struct pack *p, uint64_t n)
{
	if (sizeof p->in - p->n < PACK_NUMBER)
		pack_make_room(p);
	for (; n > 127; n >>= 7)
		p->in[p->n++] = (unsigned char)(n | 128);
	p->in[p->n++] = (unsigned char)n;
}

/* Write what is left and free.  False: memory was short since pack_begin, and what was written is worth nothing.
 * Whether OUT failed is for ferror to tell. */
bool pack_end(struct pack *p);

#endif
