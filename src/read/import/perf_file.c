/* perf_file.c - header, events and build-ids of a perf.data.
 *
 *     a file     header | events | records | features, which the header tells the places of
 *     a pipe     header | records, among them those that tell of the events and are the features (perf record -o -) */
#include "read/import/perf_file.h"

#include <inttypes.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "read/import/perf_records.h"

/* Numbers of features, and how many there may be. */
enum { FEATURE_BUILD_ID = 2, FEATURE_RELEASE = 4, FEATURE_ARCH = 6, FEATURE_EVENT_DESC = 12, FEATURES = 256 };
enum { HEADER_SIZE = 104, PIPE_HEADER_SIZE = 16, LEAST_ATTR = 64, BUILD_ID_ROOM = 20, BUILD_ID_SIZE_TOLD = 1 << 15 };

/* SIZE bytes at AT of the file; false: there are not so many. */
static bool section(const struct perf_file *f, uint64_t at, uint64_t size, struct perf_bytes *b)
{
	if (at > f->r->len || size > f->r->len - at)
		return false;
	*b = (struct perf_bytes){ f->r->data + at, f->r->data + at + size, false };
	return true;
}

/* ---- events ---- */

/* The event that the ATTR_SIZE bytes at B describe. */
static struct perf_attr attr_take(struct perf_bytes b)
{
	struct perf_attr a = { .type = (uint32_t)perf_take(&b, 4) };
	uint64_t flags;

	perf_take(&b, 4);				/* its size */
	a.config = perf_take(&b, 8);
	a.period = perf_take(&b, 8);
	a.sample_type = perf_take(&b, 8);
	a.read_format = perf_take(&b, 8);
	flags = perf_take(&b, 8);
	a.by_frequency = flags >> 10 & 1;
	a.all_have_ids = flags >> 18 & 1;
	perf_skip(&b, 24);				/* wakeup, breakpoint, config1 and 2 */
	if (b.wrong)
		return a;
	a.branch_type = perf_take(&b, 8);
	a.regs = perf_take(&b, 8);
	return a;
}

static bool ids_add(struct perf_file *f, struct perf_bytes b, uint32_t attr)
{
	while (b.end - b.at >= 8) {
		if (!array_grow(&f->ids, &f->ids_room, f->nids, sizeof *f->ids))
			return reading_no_memory(f->r);
		f->ids[f->nids++] = (struct perf_id){ perf_take(&b, 8), attr };
	}
	return true;
}

static bool attrs_read(struct perf_file *f, uint64_t at, uint64_t size, uint64_t each)
{
	struct perf_bytes b, ids;

	if (each < LEAST_ATTR + 16 || each > 4096 || !section(f, at, size, &b) || size < each)
		return reading_wrong(f->r, 24, "the events of the perf.data, %" PRIu64 " bytes at %" PRIu64 ", are not there or malformed", size, at);
	while ((uint64_t)(b.end - b.at) >= each) {
		struct perf_bytes one = { b.at, b.at + each - 16, false };
		uint64_t where, n;

		perf_skip(&b, each - 16);
		where = perf_take(&b, 8);
		n = perf_take(&b, 8);
		if (!section(f, where, n, &ids))
			return reading_wrong(f->r, (size_t)(one.end - f->r->data), "the numbers of event %" PRIu32 " of the perf.data are not there", f->nattrs + 1);
		if (!array_grow(&f->attrs, &f->attrs_room, f->nattrs, sizeof *f->attrs))
			return reading_no_memory(f->r);
		f->attrs[f->nattrs] = attr_take(one);
		if (!ids_add(f, ids, f->nattrs++))
			return false;
	}
	return true;
}

static int by_id(const void *left, const void *right)
{
	const struct perf_id *a = left, *b = right;

	return (a->id > b->id) - (a->id < b->id);
}

/* Where the number that tells the event is: in samples from their beginning, else from their end; 0: nowhere. */
static size_t id_place(uint64_t type, bool sample)
{
	if (type & PERF_SAMPLE_IDENTIFIER)
		return 8;
	if (!(type & PERF_SAMPLE_ID))
		return 0;
	if (sample)
		return 8 + 8 * (size_t)__builtin_popcountll(type & (PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR));
	return 8 + 8 * (size_t)__builtin_popcountll(type & (PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU));
}

const struct perf_attr *perf_file_attr(const struct perf_file *f, struct perf_bytes b, bool sample)
{
	size_t place = f->nattrs > 1 ? id_place(f->attrs[0].sample_type, sample) : 0;
	struct perf_id wanted = { 0 }, *found;

	if (!place || (!sample && !f->attrs[0].all_have_ids) || (size_t)(b.end - b.at) < place)
		return &f->attrs[0];
	memcpy(&wanted.id, sample ? b.at + place - 8 : b.end - place, 8);
	found = f->nids ? bsearch(&wanted, f->ids, f->nids, sizeof *f->ids, by_id) : NULL;
	return &f->attrs[found ? found->attr : 0];
}

uint64_t perf_file_time(const struct perf_attr *a, struct perf_bytes b, bool sample)
{
	uint64_t type = a->sample_type, before = type & (PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID), time;
	uint64_t behind = type & (PERF_SAMPLE_TIME | PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU | PERF_SAMPLE_IDENTIFIER);
	size_t place = 8 * (size_t)__builtin_popcountll(sample ? before : behind);

	if (!(type & PERF_SAMPLE_TIME) || (!sample && !a->all_have_ids) || (size_t)(b.end - b.at) < place + (sample ? 8 : 0))
		return 0;
	memcpy(&time, sample ? b.at + place : b.end - place, 8);
	return time;
}

/* ---- features ---- */

static bool build_ids_read(struct perf_file *f, struct perf_bytes b)
{
	while (!b.wrong && b.end - b.at >= 8) {
		struct perf_bytes one;
		struct perf_build_id id;
		uint16_t misc, size;

		perf_take(&b, 4);
		misc = (uint16_t)perf_take(&b, 2);
		size = (uint16_t)perf_take(&b, 2);
		one.at = size >= 8 ? perf_skip(&b, size - 8u) : NULL;
		if (!one.at)
			return true;			/* less is known then */
		one.end = b.at;
		one.wrong = false;
		perf_take(&one, 4);			/* pid */
		id.id = perf_skip(&one, BUILD_ID_ROOM);
		id.size = perf_take(&one, 4) & 0xff;
		id.size = misc & BUILD_ID_SIZE_TOLD && id.size <= BUILD_ID_ROOM ? id.size : BUILD_ID_ROOM;
		id.path = perf_text(&one);
		if (one.wrong)
			continue;
		if (!array_grow(&f->build_ids, &f->build_ids_room, f->nbuild_ids, sizeof id))
			return reading_no_memory(f->r);
		f->build_ids[f->nbuild_ids++] = id;
	}
	return true;
}

/* The names of the events, in their order. */
static void names_read(struct perf_file *f, struct perf_bytes b)
{
	uint32_t n = (uint32_t)perf_take(&b, 4), size = (uint32_t)perf_take(&b, 4);

	for (uint32_t i = 0; i < n && i < f->nattrs && !b.wrong; i++) {
		uint32_t nids;
		const unsigned char *name;
		size_t length;

		perf_skip(&b, size);
		nids = (uint32_t)perf_take(&b, 4);
		length = perf_take(&b, 4);
		name = perf_skip(&b, length);
		perf_skip(&b, 8 * (uint64_t)nids);
		if (name && !f->attrs[i].name)
			f->attrs[i].name = strndup((const char *)name, length);
	}
}

static void arch_read(struct perf_file *f, struct perf_bytes b)
{
	perf_take(&b, 4);
	f->other_machine = strcmp(perf_text(&b), "x86_64") != 0;
}

static bool feature_read(struct perf_file *f, unsigned number, struct perf_bytes b)
{
	if (number == FEATURE_BUILD_ID)
		return build_ids_read(f, b);
	if (number == FEATURE_EVENT_DESC)
		names_read(f, b);
	if (number == FEATURE_ARCH)
		arch_read(f, b);
	if (number == FEATURE_RELEASE) {
		perf_take(&b, 4);
		f->release = perf_text(&b);
	}
	return true;
}

/* Behind the records stands for each feature in FLAGS where it is.  A file of a recording that was killed has none. */
static bool features_read(struct perf_file *f, const unsigned char *flags)
{
	struct perf_bytes b, one;

	if (!section(f, f->data_end, f->r->len - f->data_end, &b))
		return true;
	for (unsigned i = 0; i < FEATURES; i++) {
		uint64_t at, size;

		if (!(flags[i / 8] >> i % 8 & 1))
			continue;
		at = perf_take(&b, 8);
		size = perf_take(&b, 8);
		if (b.wrong || !section(f, at, size, &one))
			return true;
		if (!feature_read(f, i, one))
			return false;
	}
	return true;
}

/* ---- the header ---- */

/* The header of a file, behind its SIZE. */
static bool header_read(struct perf_file *f, struct perf_bytes b, uint64_t size)
{
	const struct reading *r = f->r;
	uint64_t each, attrs, attrs_size, data, data_size;
	const unsigned char *flags;

	each = perf_take(&b, 8);
	attrs = perf_take(&b, 8), attrs_size = perf_take(&b, 8);
	data = perf_take(&b, 8), data_size = perf_take(&b, 8);
	perf_skip(&b, 16);
	flags = perf_skip(&b, FEATURES / 8);
	if (b.wrong || size < HEADER_SIZE)
		return reading_wrong(f->r, 8, "the header of the perf.data is cut off or malformed");
	if (data > r->len || data < HEADER_SIZE)
		return reading_wrong(f->r, 40, "the records of the perf.data begin at %" PRIu64 ", where the file has none", data);
	f->data = data;
	f->data_end = data_size && data_size <= r->len - data ? data + data_size : r->len;	/* 0: perf was killed */
	return attrs_read(f, attrs, attrs_size, each) && (f->data_end == r->len || features_read(f, flags)) && perf_records_inflate(f);
}

/* The record of an event: what it is, and its numbers. */
static bool pipe_attr_read(struct perf_file *f, struct perf_bytes b, size_t at)
{
	struct perf_bytes one = b;
	uint32_t size;

	perf_take(&b, 4);
	size = (uint32_t)perf_take(&b, 4);
	if (b.wrong || size < LEAST_ATTR || size > (size_t)(one.end - one.at))
		return perf_record_wrong(f, at);
	b = (struct perf_bytes){ one.at + size, one.end, false };
	one.end = b.at;
	if (!array_grow(&f->attrs, &f->attrs_room, f->nattrs, sizeof *f->attrs))
		return reading_no_memory(f->r);
	f->attrs[f->nattrs] = attr_take(one);
	return ids_add(f, b, f->nattrs++);
}

/* The record that names the event of a number. */
static void pipe_name_read(struct perf_file *f, struct perf_bytes b)
{
	enum { UPDATE_NAME = 2 };
	uint64_t what = perf_take(&b, 8), id = perf_take(&b, 8);
	const char *name = perf_text(&b);

	for (uint32_t i = 0; what == UPDATE_NAME && !b.wrong && i < f->nids; i++)
		if (f->ids[i].id == id && !f->attrs[f->ids[i].attr].name)
			f->attrs[f->ids[i].attr].name = strdup(name);
}

/* What the records of a pipe say of events and files. */
static bool pipe_read(struct perf_file *f)
{
	struct perf_record r;
	bool ok = true;

	for (size_t at = f->data; ok && perf_record_at(f, at, &r) == PERF_NEXT; at = perf_record_end(&r)) {
		struct perf_bytes b = perf_record_body(f, at);
		uint64_t number;

		if (r.type == PERF_OWN_ATTR)
			ok = pipe_attr_read(f, b, at);
		else if (r.type == PERF_OWN_UPDATE)
			pipe_name_read(f, b);
		else if (r.type == PERF_OWN_BUILD_ID)
			ok = build_ids_read(f, (struct perf_bytes){ f->bytes + at, b.end, false });
		else if (r.type == PERF_OWN_FEATURE && (number = perf_take(&b, 8)) < FEATURES)
			ok = feature_read(f, (unsigned)number, b);
	}
	return ok && (f->nattrs || reading_wrong(f->r, f->r->len, "no event in the perf.data, which was written to a pipe"));
}

bool perf_file_open(struct perf_file *f, struct reading *r)
{
	struct perf_bytes b = { r->data, r->data + r->len, false };
	uint64_t size;

	*f = (struct perf_file){ .r = r, .bytes = r->data, .data = PIPE_HEADER_SIZE, .data_end = r->len };
	if (memcmp(r->data, "2ELIFREP", 8) == 0)
		return reading_wrong(r, 0, "a perf.data of a machine with the other order of bytes, which is not read");
	perf_take(&b, 8);
	size = perf_take(&b, 8);
	if (size == PIPE_HEADER_SIZE ? !perf_records_inflate(f) || !pipe_read(f) : !header_read(f, b, size))
		return false;
	if (f->nids)
		qsort(f->ids, f->nids, sizeof *f->ids, by_id);
	return true;
}

void perf_file_free(struct perf_file *f)
{
	for (uint32_t i = 0; i < f->nattrs; i++)
		free(f->attrs[i].name);
	free(f->attrs);
	free(f->ids);
	free(f->build_ids);
	free(f->inflated);
}
