/* reader.h - reading the numbers of DWARF. */
#ifndef READER_H
#define READER_H

#include <stddef.h>
#include <stdint.h>

/* A place in a description. */
struct reader {
	const uint8_t *at, *end;	/* NULL, NULL: something was wrong */
};

static inline void reader_fail(struct reader *r) { *r = (struct reader){ NULL, NULL }; }

static inline uint64_t read_fixed(struct reader *r, size_t size)
{
	uint64_t value = 0;

	if ((size_t)(r->end - r->at) < size) {
		reader_fail(r);
		return 0;
	}
	for (size_t i = 0; i < size; i++)
		value |= (uint64_t)r->at[i] << 8 * i;
	r->at += size;
	return value;
}

static inline int64_t read_signed(struct reader *r, size_t size)
{
	int shift = 64 - 8 * (int)size;

	return (int64_t)(read_fixed(r, size) << shift) >> shift;
}

static inline uint64_t read_leb(struct reader *r, unsigned *bits)
{
	uint64_t value = 0;
	uint8_t byte = 0x80;

	for (*bits = 0; byte & 0x80 && r->at; *bits += 7) {
		byte = (uint8_t)read_fixed(r, 1);
		if (*bits < 64)
			value |= (uint64_t)(byte & 0x7f) << *bits;
	}
	return value;
}

static inline uint64_t read_uleb(struct reader *r)
{
	unsigned bits;

	return read_leb(r, &bits);
}

static inline int64_t read_sleb(struct reader *r)
{
	unsigned bits;
	uint64_t value = read_leb(r, &bits);

	return bits && bits < 64 ? (int64_t)(value << (64 - bits)) >> (64 - bits) : (int64_t)value;
}

static inline void read_skip(struct reader *r, uint64_t size)
{
	if (size > (size_t)(r->end - r->at))
		reader_fail(r);
	else
		r->at += size;
}

#endif
