/* compressed.h - files that were compressed as a whole: by gzip, xz or zstd.  What comes out is bounded, since compressed zeros grow a thousandfold. */
#ifndef IMPORT_COMPRESSED_H
#define IMPORT_COMPRESSED_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

/* Whether what begins with the N bytes at DATA is compressed by one of them. */
bool compressed_is(const void *data, size_t n);

/* What comes of the N bytes at DATA, which are the beginning or all of a file: into OUT, SIZE bytes at most; how many.  *WHOLE: these are all of it. */
size_t compressed_head(const void *data, size_t n, char *out, size_t size, bool *whole);

/* All that comes of the LEN bytes at DATA of the file LABEL: malloc'ed, *SIZE bytes.  NULL with *ERR set: they are corrupt, cut off, or too large. */
unsigned char *compressed_all(const void *data, size_t len, const char *label, size_t *size, struct error *err);

#endif
