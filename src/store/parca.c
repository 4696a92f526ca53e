/* parca.c - the request that Parca's profilestore.proto documents, by the gateway that it has for HTTP and JSON. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/base64.h"
#include "base/emit.h"
#include "store/ingest.h"

static char *parca_target_make(struct http *h, const struct ingest_profile *p)
{
	(void)h;
	(void)p;
	return strdup("/api/profiles/writeraw");
}

/* P as a string of JSON.  NULL: out of memory. */
static json_t *parca_data_make(const struct ingest_profile *p)
{
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);
	json_t *string = NULL;

	if (!out)
		return NULL;
	base64_write(out, p->data, p->len);
	if (fclose(out) == 0)
		string = json_stringn_nocheck(text, len);
	free(text);
	return string;
}

/* A label; names are Prometheus's: letters, digits, _. */
static void label_emit(struct emit *e, const char *name, const char *value)
{
	char *plain;

	if (!*value)
		return;
	plain = strdup(name);
	for (char *c = plain; c && *c; c++)
		if (!isalnum((unsigned char)*c))
			*c = '_';
	emit_object(e, NULL);
	emit_member(e, "name", plain ? json_string(plain) : NULL);
	emit_member(e, "value", emit_name(value));
	emit_object_end(e);
	free(plain);
}

/* The labels; Parca's first, __name__, is what a kind of profile is called. */
static void labels_emit(struct emit *e, const struct store_labels *labels)
{
	emit_object(e, "labels");
	emit_array(e, "labels");
	label_emit(e, "__name__", "aprof");
	label_emit(e, "service", labels->service);
	label_emit(e, "host", labels->host);
	label_emit(e, "version", labels->version);
	for (size_t i = 0; i < labels->nmore; i++)
		label_emit(e, labels->more[i].name, labels->more[i].value);
	emit_array_end(e);
	emit_object_end(e);
}

static bool request_write(const struct ingest_profile *p, FILE *out)
{
	struct emit e;

	emit_begin(&e, out);
	emit_array(&e, "series");
	emit_object(&e, NULL);
	labels_emit(&e, p->labels);
	emit_array(&e, "samples");
	emit_object(&e, NULL);
	emit_member(&e, "rawProfile", parca_data_make(p));
	emit_object_end(&e);
	emit_array_end(&e);
	emit_object_end(&e);
	emit_array_end(&e);
	emit_member(&e, "normalized", json_true());
	emit_end(&e);
	return !e.failed;
}

const struct ingest_server ingest_parca = {
	.port = "7070",
	.type = "application/json",
	.target = parca_target_make,
	.write = request_write,
};
