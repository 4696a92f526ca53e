/* tuples.h - rows of tables as ClickHouse's format RowBinary has them: fields one after the other, numbers little-endian, before a string its length (LEB128). */
#ifndef STORE_TUPLES_H
#define STORE_TUPLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Rows in the making; all zero: none.  That memory ran out is remembered, and asked once at the end. */
struct tuples {
	unsigned char *data;	/* freed by tuples_free */
	size_t len, room;	/* bytes */
	uint64_t n;		/* rows, as their maker counts them */
	bool failed;		/* memory ran out */
};

void tuples_bytes(struct tuples *r, const void *data, size_t len);	/* FixedString */
void tuples_byte(struct tuples *r, uint8_t value);
void tuples_u32(struct tuples *r, uint32_t value);
void tuples_u64(struct tuples *r, uint64_t value);
void tuples_length(struct tuples *r, size_t n);			/* of an array, whose items follow */
void tuples_string(struct tuples *r, const char *data, size_t len);
void tuples_text(struct tuples *r, const char *text);		/* a C string; NULL: "" */

/* Forget all rows, and keep the memory. */
void tuples_empty(struct tuples *r);
void tuples_free(struct tuples *r);

/* Rows that came; what is behind their end reads as 0, and is remembered. */
struct tuples_reader {
	const unsigned char *data;
	size_t len, at;		/* bytes, and where it goes on */
	bool bad;		/* they ended within a row */
};

/* Is there another row? */
bool tuples_more(const struct tuples_reader *r);
uint8_t tuples_read_byte(struct tuples_reader *r);
uint32_t tuples_read_u32(struct tuples_reader *r);
uint64_t tuples_read_u64(struct tuples_reader *r);
size_t tuples_read_length(struct tuples_reader *r);			/* of an array: no more than there are bytes left */
/* A string within the rows, without a zero behind it; its length in *LEN. */
const char *tuples_read_string(struct tuples_reader *r, size_t *len);

#endif
