/* perf_bytes.h - what a perf.data is made of. */
#ifndef IMPORT_PERF_BYTES_H
#define IMPORT_PERF_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bytes of the file that are read one after the other. */
struct perf_bytes {
	const unsigned char *at, *end;
	bool wrong;			/* more was wanted than there is; what came then was 0 */
};

uint64_t perf_take(struct perf_bytes *b, size_t size);		/* a number of SIZE bytes */
const unsigned char *perf_skip(struct perf_bytes *b, uint64_t n); /* N bytes; NULL: so many there are not */

/* The text that is next, up to a zero byte or the end: malloc'ed copies are the caller's matter.  "" where it has no end. */
const char *perf_text(struct perf_bytes *b);

#endif
