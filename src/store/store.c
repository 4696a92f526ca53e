/* store.c - a store, opened and closed. */
#include <stdlib.h>

#include "store/keys.h"
#include "store/store_private.h"

struct store *store_open(const char *url, double silence, struct error *err)
{
	struct store *s = calloc(1, sizeof *s);

	if (!s) {
		error_no_memory(err, NULL);
		return NULL;
	}
	s->known = (struct key_table){ .size = sizeof(struct known), .key = sizeof(struct known) };
	s->http = http_open(url, &http_clickhouse, silence, err);
	if (s->http)
		return s;
	free(s);
	return NULL;
}

void store_free(struct store *s)
{
	if (!s)
		return;
	http_free(s->http);
	for (int i = 0; i < TABLES; i++)
		tuples_free(&s->tables[i]);
	key_table_free(&s->known);
	free(s);
}

bool store_identity(const void *data, size_t len, unsigned char id[16])
{
	return keys_identity(data, len, id);
}
