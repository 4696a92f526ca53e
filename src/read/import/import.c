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

enum { MOST_LAYERS = 4 };		/* of compression, and of texts in wide characters, in each other */

/* Whether the N bytes at DATA are a text of UTF-16, with the mark of its order; *BIG: the higher byte is first. */
static bool wide_is(const void *data, size_t n, bool *big)
{
	*big = n >= 4 && memcmp(data, "\376\377", 2) == 0;
	return *big || (n >= 4 && memcmp(data, "\377\376", 2) == 0);
}

/* That text as UTF-8 into OUT, which has room for 3 bytes of each 2; returns how many. */
static size_t wide_narrow(const unsigned char *data, size_t n, bool big, char *out)
{
	size_t to = 0;

	for (size_t i = 2; i + 1 < n; i += 2) {
		uint32_t c = (uint32_t)data[i + !big] << 8 | data[i + big], low = i + 3 < n ? (uint32_t)data[i + 2 + !big] << 8 | data[i + 2 + big] : 0;

		if (c >> 10 == 0xd800 >> 10 && low >> 10 == 0xdc00 >> 10) {
			c = 0x10000 + ((c & 0x3ff) << 10 | (low & 0x3ff));
			i += 2;
		}
		to += (size_t)(text_utf8(out + to, c) - (out + to));
	}
	return to;
}

/* The same of all *LEN bytes at DATA, which become as many as there are; malloc'ed.  NULL with *ERR set: out of memory. */
static unsigned char *wide_all(const void *data, size_t *len, const char *label, struct error *err)
{
	char *text = malloc(*len + *len / 2 + 1);
	bool big;

	if (!text) {
		error_no_memory_for(err, label);
		return NULL;
	}
	wide_is(data, *len, &big);
	*len = wide_narrow(data, *len, big, text);
	return (unsigned char *)text;
}

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
	bool whole = n < IMPORT_HEAD, big;
	char *plain = NULL;

	for (int layer = 0; layer < MOST_LAYERS && (compressed_is(head, n) || wide_is(head, n, &big)); layer++) {
		char *next = malloc(IMPORT_HEAD + IMPORT_HEAD / 2);

		n = !next ? 0 : compressed_is(head, n) ? compressed_head(head, n, next, IMPORT_HEAD, &whole) : wide_narrow(head, n, big, next);
		free(plain);
		head = plain = next;
	}
	whole = n && import_head_is(head, n, whole);
	free(plain);
	return whole;
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
	bool ok = true, big;

	*m = (struct import){ 0 };
	for (int layer = 0; ok && layer < MOST_LAYERS && (compressed_is(data, len) || wide_is(data, len, &big)); layer++) {
		unsigned char *next = compressed_is(data, len) ? compressed_all(data, len, label, &len, err) : wide_all(data, &len, label, err);

		free(plain);
		data = plain = next;
		ok = next != NULL;
	}
	ok = ok && import_read_plain(m, data, len, label, wishes, err);
	free(plain);
	return ok;
}

void import_free(struct import *m)
{
	builder_free(m->builder);
	sample_labels_free(&m->labels);
	*m = (struct import){ 0 };
}
