/* perf_bytes.c - numbers and texts, none beyond the end. */
#include "read/import/perf_bytes.h"

#include <string.h>

const unsigned char *perf_skip(struct perf_bytes *b, uint64_t n)
{
	const unsigned char *at = b->at;

	if (b->wrong || (uint64_t)(b->end - b->at) < n) {
		b->wrong = true;
		return NULL;
	}
	b->at += n;
	return at;
}

uint64_t perf_take(struct perf_bytes *b, size_t size)
{
	const unsigned char *at = perf_skip(b, size);
	uint64_t number = 0;

	if (at)
		memcpy(&number, at, size);
	return number;
}

const char *perf_text(struct perf_bytes *b)
{
	const char *text = (const char *)b->at;
	const char *end = b->wrong ? NULL : memchr(text, 0, (size_t)(b->end - b->at));

	if (!end) {
		b->wrong = true;
		return "";
	}
	b->at = (const unsigned char *)end + 1;
	return text;
}
