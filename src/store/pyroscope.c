/* pyroscope.c - the request that Pyroscope documents. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "store/ingest.h"

/* What stands between the parts of the form; in deflated data it is not to be met by chance. */
#define BOUNDARY "aprof-7d1f0c5be2a94363b8f6c1d2e3a4057f"

/* What the three values of a sample are (show/export/pprof.c): all are sums, and none is to be multiplied by a period. */
static const char sample_types[] =
	"{\"time\": {\"units\": \"samples\", \"aggregation\": \"sum\", \"display-name\": \"time\", \"sampled\": false}, "
	"\"calls\": {\"units\": \"objects\", \"aggregation\": \"sum\", \"display-name\": \"calls\", \"sampled\": false}, "
	"\"samples\": {\"units\": \"samples\", \"aggregation\": \"sum\", \"display-name\": \"samples\", \"sampled\": false}}";

static void pyroscope_plain_print(FILE *out, const char *text)
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
	pyroscope_plain_print(out, name);
	putc('=', out);
	pyroscope_plain_print(out, value);
}

/* SERVICE{NAME=VALUE,...}, malloc'ed.  NULL: out of memory. */
static char *pyroscope_name_make(const struct store_labels *labels)
{
	char *name = NULL;
	size_t len;
	FILE *out = open_memstream(&name, &len);
	bool any = false;

	if (!out)
		return NULL;
	pyroscope_plain_print(out, labels->service);
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

static char *pyroscope_target_make(struct http *h, const struct ingest_profile *p)
{
	char *name = pyroscope_name_make(p->labels), *escaped = name ? http_escape(h, name) : NULL, *target = NULL;

	if (escaped && asprintf(&target, "/ingest?format=pprof&name=%s&from=%" PRIu64 "&until=%" PRIu64 "&spyName=aprof", escaped, p->labels->time, p->until) < 0)
		target = NULL;
	free(escaped);
	free(name);
	return target;
}

static bool form_write(const struct ingest_profile *p, FILE *out)
{
	fputs("--" BOUNDARY "\r\nContent-Disposition: form-data; name=\"profile\"; filename=\"profile.pprof\"\r\nContent-Type: application/octet-stream\r\n\r\n", out);
	fwrite(p->data, 1, p->len, out);
	fprintf(out, "\r\n--" BOUNDARY "\r\nContent-Disposition: form-data; name=\"sample_type_config\"; filename=\"sample_type_config.json\"\r\n"
		"Content-Type: application/json\r\n\r\n%s\r\n--" BOUNDARY "--\r\n", sample_types);
	return true;
}

const struct ingest_server ingest_pyroscope = {
	.port = "4040",
	.type = "multipart/form-data; boundary=" BOUNDARY,
	.target = pyroscope_target_make,
	.write = form_write,
};
