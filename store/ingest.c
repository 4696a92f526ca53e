/* ingest.c - the request that Pyroscope documents. */
#include "store/ingest.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "store/http.h"
#include "store/tuples.h"

struct ingest { struct http *http; };

/* What stands between the parts of the form; in deflated data it is not to be met by chance. */
#define BOUNDARY "aprof-7d1f0c5be2a94363b8f6c1d2e3a4057f"

/* What the three values of a sample are (export/pprof.c): all are sums, and none is to be multiplied by a period. */
static const char sample_types[] =
	"{\"time\": {\"units\": \"samples\", \"aggregation\": \"sum\", \"display-name\": \"time\", \"sampled\": false}, "
	"\"calls\": {\"units\": \"objects\", \"aggregation\": \"sum\", \"display-name\": \"calls\", \"sampled\": false}, "
	"\"samples\": {\"units\": \"samples\", \"aggregation\": \"sum\", \"display-name\": \"samples\", \"sampled\": false}}";

struct ingest *ingest_open(const char *url, struct error *err)
{
	static const struct http_kind kind = { .port = "4040", .tls_port = "443", .form = "http[s]://[USER:PASSWORD@]HOST[:PORT][/PATH]" };
	struct ingest *g = calloc(1, sizeof *g);

	if (!g) {
		error_set(err, ERROR_MEMORY, ERROR_NO_OFFSET, "out of memory");
		return NULL;
	}
	g->http = http_open(url, &kind, err);
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

static void plain_print(FILE *out, const char *text)
{
	for (; *text; text++)
		putc(strchr("{},=\"\n", *text) ? '_' : *text, out);
}

static void label_print(FILE *out, const char *name, const char *value, bool *any)
{
	if (!*value)
		return;
	fputs(*any ? "," : "", out);
	*any = true;
	plain_print(out, name);
	putc('=', out);
	plain_print(out, value);
}

/* SERVICE{NAME=VALUE,...}, malloc'ed.  NULL: out of memory. */
static char *name_make(const struct store_labels *labels)
{
	char *name = NULL;
	size_t len;
	FILE *out = open_memstream(&name, &len);
	bool any = false;

	if (!out)
		return NULL;
	plain_print(out, labels->service);
	putc('{', out);
	label_print(out, "host", labels->host, &any);
	label_print(out, "version", labels->version, &any);
	for (size_t i = 0; i < labels->nmore; i++)
		label_print(out, labels->more[i].name, labels->more[i].value, &any);
	putc('}', out);
	if (fclose(out) == 0)
		return name;
	free(name);
	return NULL;
}

static void text_add(struct tuples *body, const char *text)
{
	tuples_bytes(body, text, strlen(text));
}

static void form_make(struct tuples *body, const void *data, size_t len)
{
	text_add(body, "--" BOUNDARY "\r\nContent-Disposition: form-data; name=\"profile\"; filename=\"profile.pprof\"\r\nContent-Type: application/octet-stream\r\n\r\n");
	tuples_bytes(body, data, len);
	text_add(body, "\r\n--" BOUNDARY "\r\nContent-Disposition: form-data; name=\"sample_type_config\"; filename=\"sample_type_config.json\"\r\n"
		 "Content-Type: application/json\r\n\r\n");
	text_add(body, sample_types);
	text_add(body, "\r\n--" BOUNDARY "--\r\n");
}

bool ingest_send(struct ingest *g, const struct store_labels *labels, uint64_t until, const void *data, size_t len, struct error *err)
{
	char *name = name_make(labels), *escaped = name ? http_escape(g->http, name) : NULL, *target = NULL;
	struct tuples body = { 0 };
	bool ok;

	form_make(&body, data, len);
	ok = escaped && !body.failed &&
	     asprintf(&target, "/ingest?format=pprof&name=%s&from=%" PRIu64 "&until=%" PRIu64 "&spyName=aprof", escaped, labels->time, until) >= 0;
	ok = ok ? http_post(g->http, target, "multipart/form-data; boundary=" BOUNDARY, body.data, body.len, err) : error_set(err, ERROR_MEMORY, ERROR_NO_OFFSET, "out of memory");
	tuples_free(&body);
	free(target);
	free(escaped);
	free(name);
	return ok;
}
