/* source_files.h - finding and reading source files: by the path that debug information names, or where the user says they are now. */
#ifndef SOURCE_FILES_H
#define SOURCE_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/* Where to look. */
struct source_places {
	char **folders;		/* --source-path: each may hold the end of a file's path */
	size_t nfolders;	/* how many */
	char **substitutes;	/* --substitute: FROM=TO, the beginning of a path and what it is now */
	size_t nsubstitutes;	/* how many */
};

struct source_file;

/* A reader of sources; it keeps what it read.  Zero but for PLACES at first, freed with source_reader_free. */
struct source_reader {
	const struct source_places *places; /* not owned */
	struct source_file *files;	/* read so far */
	size_t nfiles;			/* how many */
	const char *changed;		/* one that was changed after NEWEST; NULL: none so far */
	uint64_t newest;		/* when the program ran, ns since 1970; 0: any time will do */
};

/* A report_source: the text of FILE, which the struct source_reader READER owns; its bytes in *LEN.  NULL with *ERR set. */
const char *source_read_file(void *reader, const char *file, size_t *len, struct error *err);

void source_reader_free(struct source_reader *r);

#endif
