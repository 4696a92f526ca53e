/* pack.c - deflate by zlib, base64 by RFC 4648. */
#include "page/pack.h"

enum { LEVEL = 6, PIECE = 3 << 12 };	/* deflated bytes encoded at once */

bool pack_begin(struct pack *p, FILE *out)
{
	p->out = out;
	p->z = (z_stream){ 0 };
	p->n = p->nrest = 0;
	p->failed = false;
	return deflateInit(&p->z, LEVEL) == Z_OK;
}

/* The N bytes at B, 1 to 3, as four characters. */
static void quad_write(FILE *out, const unsigned char *b, unsigned n)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	uint32_t word = (uint32_t)b[0] << 16 | (n > 1 ? b[1] : 0u) << 8 | (n > 2 ? b[2] : 0u);
	char text[4] = { digits[word >> 18], digits[word >> 12 & 63], digits[word >> 6 & 63], digits[word & 63] };

	for (unsigned i = n + 1; i < 4; i++)
		text[i] = '=';
	fwrite(text, 1, sizeof text, out);
}

static void base64_write(struct pack *p, const unsigned char *data, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		p->rest[p->nrest++] = data[i];
		if (p->nrest == 3) {
			quad_write(p->out, p->rest, 3);
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
		base64_write(p, piece, sizeof piece - p->z.avail_out);
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
	if (p->nrest)
		quad_write(p->out, p->rest, p->nrest);
	deflateEnd(&p->z);
	return !p->failed;
}
