/* keys.c - keys, by xxHash. */
#include "store/keys.h"

#include <endian.h>
#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#define COUNT(array) (sizeof (array) / sizeof *(array))

static uint64_t keys_key_of(const void *data, size_t len)
{
	XXH64_hash_t key = XXH3_64bits(data, len);

	return key ? key : 1;
}

/* The key of PREFIX and TEXT, one behind the other. */
static uint64_t keys_text_key(const char *prefix, const char *text)
{
	size_t n = strlen(prefix), m = strlen(text);
	char *both = malloc(n + m);
	uint64_t key;

	if (!both)
		return 0;
	memcpy(both, prefix, n);
	memcpy(both + n, text, m);
	key = keys_key_of(both, n + m);
	free(both);
	return key;
}

static uint64_t words_key(const uint64_t *words, size_t n)
{
	uint64_t little[4];

	for (size_t i = 0; i < n && i < COUNT(little); i++)
		little[i] = htole64(words[i]);
	return keys_key_of(little, n * sizeof *little);
}

uint64_t keys_root(void)
{
	return keys_key_of(NULL, 0);
}

static uint64_t keys_module_key(const struct profile_module *m)
{
	return m->build_id_size ? keys_key_of(m->build_id, m->build_id_size) : keys_text_key("path:", m->path);
}

static uint64_t keys_routine_key(const struct keys *k, const struct profile_routine *r)
{
	uint64_t words[] = { r->module == PROFILE_NONE ? 0 : k->modules[r->module], r->address, r->flags | (uint64_t)r->pseudo << 32 };

	return words_key(words, COUNT(words));
}

static int keys_compare(const void *x, const void *y)
{
	const uint64_t *a = x, *b = y;

	return (*a > *b) - (*a < *b);
}

/* 0: out of memory. */
static uint64_t image_key(const struct keys *k, const struct profile *p)
{
	uint64_t *mains = calloc((size_t)p->nmodules + 1, sizeof *mains), key = 0;
	size_t n = 0;

	for (uint32_t i = 0; mains && i < p->nmodules; i++)
		if (p->modules[i].main_program)
			mains[n++] = k->modules[i];
	if (n) {
		qsort(mains, n, sizeof *mains, keys_compare);
		for (size_t i = 0; i < n; i++)
			mains[i] = htole64(mains[i]);
		key = keys_key_of(mains, n * sizeof *mains);
	} else if (mains) {
		key = keys_text_key("program:", p->nruns ? p->runs[0].header.program : "");
	}
	free(mains);
	return key;
}

bool keys_make(struct keys *k, const struct profile *p)
{
	*k = (struct keys){ .modules = calloc((size_t)p->nmodules + 1, sizeof *k->modules), .routines = calloc((size_t)p->nroutines + 1, sizeof *k->routines),
			    .contexts = calloc((size_t)p->ncontexts + 1, sizeof *k->contexts) };
	if (!k->modules || !k->routines || !k->contexts)
		return false;
	for (uint32_t i = 0; i < p->nmodules; i++)
		if (!(k->modules[i] = keys_module_key(&p->modules[i])))
			return false;
	for (uint32_t i = 0; i < p->nroutines; i++)
		k->routines[i] = keys_routine_key(k, &p->routines[i]);
	k->contexts[0] = keys_root();
	for (uint32_t i = 1; i < p->ncontexts; i++) {
		uint64_t words[] = { k->contexts[p->contexts[i].parent], k->routines[p->contexts[i].routine] };

		k->contexts[i] = words_key(words, COUNT(words));
	}
	k->image = image_key(k, p);
	return k->image != 0;
}

void keys_free(struct keys *k)
{
	free(k->modules);
	free(k->routines);
	free(k->contexts);
}

/* ---- of files ---- */

/* Take in the chunks of the amon.out of LEN bytes at DATA. */
static void chunks_take(XXH3_state_t *state, const unsigned char *data, size_t len)
{
	struct amon_header h;
	size_t end;

	memcpy(&h, data, sizeof h);
	end = h.used < len ? (size_t)h.used : len;
	for (size_t at = AMON_PAGE; at < end;) {
		struct amon_chunk c;
		size_t size = end - at;

		if (size >= sizeof c) {
			memcpy(&c, data + at, sizeof c);
			if (c.size && c.size < size)
				size = (size_t)c.size;
			if (c.kind != AMON_SYMBOLS && c.kind != AMON_FILLER)
				XXH3_128bits_update(state, data + at, size);
		}
		at += size;
	}
	h.used = 0;
	XXH3_128bits_update(state, &h, sizeof h);
}

bool keys_identity(const void *data, size_t len, unsigned char *id)
{
	XXH3_state_t *state = XXH3_createState();
	XXH128_canonical_t canonical;

	if (!state)
		return false;
	XXH3_128bits_reset(state);
	if (len >= sizeof(struct amon_header) && memcmp(data, AMON_MAGIC, strlen(AMON_MAGIC)) == 0)
		chunks_take(state, data, len);
	else
		XXH3_128bits_update(state, data, len);
	XXH128_canonicalFromHash(&canonical, XXH3_128bits_digest(state));
	memcpy(id, canonical.digest, sizeof canonical.digest);
	XXH3_freeState(state);
	return true;
}
