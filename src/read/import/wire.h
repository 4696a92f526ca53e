/* wire.h - protobuf's wire format, field by field: what there is and where, with every length checked. */
#ifndef IMPORT_WIRE_H
#define IMPORT_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum wire_type { WIRE_NUMBER, WIRE_64, WIRE_BYTES, WIRE_32 = 5 };

/* A message that is walked through; set `next` and `end` at first. */
struct wire {
	const unsigned char *next, *end; /* what is left of it */
	bool wrong;			/* what came next is no field, or reaches beyond the end */
	/* The field at hand. */
	const unsigned char *at;	/* where it begins */
	uint64_t field;			/* its number */
	enum wire_type type;
	uint64_t number;		/* of a number */
	const unsigned char *bytes;	/* of bytes: the first one */
	size_t n;			/* how many */
};

/* Go to the next field; false: there is none, or w->wrong. */
bool wire_next(struct wire *w);

/* The message that the bytes of the field at hand are. */
struct wire wire_inner(const struct wire *w);

/* The numbers of a repeated field at hand, packed or not: from *I = 0 on, each once; false: no more, or w->wrong. */
bool wire_numbers(struct wire *w, size_t *i, uint64_t *number);

#endif
