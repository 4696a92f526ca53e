/* no_store.c - what stands for the store in a build without libcurl or xxHash: nothing. */
#include "store/ingest.h"
#include "store/store.h"

static bool no_store_missing(struct error *err)
{
	return error_set(err, ERROR_STORE, ERROR_NO_OFFSET, "this aprof was built without libcurl or xxHash, which push and pull need");
}

struct store *store_open(const char *url, double silence, struct error *err)
{
	(void)url;
	(void)silence;
	no_store_missing(err);
	return NULL;
}

void store_free(struct store *s)
{
	(void)s;
}

bool store_identity(const void *data, size_t len, unsigned char id[16])
{
	(void)data;
	(void)len;
	(void)id;
	return false;
}

bool store_put(struct store *s, const struct profile *p, struct symbols *symbols, const struct store_labels *labels, const unsigned char id[16], struct error *err)
{
	(void)s;
	(void)p;
	(void)symbols;
	(void)labels;
	(void)id;
	return no_store_missing(err);
}

bool store_put_end(struct store *s, struct error *err)
{
	(void)s;
	return no_store_missing(err);
}

uint64_t store_put_again(const struct store *s)
{
	(void)s;
	return 0;
}

struct profile *store_take(struct store *s, const char *condition, const char *label, uint64_t *n, struct error *err)
{
	(void)s;
	(void)condition;
	(void)label;
	(void)n;
	no_store_missing(err);
	return NULL;
}

const struct ingest_server ingest_pyroscope, ingest_parca;

struct ingest *ingest_open(const char *url, const struct ingest_server *kind, double silence, struct error *err)
{
	(void)url;
	(void)silence;
	(void)kind;
	no_store_missing(err);
	return NULL;
}

void ingest_free(struct ingest *g)
{
	(void)g;
}

bool ingest_send(struct ingest *g, const struct ingest_profile *p, struct error *err)
{
	(void)g;
	(void)p;
	return no_store_missing(err);
}
