/* synthetic_routines.c - routines by name, and their names in the file. */
#include "read/stacks/synthetic_routines.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "read/symbols/symbols.h"

enum { WHILE = 250000000 };		/* ns between two writings of names: no more than these are lost with a recorder that is killed */

static uint64_t synthetic_text_hash(uint64_t hash, const char *text)
{
	for (; text && *text; text++)
		hash = hash_mix(hash, (unsigned char)*text);
	return hash_mix(hash, text != NULL);
}

static uint64_t synthetic_name_key(const char *name, const char *file)
{
	return synthetic_text_hash(synthetic_text_hash(0, name), file);
}

static uint64_t synthetic_name_hash(const void *owner, uint32_t i)
{
	const struct synthetic_routine *r = &((const struct synthetic *)owner)->all[i];

	return synthetic_name_key(r->name, r->file);
}

static uint64_t synthetic_address_hash(const void *owner, uint32_t i)
{
	return hash_mix(((const struct synthetic *)owner)->all[i].address, 0);
}

static bool synthetic_is_same(const char *a, const char *b)
{
	return a && b ? strcmp(a, b) == 0 : a == b;
}

static bool synthetic_is_taken(const struct synthetic *m, uint64_t address)
{
	uint64_t i = hash_mix(address, 0);
	uint32_t k;

	while ((k = table_next(&m->by_address, &i)) != UINT32_MAX)
		if (m->all[k].address == address)
			return true;
	return false;
}

static bool synthetic_module_make(struct synthetic *m)
{
	if (m->n > 0)
		return true;
	m->module = recording_module(m->live, &(struct amon_module){ .size = 0 }, m->path);
	if (m->module == RECORDING_NONE)
		return false;
	m->rank = recording_module_rank(m->live, m->module);
	return true;
}

static uint32_t synthetic_add(struct synthetic *m, const struct jit_function *f, uint64_t key)
{
	enum { LEAST = 1 << 20 };
	struct synthetic_routine r = { .line = f->line, .address = key >> 16 | LEAST };

	if (!synthetic_module_make(m) || !array_grow(&m->all, &m->room, m->n, sizeof *m->all) ||
	    !table_reserve(&m->by_name, m->n + 1, synthetic_name_hash, m) ||
	    !table_reserve(&m->by_address, m->n + 1, synthetic_address_hash, m))
		return RECORDING_NONE;
	while (synthetic_is_taken(m, r.address))
		r.address++;
	r.name = arena_copy(&m->names, f->name, strlen(f->name));
	r.file = f->file ? arena_copy(&m->names, f->file, strlen(f->file)) : NULL;
	r.routine = r.name ? recording_routine(m->live, r.address, m->module, 0) : RECORDING_NONE;
	if (r.routine == RECORDING_NONE)
		return RECORDING_NONE;
	m->all[m->n] = r;
	table_add(&m->by_name, key, m->n);
	table_add(&m->by_address, hash_mix(r.address, 0), m->n++);
	return r.routine;
}

uint32_t synthetic_routine(struct synthetic *m, const struct jit_function *f)
{
	uint64_t key = synthetic_name_key(f->name, f->file), i = key;
	uint32_t k;

	while ((k = table_next(&m->by_name, &i)) != UINT32_MAX)
		if (strcmp(m->all[k].name, f->name) == 0 && synthetic_is_same(m->all[k].file, f->file))
			return m->all[k].routine;
	return synthetic_add(m, f, key);
}

static int synthetic_by_start(const void *left, const void *right)
{
	const struct symbols_named *a = left, *b = right;

	return (a->start > b->start) - (a->start < b->start);
}

/* Names of the routines from number `written` on. */
static void synthetic_write_names(struct synthetic *m)
{
	uint32_t n = m->n - m->written;
	struct symbols_named *named = calloc(n, sizeof *named);
	struct profile_symbols packed = { 0 };

	for (uint32_t i = 0; named && i < n; i++) {
		const struct synthetic_routine *r = &m->all[m->written + i];

		named[i] = (struct symbols_named){ r->address, r->name, r->file, r->line };
	}
	if (named)
		qsort(named, n, sizeof *named, synthetic_by_start);
	if (named && symbols_pack_named(&(struct symbols_naming){ .functions = named, .n = n }, &packed) && recording_symbols(m->live, m->rank, &packed))
		m->written = m->n;
	free(packed.data);
	free(named);
}

void synthetic_write(struct synthetic *m, uint64_t time)
{
	if (m->n == m->written || time < m->next)
		return;
	synthetic_write_names(m);
	m->next = time + WHILE;
}

void synthetic_end(struct synthetic *m)
{
	if (m->n > m->written)
		synthetic_write_names(m);
	arena_free(&m->names);
	free(m->all);
	table_free(&m->by_name);
	table_free(&m->by_address);
	*m = (struct synthetic){ 0 };
}
