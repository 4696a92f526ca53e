/* import.c - which format a file is of, and the way from its bytes to files of ours. */
#include "read/import/import.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "read/import/format.h"

static const struct import_format *const formats[IMPORT_KINDS] = {
	[IMPORT_CALLGRIND] = &import_callgrind,
	[IMPORT_FOLDED] = &import_folded,
	[IMPORT_SCRIPT] = &import_script,
	[IMPORT_PPROF] = &import_pprof,
	[IMPORT_PERF] = &import_perf,
};

enum { GZIP = 16 + MAX_WBITS };
#define LARGEST_INFLATED (UINT64_C(8) << 30)	/* bytes; compressed zeros grow a thousandfold */

static bool is_gzip(const unsigned char *data, size_t n)
{
	return n >= 2 && data[0] == 0x1f && data[1] == 0x8b;
}

/* Bytes of the mark by which some editors begin a text. */
static size_t mark_length(const void *data, size_t n) { return n >= 3 && memcmp(data, "\357\273\277", 3) == 0 ? 3 : 0; }

size_t import_comments(const void *data, size_t n)
{
	struct lines l = { .data = data, .len = n };

	while (lines_next(&l))
		if (l.n && l.line[0] != '#')
			return l.at;
	return n;
}

static enum import_kind import_kind_of(const char *head, size_t n, bool whole)
{
	size_t mark = mark_length(head, n);

	head += mark;
	n -= mark;
	for (unsigned i = IMPORT_NONE + 1; i < IMPORT_KINDS; i++)
		if (formats[i]->is(head, n, whole))
			return (enum import_kind)i;
	return IMPORT_NONE;
}

/* Inflate the N bytes at DATA, or as much as goes into the SIZE bytes at OUT; returns how many came. */
static size_t inflate_head(const void *data, size_t n, char *out, size_t size, bool *whole)
{
	z_stream z = { .next_in = (unsigned char *)(uintptr_t)data, .avail_in = (unsigned)n, .next_out = (unsigned char *)out, .avail_out = (unsigned)size };

	if (inflateInit2(&z, GZIP) != Z_OK)
		return 0;
	*whole = inflate(&z, Z_SYNC_FLUSH) == Z_STREAM_END;
	inflateEnd(&z);
	return size - z.avail_out;
}

enum import_kind import_kind(const void *head, size_t n)
{
	char plain[IMPORT_HEAD];
	bool whole = n < IMPORT_HEAD;

	if (!is_gzip(head, n))
		return import_kind_of(head, n, whole);
	n = inflate_head(head, n, plain, sizeof plain, &whole);
	return import_kind_of(plain, n, whole);
}

/* All that the LEN bytes at DATA are, inflated: malloc'ed, *SIZE bytes.  NULL with *ERR set. */
static unsigned char *inflate_all(const void *data, size_t len, const char *label, size_t *size, struct error *err)
{
	z_stream z = { .next_in = (unsigned char *)(uintptr_t)data };
	unsigned char *out = NULL, *more;
	size_t room = 0;
	int state = inflateInit2(&z, GZIP);

	*size = 0;
	while (state == Z_OK) {
		if (*size == room) {
			room = room ? 2 * room : 8 * len + 4096;
			more = room <= LARGEST_INFLATED ? realloc(out, room) : NULL;
			if (!more) {
				state = Z_MEM_ERROR;
				break;
			}
			out = more;
		}
		size_t left = len - z.total_in, free_bytes = room - *size;
		z.avail_in = (unsigned)(left < UINT32_MAX ? left : UINT32_MAX);
		z.next_out = out + *size;
		z.avail_out = (unsigned)(free_bytes < UINT32_MAX ? free_bytes : UINT32_MAX);
		state = inflate(&z, Z_NO_FLUSH);
		*size = z.total_out;
	}
	inflateEnd(&z);
	if (state == Z_STREAM_END)
		return out;
	if (state == Z_MEM_ERROR)
		error_set(err, ERROR_MEMORY, ERROR_NO_OFFSET, "%.200s: no memory for what is compressed in it", label);
	else
		error_set(err, ERROR_CORRUPT, z.total_in, "%.200s: %s, at byte %lu", label,
			  state == Z_BUF_ERROR ? "cut off: its compressed data has no end" : "its compressed data is corrupt", z.total_in);
	free(out);
	return NULL;
}

static bool import_read_plain(struct import *m, const unsigned char *data, size_t len, const char *label, struct error *err)
{
	struct amon_header header = { .clock = AMON_CLOCK_TICK, .way = 1u << AMON_WAY_STACKS };
	struct reading r = { .data = data, .len = len, .label = label, .notes = m->notes, .notes_size = sizeof m->notes, .err = err };
	size_t begin = import_comments(data, len), left = len - begin;
	enum import_kind kind = import_kind_of((const char *)data, len < IMPORT_HEAD ? len : IMPORT_HEAD, len < IMPORT_HEAD);

	if (kind == IMPORT_NONE && begin)		/* a long head */
		kind = import_kind_of((const char *)data + begin, left < IMPORT_HEAD ? left : IMPORT_HEAD, left < IMPORT_HEAD);
	r.data += mark_length(data, len);
	r.len -= mark_length(data, len);
	if (kind == IMPORT_NONE)
		return error_set(err, ERROR_NOT_AMON, 0, "%.200s: no profile of a known format", label);
	snprintf(header.origin, sizeof header.origin, "%s", formats[kind]->origin);
	r.builder = m->builder = builder_new(&header, len);
	if (!m->builder)
		return error_no_memory_for(err, label);
	return formats[kind]->read(&r) && (m->n = builder_end(m->builder, label, err)) > 0;
}

bool import_read(struct import *m, const void *data, size_t len, const char *label, struct error *err)
{
	unsigned char *plain = NULL;
	bool ok;

	*m = (struct import){ 0 };
	if (!is_gzip(data, len))
		return import_read_plain(m, data, len, label, err);
	plain = inflate_all(data, len, label, &len, err);
	ok = plain && import_read_plain(m, plain, len, label, err);
	free(plain);
	return ok;
}

void import_free(struct import *m)
{
	builder_free(m->builder);
	*m = (struct import){ 0 };
}
