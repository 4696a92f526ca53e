/* import.h - other people's profiles: each becomes the amon.out that aprof would have made of the same stacks, in memory.
 *
 * A file is told by what it begins with, never by its name.  What is not understood is named with its place in the file; nothing is guessed. */
#ifndef IMPORT_H
#define IMPORT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "read/import/profile_builder.h"

enum import_kind {
	IMPORT_NONE,			/* none of these */
	IMPORT_CALLGRIND,		/* callgrind.out: arcs, without contexts */
	IMPORT_FOLDED,			/* `main;parse 12`, a line a stack: flame graphs' */
	IMPORT_SCRIPT,			/* what `perf script` prints */
	IMPORT_PPROF,			/* pprof's profile.proto */
	IMPORT_PERF,			/* perf.data */
	IMPORT_KINDS
};

enum { IMPORT_HEAD = 8192 };		/* bytes by which a file is told, behind lines of comments */

/* Where the first line among the N bytes at DATA is that is no comment; N: none is. */
size_t import_comments(const void *data, size_t n);

/* What the file is whose first N bytes are at HEAD: IMPORT_HEAD of them, or all.  Files compressed by gzip are what is in them. */
enum import_kind import_kind(const void *head, size_t n);

/* What is made of a file. */
struct import {
	struct builder *builder;		/* holds the files: builder_bytes */
	size_t n;			/* how many */
	char notes[600];		/* lines that the user is to read, each ended by a newline; "": none */
};

/* Read the LEN bytes at DATA, called LABEL in messages.  False with *ERR set: they are none of the kinds, corrupt, or memory is short; the text is a
 * whole sentence, with LABEL and where in the file.  Freed with import_free. */
bool import_read(struct import *m, const void *data, size_t len, const char *label, struct error *err);
void import_free(struct import *m);

#endif
