/* import.c - which format a file is of, and the way from its bytes to files of ours. */
#include "read/import/import.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "read/import/compressed.h"
#include "read/import/format.h"

/* Of two that read as much of a file the first has it. */
static const struct import_format *const formats[] = {
	&import_perf, &import_gperf, &import_pstats, &import_jfr, &import_speedscope, &import_firefox, &import_chrome_profile, &import_chrome_trace,
	&import_heap, &import_sample, &import_instruments, &import_callgrind, &import_folded, &import_script, &import_pprof,
};

/* Bytes of the mark by which some editors begin a text. */
static size_t mark_length(const void *data, size_t n) { return n >= 3 && memcmp(data, "\357\273\277", 3) == 0 ? 3 : 0; }

size_t import_comments(const void *data, size_t n)
{
	struct lines l = { .data = data, .len = n, .next = mark_length(data, n) };

	while (lines_next(&l))
		if (l.n && l.line[0] != '#')
			return l.at;
	return n;
}

/* The format that reads most of the N bytes at DATA; WHOLE: these are all of the file.  NULL: none reads any. */
static const struct import_format *import_format_of(const char *data, size_t n, bool whole)
{
	size_t mark = mark_length(data, n), most = 0, head = n - mark < IMPORT_HEAD ? n - mark : IMPORT_HEAD;
	const struct import_format *found = NULL;

	for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
		const struct import_format *f = formats[i];
		size_t reads = f->by_all ? f->reads(data + mark, n - mark, whole) : f->reads(data + mark, head, whole && head == n - mark);

		if (reads > most) {
			most = reads;
			found = f;
		}
	}
	return found;
}

/* The same of a head: it may have comments alone. */
static bool import_head_is(const char *head, size_t n, bool whole)
{
	return import_format_of(head, n, whole) || (!whole && n && import_comments(head, n) == n);
}

bool import_is(const void *head, size_t n)
{
	bool whole = n < IMPORT_HEAD, found;
	char *plain;

	if (!compressed_is(head, n))
		return import_head_is(head, n, whole);
	plain = malloc(IMPORT_HEAD);
	if (!plain)
		return false;
	n = compressed_head(head, n, plain, IMPORT_HEAD, &whole);
	found = import_head_is(plain, n, whole);
	free(plain);
	return found;
}

static bool import_read_plain(struct import *m, const unsigned char *data, size_t len, const char *label, const struct import_wishes *wishes, struct error *err)
{
	static const struct import_wishes all;
	struct amon_header header = { .way = 1u << AMON_WAY_STACKS };
	struct reading r = { .data = data, .len = len, .label = label, .notes = m->notes, .notes_size = sizeof m->notes,
		.wishes = wishes ? wishes : &all, .labels = &m->labels, .err = err };
	size_t begin = import_comments(data, len);
	const struct import_format *format = import_format_of((const char *)data, len, true);

	if (!format && begin)			/* a long head */
		format = import_format_of((const char *)data + begin, len - begin, true);
	r.data += mark_length(data, len);
	r.len -= mark_length(data, len);
	if (!format)
		return error_set(err, ERROR_NOT_AMON, 0, "%.200s: no profile of a known format", label);
	snprintf(header.origin, sizeof header.origin, "%s", format->origin);
	r.builder = m->builder = builder_new(&header, len);
	if (!m->builder)
		return error_no_memory_for(err, label);
	if (!format->read(&r))
		return false;
	memcpy(m->sides, r.sides, sizeof m->sides);
	return (m->n = builder_end(m->builder, label, err)) > 0;
}

bool import_read(struct import *m, const void *data, size_t len, const char *label, const struct import_wishes *wishes, struct error *err)
{
	unsigned char *plain = NULL;
	bool ok;

	*m = (struct import){ 0 };
	if (!compressed_is(data, len))
		return import_read_plain(m, data, len, label, wishes, err);
	plain = compressed_all(data, len, label, &len, err);
	ok = plain && import_read_plain(m, plain, len, label, wishes, err);
	free(plain);
	return ok;
}

void import_free(struct import *m)
{
	builder_free(m->builder);
	sample_labels_free(&m->labels);
	*m = (struct import){ 0 };
}
