/* ingest.h - profiles as pprof to servers that keep such.
 *
 *     Pyroscope  POST /ingest?format=pprof&name=SERVICE{host=...,version=...}&from=SECONDS&until=SECONDS
 *                multipart/form-data: profile, the gzipped pprof; sample_type_config, JSON, what its values are
 *                https://grafana.com/docs/pyroscope/latest/configure-server/about-server-api/
 *     Parca      POST /api/profiles/writeraw
 *                application/json: WriteRawRequest of parca/profilestore/v1alpha1/profilestore.proto, the gzipped pprof in base64
 *
 * Such a server does not know a profile again: one that is sent twice counts twice. */
#ifndef STORE_INGEST_H
#define STORE_INGEST_H

#include <stdio.h>

#include "store/http.h"
#include "store/store.h"

/* What is sent: a pprof of LEN bytes at DATA, of a process with LABELS that ended at `until`, seconds since 1970. */
struct ingest_profile {
	const struct store_labels *labels;
	uint64_t until;
	const void *data;
	size_t len;
};

/* A kind of server, in the file of its name. */
struct ingest_server {
	const char *port;		/* where the URL says none; by TLS that is 443 */
	const char *type;		/* media type of what is posted */
	/* The path and query for P, malloc'ed.  NULL: out of memory. */
	char *(*target)(struct http *h, const struct ingest_profile *p);
	/* Write what is posted for P to OUT; what has a meaning to the server becomes _ in labels.  False: out of memory; OUT, which is memory, may tell that, too. */
	bool (*write)(const struct ingest_profile *p, FILE *out);
};

extern const struct ingest_server ingest_pyroscope, ingest_parca;

struct ingest;

/* The server of the kind KIND at URL, http[s]://[USER[:PASSWORD]@]HOST[:PORT][/PATH], with SILENCE (http.h).  NULL with *ERR set.  Freed with
 * ingest_free. */
struct ingest *ingest_open(const char *url, const struct ingest_server *kind, double silence, struct error *err);
void ingest_free(struct ingest *g);

/* Send it P.  False with *ERR set. */
bool ingest_send(struct ingest *g, const struct ingest_profile *p, struct error *err);

#endif
