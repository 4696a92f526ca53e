/* compressed.c - gzip, xz and zstd behind one step: as much in and out as there is room for.
 *
 * Several streams one after the other, as pigz, xz -T and zstd -T make them, or cat, are one file. */
#include "read/import/compressed.h"

#include <lzma.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>
#include <zstd_errors.h>

#define MOST_BYTES (UINT64_C(8) << 30)		/* that come of a file */
#define MOST_XZ_MEMORY (UINT64_C(1) << 30)	/* that xz may take: -9 takes 65 MB; zstd's own bound is 128 MB, which --long=27 takes */
enum { GZIP = 16 + MAX_WBITS, ONE_STEP = 1 << 30 };

enum method { METHOD_NONE, METHOD_GZIP, METHOD_XZ, METHOD_ZSTD };
enum state { GOING, ENDED, SHORT, CORRUPT, TOO_LARGE, NO_MEMORY };

struct unpacking {
	enum method method;
	enum state state;		/* SHORT: it wants more than there is */
	const unsigned char *in;
	size_t left;			/* bytes there */
	unsigned char *out;
	size_t room;			/* bytes there */
	z_stream gzip;
	lzma_stream xz;
	ZSTD_DStream *zstd;
	bool between;			/* zstd: a frame ended there */
};

static enum method method_of(const void *data, size_t n)
{
	static const struct { enum method method; size_t n; const char *magic; } magics[] = {
		{ METHOD_GZIP, 2, "\x1f\x8b" }, { METHOD_XZ, 6, "\xfd" "7zXZ\0" }, { METHOD_ZSTD, 4, "\x28\xb5\x2f\xfd" },
	};

	for (size_t i = 0; i < sizeof magics / sizeof *magics; i++)
		if (n >= magics[i].n && memcmp(data, magics[i].magic, magics[i].n) == 0)
			return magics[i].method;
	return METHOD_NONE;
}

bool compressed_is(const void *data, size_t n) { return method_of(data, n) != METHOD_NONE; }

static void unpacking_begin(struct unpacking *u, const void *data, size_t n)
{
	bool ok = true;

	*u = (struct unpacking){ .method = method_of(data, n), .in = data, .left = n, .xz = LZMA_STREAM_INIT };
	if (u->method == METHOD_GZIP)
		ok = inflateInit2(&u->gzip, GZIP) == Z_OK;
	else if (u->method == METHOD_XZ)
		ok = lzma_stream_decoder(&u->xz, MOST_XZ_MEMORY, LZMA_CONCATENATED) == LZMA_OK;
	else
		ok = (u->zstd = ZSTD_createDStream()) != NULL;
	u->state = ok ? GOING : NO_MEMORY;
}

static void unpacking_end(struct unpacking *u)
{
	if (u->method == METHOD_GZIP)
		inflateEnd(&u->gzip);
	lzma_end(&u->xz);
	ZSTD_freeDStream(u->zstd);
}

/* Take note that IN bytes were taken, and OUT came. */
static void unpacking_moved(struct unpacking *u, size_t in, size_t out)
{
	u->in += in;
	u->left -= in;
	u->out += out;
	u->room -= out;
}

static void gzip_step(struct unpacking *u)
{
	unsigned in = u->left < ONE_STEP ? (unsigned)u->left : ONE_STEP, out = u->room < ONE_STEP ? (unsigned)u->room : ONE_STEP;
	int state;

	u->gzip.next_in = (unsigned char *)(uintptr_t)u->in;
	u->gzip.avail_in = in;
	u->gzip.next_out = u->out;
	u->gzip.avail_out = out;
	state = inflate(&u->gzip, Z_NO_FLUSH);
	unpacking_moved(u, in - u->gzip.avail_in, out - u->gzip.avail_out);
	if (state == Z_STREAM_END)	/* zeros, or what is no stream, may follow: gzip passes them over as well */
		u->state = method_of(u->in, u->left) == METHOD_GZIP && inflateReset(&u->gzip) == Z_OK ? GOING : ENDED;
	else if (state == Z_BUF_ERROR || state == Z_OK)
		u->state = u->left == 0 && u->room > 0 ? SHORT : GOING;
	else
		u->state = state == Z_MEM_ERROR ? NO_MEMORY : CORRUPT;
}

static void xz_step(struct unpacking *u)
{
	lzma_ret state;

	u->xz.next_in = u->in;
	u->xz.avail_in = u->left;
	u->xz.next_out = u->out;
	u->xz.avail_out = u->room;
	state = lzma_code(&u->xz, LZMA_FINISH);
	unpacking_moved(u, u->left - u->xz.avail_in, u->room - u->xz.avail_out);
	u->state = state == LZMA_STREAM_END ? ENDED : state == LZMA_OK ? GOING : state == LZMA_BUF_ERROR ? (u->room ? SHORT : GOING) :
		state == LZMA_MEMLIMIT_ERROR ? TOO_LARGE : state == LZMA_MEM_ERROR ? NO_MEMORY : CORRUPT;
}

static void zstd_step(struct unpacking *u)
{
	ZSTD_inBuffer in = { u->in, u->left, 0 };
	ZSTD_outBuffer out = { u->out, u->room, 0 };
	size_t state;

	if (u->left == 0 && u->between) {
		u->state = ENDED;
		return;
	}
	state = ZSTD_decompressStream(u->zstd, &out, &in);
	unpacking_moved(u, in.pos, out.pos);
	u->between = state == 0;
	if (ZSTD_isError(state))
		u->state = ZSTD_getErrorCode(state) == ZSTD_error_frameParameter_windowTooLarge ? TOO_LARGE :
			ZSTD_getErrorCode(state) == ZSTD_error_memory_allocation ? NO_MEMORY : CORRUPT;
	else
		u->state = u->left == 0 && !u->between && u->room > 0 ? SHORT : GOING;
}

static void unpacking_step(struct unpacking *u)
{
	switch (u->method) {
	case METHOD_GZIP: gzip_step(u); break;
	case METHOD_XZ: xz_step(u); break;
	default: zstd_step(u);
	}
}

size_t compressed_head(const void *data, size_t n, char *out, size_t size, bool *whole)
{
	struct unpacking u;

	unpacking_begin(&u, data, n);
	u.out = (unsigned char *)out;
	u.room = size;
	while (u.state == GOING && u.room > 0)
		unpacking_step(&u);
	*whole = u.state == ENDED;
	unpacking_end(&u);
	return size - u.room;
}

static unsigned char *compressed_refuse(const struct unpacking *u, unsigned char *out, size_t at, const char *label, struct error *err)
{
	static const char *const why[] = {
		[SHORT] = "cut off: its compressed data has no end", [CORRUPT] = "its compressed data is corrupt",
		[TOO_LARGE] = "what is compressed in it takes more memory than is allowed: unpack it first", [NO_MEMORY] = "no memory for what is compressed in it",
	};

	error_set(err, u->state == NO_MEMORY ? ERROR_MEMORY : ERROR_CORRUPT, at, "%.200s: %s, at byte %zu", label, why[u->state], at);
	free(out);
	return NULL;
}

unsigned char *compressed_all(const void *data, size_t len, const char *label, size_t *size, struct error *err)
{
	unsigned char *out = NULL, *more;
	struct unpacking u;
	size_t room = 0;

	unpacking_begin(&u, data, len);
	while (u.state == GOING) {
		if (u.room == 0) {
			size_t next = room ? 2 * room : 8 * len + 4096;

			next = next < MOST_BYTES ? next : MOST_BYTES;
			more = next > room ? realloc(out, next) : NULL;
			if (!more) {
				u.state = next > room ? NO_MEMORY : TOO_LARGE;
				break;
			}
			out = more;
			u.out = out + room;
			u.room = next - room;
			room = next;
		}
		unpacking_step(&u);
	}
	*size = room - u.room;
	unpacking_end(&u);
	return u.state == ENDED ? out : compressed_refuse(&u, out, len - u.left, label, err);
}
