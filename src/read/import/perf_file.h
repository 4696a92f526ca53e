/* perf_file.h - perf.data: what its header says, and its records one by one (linux/perf_event.h; tools/perf/Documentation/perf.data-file-format.txt).
 *
 * Nothing in the file is trusted: every offset and every size is checked before anything is read there. */
#ifndef IMPORT_PERF_FILE_H
#define IMPORT_PERF_FILE_H

#include "read/import/format.h"
#include "read/import/perf_bytes.h"

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
	const unsigned char *bytes;	/* in which the records are: the file, or what was compressed in it */
	unsigned char *inflated;	/* the same, malloc'ed; NULL: nothing was compressed */
	size_t data, data_end;		/* where the records are in them */
	struct perf_attr *attrs;
	uint32_t nattrs;
	size_t attrs_room;
	struct perf_id *ids;		/* sorted */
	uint32_t nids;
	size_t ids_room;
	struct perf_build_id *build_ids;
	uint32_t nbuild_ids;
	size_t build_ids_room;
	const char *release;		/* of the kernel, as uname has it; NULL: not said */
	bool other_machine;		/* it is not of x86-64: registers mean something else */
};

/* Read header, events and build-ids, and inflate what is compressed.  False with the error set.  Freed with perf_file_free in any case. */
bool perf_file_open(struct perf_file *f, struct reading *r);
void perf_file_free(struct perf_file *f);

/* The event of the record that is B, a sample or with the end of one. */
const struct perf_attr *perf_file_attr(const struct perf_file *f, struct perf_bytes b, bool sample);

/* When that record was made; 0: it does not say. */
uint64_t perf_file_time(const struct perf_attr *a, struct perf_bytes b, bool sample);

#endif
