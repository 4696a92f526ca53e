/* perf_file.h - perf.data: what its header says, and its records one by one (linux/perf_event.h; tools/perf/Documentation/perf.data-file-format.txt).
 *
 * Nothing in the file is trusted: every offset and every size is checked before anything is read there. */
#ifndef IMPORT_PERF_FILE_H
#define IMPORT_PERF_FILE_H

#include "read/import/format.h"

/* An event that was sampled. */
struct perf_attr {
	uint32_t type;
	uint64_t config, period;	/* as asked for */
	bool by_frequency;		/* period is a frequency */
	bool all_have_ids;		/* records that are no samples end with a part of one */
	uint64_t sample_type, read_format, branch_type, regs; /* bits */
	char *name;			/* malloc'ed; NULL: not said */
};

/* What identifies an event's samples. */
struct perf_id { uint64_t id; uint32_t attr; };

/* A file of code of which the build-id is said. */
struct perf_build_id {
	const char *path;		/* in the file, ended */
	const uint8_t *id;
	size_t size;			/* bytes of it */
};

struct perf_file {
	struct reading *r;
	size_t data, data_end;		/* where the records are */
	struct perf_attr *attrs;
	uint32_t nattrs;
	size_t attrs_room;
	struct perf_id *ids;		/* sorted */
	uint32_t nids;
	size_t ids_room;
	struct perf_build_id *build_ids;
	uint32_t nbuild_ids;
	size_t build_ids_room;
	bool other_machine;		/* it is not of x86-64: registers mean something else */
};

/* Bytes of the file that are read one after the other. */
struct perf_bytes {
	const unsigned char *at, *end;
	bool wrong;			/* more was wanted than there is; what came then was 0 */
};

uint64_t perf_take(struct perf_bytes *b, size_t size);		/* a number of SIZE bytes */
const unsigned char *perf_skip(struct perf_bytes *b, uint64_t n); /* N bytes; NULL: so many there are not */

/* The text that is next, up to a zero byte or the end: malloc'ed copies are the caller's matter.  "" where it has no end. */
const char *perf_text(struct perf_bytes *b);

/* Read header, events and build-ids.  False with the error set.  Freed with perf_file_free in any case. */
bool perf_file_open(struct perf_file *f, struct reading *r);
void perf_file_free(struct perf_file *f);

/* The event of the record that is B, a sample or with the end of one. */
const struct perf_attr *perf_file_attr(const struct perf_file *f, struct perf_bytes b, bool sample);

/* When that record was made; 0: it does not say. */
uint64_t perf_file_time(const struct perf_attr *a, struct perf_bytes b, bool sample);

#endif
