/* import.h - other people's profiles: each becomes the amon.out that aprof would have made of the same stacks, in memory.
 *
 * A file is told by how much of it the grammar of each format reads, never by its name.  What is not understood is named with its place in the file; nothing
 * is guessed. */
#ifndef IMPORT_H
#define IMPORT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "read/import/labels.h"
#include "read/import/profile_builder.h"

enum { IMPORT_HEAD = 1 << 16 };		/* bytes by which a file is told, behind lines of comments */

/* Where the first line among the N bytes at DATA is that is no comment; N: none is. */
size_t import_comments(const void *data, size_t n);

/* Whether a file is of other people's, by the first N bytes, at HEAD: IMPORT_HEAD of them, or all.  Compressed ones are what is in them, also several times, and UTF-16 with its mark is the text that it stands for.  Of JSON, and of what
 * has no more than comments there, it is told only by all of the file which format it is, if any. */
bool import_is(const void *head, size_t n);

/* What of a file is wanted. */
struct import_wishes {
	char **labels;			/* samples that have each of these labels, KEY=VALUE */
	size_t nlabels;
};

/* What is made of a file. */
struct import {
	struct builder *builder;		/* holds the files: builder_bytes */
	size_t n;			/* how many */
	const char *sides[2];		/* it has two profiles beside each other, to be compared: values of these names, static; NULL: it has one */
	struct sample_labels labels;		/* that samples have, wanted or not */
	char notes[600];		/* lines that the user is to read, each ended by a newline; "": none */
};

/* Read what is wanted of the LEN bytes at DATA, called LABEL in messages; WISHES: NULL: all.  False with *ERR set: they are none of the kinds, corrupt, or memory is short; the text is a
 * whole sentence, with LABEL and where in the file.  Freed with import_free. */
bool import_read(struct import *m, const void *data, size_t len, const char *label, const struct import_wishes *wishes, struct error *err);
void import_free(struct import *m);

#endif
