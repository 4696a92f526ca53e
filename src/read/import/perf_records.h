/* perf_records.h - the records of a perf.data, one behind the other.
 *
 * What perf record -z compressed is inflated before any is read: then f->bytes are the records that were not, and behind them those that were. */
#ifndef IMPORT_PERF_RECORDS_H
#define IMPORT_PERF_RECORDS_H

#include "read/import/perf_file.h"

/* Records of perf's own; what the kernel writes is in linux/perf_event.h. */
enum {
	PERF_OWN_FIRST = 64, PERF_OWN_ATTR = 64, PERF_OWN_TRACING = 66, PERF_OWN_BUILD_ID = 67, PERF_OWN_AUXTRACE = 71, PERF_OWN_UPDATE = 78,
	PERF_OWN_FEATURE = 80, PERF_OWN_COMPRESSED = 81, PERF_OWN_COMPRESSED_2 = 83, PERF_OWN_LAST = 84,
};

struct perf_record {
	size_t at;			/* where in f->bytes */
	uint32_t type;
	uint16_t misc, size;		/* size: bytes of it, its header among them */
	uint64_t more;			/* bytes that follow it, and are no records */
};

enum perf_next { PERF_NEXT, PERF_END, PERF_CUT, PERF_MALFORMED };

/* The record at AT of F, where the one before ends.  PERF_CUT: the file ends in it, as R tells if its header is there (else r->size is 0). */
enum perf_next perf_record_at(const struct perf_file *f, size_t at, struct perf_record *r);

/* Where the next one is. */
size_t perf_record_end(const struct perf_record *r);

/* What is behind its header. */
struct perf_bytes perf_record_body(const struct perf_file *f, size_t at);

/* Have the user read that F ends in R. */
void perf_record_cut_tell(const struct perf_file *f, const struct perf_record *r);

/* Say that the record at AT of F is wrong; false. */
bool perf_record_wrong(const struct perf_file *f, size_t at);

/* Inflate what is compressed in F, if anything is.  False with the error set. */
bool perf_records_inflate(struct perf_file *f);

#endif
