/* perf_records.c - from one record of a perf.data to the next, and what is compressed in them. */
#include "read/import/perf_records.h"

#include <inttypes.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "base/array.h"

/* Inflated records may have so many bytes: real ones, copies of stacks that are half zeros among them, take a hundredth part when they are compressed. */
#define INFLATED_LEAST	(UINT64_C(64) << 20)
#define INFLATED_MOST	(UINT64_C(8) << 30)
enum { INFLATED_TIMES = 1024 };

/* Bytes that follow the record R, padded; 0 as a rule. */
static uint64_t more_of(const struct perf_file *f, const struct perf_record *r)
{
	struct perf_bytes b = perf_record_body(f, r->at);

	if (r->type == PERF_OWN_AUXTRACE)
		return perf_take(&b, 8);
	return r->type == PERF_OWN_TRACING ? (perf_take(&b, 4) + 7) & ~UINT64_C(7) : 0;
}

enum perf_next perf_record_at(const struct perf_file *f, size_t at, struct perf_record *r)
{
	size_t left = f->data_end - at;
	struct perf_event_header h;

	*r = (struct perf_record){ .at = at };
	if (left < sizeof h)
		return left ? PERF_CUT : PERF_END;
	memcpy(&h, f->bytes + at, sizeof h);
	*r = (struct perf_record){ .at = at, .type = h.type, .misc = h.misc, .size = h.size };
	if (h.size < sizeof h)
		return PERF_MALFORMED;
	if (h.size > left)
		return PERF_CUT;
	r->more = more_of(f, r);
	return r->more <= left - h.size ? PERF_NEXT : PERF_MALFORMED;
}

size_t perf_record_end(const struct perf_record *r) { return r->at + r->size + (size_t)r->more; }

struct perf_bytes perf_record_body(const struct perf_file *f, size_t at)
{
	struct perf_event_header h;

	memcpy(&h, f->bytes + at, sizeof h);
	return (struct perf_bytes){ f->bytes + at + sizeof h, f->bytes + at + h.size, false };
}

bool perf_record_wrong(const struct perf_file *f, size_t at)
{
	struct perf_event_header h;

	memcpy(&h, f->bytes + at, sizeof h);
	return reading_wrong(f->r, at, "a record of type %" PRIu32 " and %u bytes of the perf.data is malformed%s", h.type, h.size, f->inflated ? ", when all are inflated" : "");
}

void perf_record_cut_tell(const struct perf_file *f, const struct perf_record *r)
{
	if (r->size)
		reading_note(f->r, "warning: %.100s: cut off in a record of type %" PRIu32 " and %u bytes, at byte %zu; its whole part is used",
			     f->r->label, r->type, r->size, r->at);
	else
		reading_note(f->r, "warning: %.100s: cut off in a record, at byte %zu; its whole part is used", f->r->label, r->at);
}

/* ---- compressed ones ---- */

static bool is_compressed(const struct perf_record *r) { return r->type == PERF_OWN_COMPRESSED || r->type == PERF_OWN_COMPRESSED_2; }

/* What becomes the bytes of F. */
struct inflating {
	const struct perf_file *f;
	unsigned char *data;		/* malloc'ed */
	size_t n, room;
	uint64_t most;			/* bytes that it may have */
	ZSTD_DStream *stream;		/* all compressed records are one */
};

static bool inflating_reserve(struct inflating *i, size_t more)
{
	if (i->n + more > i->most)
		return error_set(i->f->r->err, ERROR_CORRUPT, ERROR_NO_OFFSET, "%.200s: what is compressed in the perf.data grows beyond all measure", i->f->r->label);
	return array_reserve(&i->data, &i->room, i->n + more, 1) || reading_no_memory(i->f->r);
}

/* The bytes of the record R, which is not compressed; those that follow some are not kept. */
static bool plain_take(struct inflating *i, const struct perf_record *r)
{
	if (r->more)
		return true;
	if (!inflating_reserve(i, r->size))
		return false;
	memcpy(i->data + i->n, i->f->bytes + r->at, r->size);
	i->n += r->size;
	return true;
}

/* What is in R; it may begin and end within a record. */
static bool compressed_take(struct inflating *i, const struct perf_record *r)
{
	struct perf_bytes b = perf_record_body(i->f, r->at);
	uint64_t size = r->type == PERF_OWN_COMPRESSED_2 ? perf_take(&b, 8) : (uint64_t)(b.end - b.at);
	const unsigned char *data = perf_skip(&b, size);
	ZSTD_inBuffer in = { data, size, 0 };

	if (!data)
		return perf_record_wrong(i->f, r->at);
	for (;;) {
		if (!inflating_reserve(i, ZSTD_DStreamOutSize()))
			return false;
		ZSTD_outBuffer out = { i->data + i->n, i->room - i->n, 0 };
		size_t code = ZSTD_decompressStream(i->stream, &out, &in);

		i->n += out.pos;
		if (ZSTD_isError(code))
			return reading_wrong(i->f->r, r->at, "a compressed record of the perf.data is corrupt: %s", ZSTD_getErrorName(code));
		if (out.pos < out.size && in.pos == in.size)
			return true;
	}
}

/* Take all records that are COMPRESSED, or that are not. */
static bool records_take(struct inflating *i, bool compressed)
{
	struct perf_record r;
	enum perf_next next;

	for (size_t at = i->f->data; (next = perf_record_at(i->f, at, &r)) == PERF_NEXT; at = perf_record_end(&r))
		if (is_compressed(&r) == compressed && !(compressed ? compressed_take(i, &r) : plain_take(i, &r)))
			return false;
	if (next == PERF_CUT && !compressed)
		perf_record_cut_tell(i->f, &r);
	return next != PERF_MALFORMED || perf_record_wrong(i->f, r.at);
}

static bool has_compressed(const struct perf_file *f)
{
	struct perf_record r;

	for (size_t at = f->data; perf_record_at(f, at, &r) == PERF_NEXT; at = perf_record_end(&r))
		if (is_compressed(&r))
			return true;
	return false;
}

bool perf_records_inflate(struct perf_file *f)
{
	uint64_t most = INFLATED_LEAST + INFLATED_TIMES * (uint64_t)f->r->len;
	struct inflating i = { .f = f, .most = most < INFLATED_MOST ? most : INFLATED_MOST };
	bool ok;

	if (!has_compressed(f))
		return true;
	i.stream = ZSTD_createDStream();
	ok = i.stream ? records_take(&i, false) && records_take(&i, true) : reading_no_memory(f->r);
	ZSTD_freeDStream(i.stream);
	if (!ok) {
		free(i.data);
		return false;
	}
	f->bytes = f->inflated = i.data;
	f->data = 0;
	f->data_end = i.n;
	return true;
}
