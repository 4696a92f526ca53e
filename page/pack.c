/* pack.c - deflate by zlib, then base64. */
#include "page/pack.h"

#include "base/base64.h"

enum { LEVEL = 6, PIECE = 3 << 12 };	/* deflated bytes encoded at once */

bool pack_begin(struct pack *p, FILE *out)
{
	p->out = out;
	p->z = (z_stream){ 0 };
	p->n = p->nrest = 0;
	p->failed = false;
	return deflateInit(&p->z, LEVEL) == Z_OK;
}

/* Write the LEN deflated bytes at DATA, as far as they make threes. */
static void deflated_write(struct pack *p, const unsigned char *data, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		p->rest[p->nrest++] = data[i];
		if (p->nrest == 3) {
			base64_write(p->out, p->rest, p->nrest);
			p->nrest = 0;
		}
	}
}

/* Deflate what IN holds. */
static void flush(struct pack *p, int how)
{
	unsigned char piece[PIECE];

	p->z.next_in = p->in;
	p->z.avail_in = (uInt)p->n;
	do {
		p->z.next_out = piece;
		p->z.avail_out = sizeof piece;
		if (deflate(&p->z, how) == Z_STREAM_ERROR)
			p->failed = true;
		deflated_write(p, piece, sizeof piece - p->z.avail_out);
	} while (p->z.avail_out == 0);
	p->n = 0;
}

void pack_bytes(struct pack *p, const void *data, size_t len)
{
	const unsigned char *bytes = data;

	for (size_t i = 0; i < len; i++) {
		if (p->n == sizeof p->in)
			flush(p, Z_NO_FLUSH);
		p->in[p->n++] = bytes[i];
	}
}

void pack_number(struct pack *p, uint64_t n)
{
	unsigned char bytes[10];
	size_t len = 0;

	do {
		bytes[len++] = (unsigned char)((n & 127) | (n > 127 ? 128 : 0));
		n >>= 7;
	} while (n);
	pack_bytes(p, bytes, len);
}

bool pack_end(struct pack *p)
{
	flush(p, Z_FINISH);
	base64_write(p->out, p->rest, p->nrest);
	deflateEnd(&p->z);
	return !p->failed;
}
