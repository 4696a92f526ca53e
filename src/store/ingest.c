/* ingest.c - what is the same for all servers that take pprof. */
#include "store/ingest.h"

#include <stdlib.h>

struct ingest {
	const struct ingest_server *kind;
	struct http *http;
};

struct ingest *ingest_open(const char *url, const struct ingest_server *kind, double silence, struct error *err)
{
	const struct http_kind http = { .port = kind->port, .tls_port = "443", .form = "http[s]://[USER:PASSWORD@]HOST[:PORT][/PATH]" };
	struct ingest *g = calloc(1, sizeof *g);

	if (!g) {
		error_no_memory(err, NULL);
		return NULL;
	}
	g->kind = kind;
	g->http = http_open(url, &http, silence, err);
	if (g->http)
		return g;
	free(g);
	return NULL;
}

void ingest_free(struct ingest *g)
{
	if (!g)
		return;
	http_free(g->http);
	free(g);
}

/* What is posted for P: *LEN bytes, malloc'ed.  NULL: out of memory. */
static char *body_make(const struct ingest_server *kind, const struct ingest_profile *p, size_t *len)
{
	char *body = NULL;
	FILE *out = open_memstream(&body, len);
	bool whole;

	if (!out)
		return NULL;
	whole = kind->write(p, out) && !ferror(out);
	if (fclose(out) == 0 && whole)
		return body;
	free(body);
	return NULL;
}

bool ingest_send(struct ingest *g, const struct ingest_profile *p, struct error *err)
{
	size_t len;
	char *target = g->kind->target(g->http, p), *body = body_make(g->kind, p, &len);
	bool ok = target && body ? http_post(g->http, target, g->kind->type, body, len, err) : error_no_memory(err, NULL);

	free(body);
	free(target);
	return ok;
}
