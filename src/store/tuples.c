/* tuples.c - RowBinary, both ways. */
#include "store/tuples.h"

#include <endian.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

void tuples_bytes(struct tuples *r, const void *data, size_t len)
{
	if (r->failed || !array_reserve(&r->data, &r->room, r->len + len, 1)) {
		r->failed = true;
		return;
	}
	if (len)
		memcpy(r->data + r->len, data, len);
	r->len += len;
}

void tuples_byte(struct tuples *r, uint8_t value)
{
	tuples_bytes(r, &value, sizeof value);
}

void tuples_u32(struct tuples *r, uint32_t value)
{
	value = htole32(value);
	tuples_bytes(r, &value, sizeof value);
}

void tuples_u64(struct tuples *r, uint64_t value)
{
	value = htole64(value);
	tuples_bytes(r, &value, sizeof value);
}

void tuples_length(struct tuples *r, size_t n)
{
	for (; n >= 0x80; n >>= 7)
		tuples_byte(r, (uint8_t)(n | 0x80));
	tuples_byte(r, (uint8_t)n);
}

void tuples_string(struct tuples *r, const char *data, size_t len)
{
	tuples_length(r, len);
	tuples_bytes(r, data, len);
}

void tuples_text(struct tuples *r, const char *text)
{
	tuples_string(r, text, text ? strlen(text) : 0);
}

void tuples_empty(struct tuples *r)
{
	r->len = 0;
	r->n = 0;
}

void tuples_free(struct tuples *r)
{
	free(r->data);
	*r = (struct tuples){ 0 };
}

bool tuples_more(const struct tuples_reader *r)
{
	return !r->bad && r->at < r->len;
}

static const unsigned char *tuples_take(struct tuples_reader *r, size_t n)
{
	const unsigned char *at = r->data + r->at;

	if (r->bad || n > r->len - r->at) {
		r->bad = true;
		return NULL;
	}
	r->at += n;
	return at;
}

uint8_t tuples_read_byte(struct tuples_reader *r)
{
	const unsigned char *at = tuples_take(r, 1);

	return at ? *at : 0;
}

uint32_t tuples_read_u32(struct tuples_reader *r)
{
	const unsigned char *at = tuples_take(r, sizeof(uint32_t));
	uint32_t value = 0;

	if (at)
		memcpy(&value, at, sizeof value);
	return le32toh(value);
}

uint64_t tuples_read_u64(struct tuples_reader *r)
{
	const unsigned char *at = tuples_take(r, sizeof(uint64_t));
	uint64_t value = 0;

	if (at)
		memcpy(&value, at, sizeof value);
	return le64toh(value);
}

size_t tuples_read_length(struct tuples_reader *r)
{
	uint64_t n = 0;
	uint8_t byte = 0x80;

	for (unsigned shift = 0; byte & 0x80 && shift < 63; shift += 7) {
		byte = tuples_read_byte(r);
		n |= (uint64_t)(byte & 0x7f) << shift;
	}
	if (byte & 0x80 || n > r->len - r->at) {
		r->bad = true;
		return 0;
	}
	return (size_t)n;
}

const char *tuples_read_string(struct tuples_reader *r, size_t *len)
{
	*len = tuples_read_length(r);
	return (const char *)tuples_take(r, *len);
}
