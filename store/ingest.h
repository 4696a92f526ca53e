/* ingest.h - profiles as pprof to a server that keeps such: Pyroscope's POST /ingest.
 *
 *     POST /ingest?format=pprof&name=SERVICE{host=...,version=...}&from=SECONDS&until=SECONDS
 *     multipart/form-data: profile, the gzipped pprof; sample_type_config, JSON, what its values are
 *
 * https://grafana.com/docs/pyroscope/latest/configure-server/about-server-api/ has the words.  Such a server does not know a profile again: one that is sent twice counts twice. */
#ifndef STORE_INGEST_H
#define STORE_INGEST_H

#include "store/store.h"

struct ingest;

/* The server at URL, http[s]://[USER[:PASSWORD]@]HOST[:PORT][/PATH]; without a port 4040, or 443.  NULL with *ERR set.  Freed with ingest_free. */
struct ingest *ingest_open(const char *url, struct error *err);
void ingest_free(struct ingest *g);

/* Send it the pprof of LEN bytes at DATA, of a process with LABELS that ended at UNTIL, seconds since 1970.  In names and values what has a meaning in `name` becomes _.  False with *ERR set. */
bool ingest_send(struct ingest *g, const struct store_labels *labels, uint64_t until, const void *data, size_t len, struct error *err);

#endif
