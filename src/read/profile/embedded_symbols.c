/* embedded_symbols.c - the symbols that a file carries of its modules, as bytes: read/symbols/packed.c knows what is in them. */
#include <stdlib.h>
#include <string.h>

#include "read/profile/reader.h"
#include "read/profile/writer.h"

/* ---- read ---- */

/* The modules of the file, each once, as indices in the profile: malloc'ed, *N of them.  NULL: out of memory. */
static uint32_t *modules_of(const struct reader *r, uint32_t *n)
{
	uint32_t *modules = calloc(r->nmappings + 1, sizeof *modules);
	bool *seen = calloc((size_t)r->p->nmodules + 1, sizeof *seen);

	*n = 0;
	for (size_t i = 0; modules && seen && i < r->nmappings; i++)
		if (!seen[r->mappings[i].module]) {
			seen[r->mappings[i].module] = true;
			modules[(*n)++] = r->mappings[i].module;
		}
	if (!seen) {
		free(modules);
		modules = NULL;
	}
	free(seen);
	return modules;
}

/* Add the records of the chunk C. */
static bool read_chunk(struct reader *r, const struct chunk *c, const uint32_t *modules, uint32_t n)
{
	uint64_t at = c->at + c->head.first, end = at + c->items;
	struct amon_symbols s;

	for (; end - at >= sizeof s; at += s.size) {
		memcpy(&s, r->data + at, sizeof s);
		if (s.size > end - at && r->run.truncated)
			return true;
		if (s.size < sizeof s || s.size % 8 != 0 || s.size > end - at || s.data_size > s.size - sizeof s)
			return reader_corrupt(r, at, "symbols of %u bytes, %llu are left", s.size, (unsigned long long)(end - at));
		if (s.module >= n)
			return reader_corrupt(r, at, "symbols of module %u, there are %u", s.module, n);
		if (!profile_add_symbols(r->p, &(struct profile_symbols){ modules[s.module], (void *)(r->data + at + sizeof s), s.data_size, s.plain_size }))
			return reader_no_memory(r);
	}
	return at == end || r->run.truncated || reader_corrupt(r, at, "%u bytes of a record of symbols", (unsigned)(end - at));
}

bool read_symbols(struct reader *r)
{
	const struct chunk *c;
	uint32_t n, *modules = modules_of(r, &n);
	bool ok = modules || reader_no_memory(r);

	for (size_t i = 0; ok && (c = reader_next(r, AMON_SYMBOLS, &i)) != NULL;)
		ok = read_chunk(r, c, modules, n);
	free(modules);
	return ok;
}

/* ---- write ---- */

static size_t record_size(const struct profile_symbols *s)
{
	return (sizeof(struct amon_symbols) + s->size + 7) / 8 * 8;
}

/* Bytes of the records from number FIRST on. */
static size_t records_size(const struct profile *p, size_t first)
{
	size_t size = 0;

	for (size_t i = first; i < p->nsymbols; i++)
		size += record_size(&p->symbols[i]);
	return size;
}

void *profile_symbols_chunk(const struct profile *p, size_t first, size_t *len, struct error *err)
{
	struct amon_chunk *chunk = writer_bytes(AMON_SYMBOLS, records_size(p, first), len);
	unsigned char *at;

	if (!chunk) {
		error_no_memory(err, "writing symbols");
		return NULL;
	}
	at = (unsigned char *)(chunk + 1);
	for (size_t i = first; i < p->nsymbols; at += record_size(&p->symbols[i++])) {
		const struct profile_symbols *s = &p->symbols[i];
		struct amon_symbols record = { (uint32_t)record_size(s), s->module, s->size, s->plain_size };

		memcpy(at, &record, sizeof record);
		memcpy(at + sizeof record, s->data, s->size);
	}
	return chunk;
}
