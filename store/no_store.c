/* no_store.c - what stands for the store in a build without libcurl or xxHash: nothing. */
#include "store/store.h"

struct store *store_open(const char *url, struct error *err)
{
	(void)url;
	error_set(err, ERROR_STORE, ERROR_NO_OFFSET, "this aprof was built without libcurl or xxHash, which push and pull need");
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
	(void)p;
	(void)symbols;
	(void)labels;
	(void)id;
	return store_put_end(s, err);
}

bool store_put_end(struct store *s, struct error *err)
{
	return store_open(NULL, err) == s;
}

uint64_t store_put_again(const struct store *s)
{
	(void)s;
	return 0;
}

struct profile *store_take(struct store *s, const char *condition, const char *label, uint64_t *n, struct error *err)
{
	(void)condition;
	(void)label;
	(void)n;
	store_put_end(s, err);
	return NULL;
}
