/* definition.c - what an interpreter says that its routines are (aprof_define), and what of it goes into the file.
 *
 * A key is a hash of language, name, file and line, so that one routine has one key in all runs; the next free one where another
 * routine has it.  A definition stays in private memory for ever, since a forked child writes it to a file of its own; it is written
 * with its routine, when that is entered for the first time, and before anything in the file names the routine.
 * All of it under the lock of the process. */
#include "inside/modules/definition.h"

#include <stddef.h>

#include "inside/file/file.h"
#include "inside/machine/memory.h"
#include "inside/modules/module.h"
#include "inside/state.h"
#include "inside/sys.h"
#include "inside/text.h"

enum {
	LONGEST_LANGUAGE = 32,		/* bytes, final NUL included, */
	LONGEST_NAME = 1024,		/* of what is kept */
	LONGEST_FILE = 2048,
	MOST_LANGUAGES = 16,
	FIRST_SLOTS = 1024,
	MOST_SLOTS = 1 << 18,		/* twice as many as there may be definitions */
	BLOCK = 65536,			/* bytes of private memory that are taken at once */
	PART = 16,			/* of the memory bound that definitions may have */
	CHUNK_BYTES = 4 * AMON_PAGE - sizeof(struct amon_chunk),
};

struct language {
	char name[LONGEST_LANGUAGE];
	uint32_t module;		/* index in the file at hand; AMON_NONE: not there yet */
};

struct definition {
	uintptr_t key;
	uint32_t language;		/* index */
	uint32_t line;
	uint32_t name_size, file_size;	/* bytes, final NULs included */
	char strings[];			/* name, then file */
};

static struct language languages[MOST_LANGUAGES];
static uint32_t nlanguages;
static struct definition **slots;	/* open addressing, by key */
static uint32_t nslots, used;
static char *block, *block_end;		/* memory for the next ones */
static uint64_t taken;			/* bytes of it, all blocks */
static struct amon_chunk *chunk OF_PROCESS;	/* the last of the file */

/* ---- strings ---- */

/* Bytes of S that are kept, final NUL included. */
static uint32_t kept(const char *s, uint32_t most)
{
	uint32_t n = 0;

	while (n < most - 1 && s[n])
		n++;
	while (n == most - 1 && n && ((unsigned char)s[n] & 0xc0) == 0x80)	/* not in the middle of a character of UTF-8 */
		n--;
	return n + 1;
}

static uint64_t hash_add(uint64_t hash, const char *s, uint32_t size)
{
	for (uint32_t i = 0; i + 1 < size; i++)
		hash = (hash ^ (unsigned char)s[i]) * UINT64_C(0x100000001b3);
	return (hash ^ 0x100) * UINT64_C(0x100000001b3);
}

static bool is_string(const char *kept_one, const char *s, uint32_t size)
{
	for (uint32_t i = 0; i + 1 < size; i++)
		if (kept_one[i] != s[i])
			return false;
	return true;
}

static void string_copy(char *to, const char *s, uint32_t size)
{
	mem_copy(to, s, size - 1);
	to[size - 1] = 0;
}

/* ---- the table ---- */

static uint32_t language_find(const char *name)
{
	uint32_t size = kept(name, LONGEST_LANGUAGE), i = 0;

	while (i < nlanguages && !(is_string(languages[i].name, name, size) && !languages[i].name[size - 1]))
		i++;
	if (i == MOST_LANGUAGES)
		return i - 1;
	if (i == nlanguages) {
		string_copy(languages[i].name, name, size);
		languages[i].module = AMON_NONE;
		nlanguages++;
	}
	return i;
}

static struct definition **definition_place_of(struct definition **table, uint32_t n, uintptr_t key)
{
	uint32_t i = (uint32_t)(key * UINT64_C(0x9e3779b97f4a7c15) >> 40) & (n - 1);

	while (table[i] && table[i]->key != key)
		i = (i + 1) & (n - 1);
	return &table[i];
}

/* Room for one more.  False: none. */
static bool definition_grow(void)
{
	uint32_t n = nslots ? nslots * 2 : FIRST_SLOTS;
	struct definition **more;

	if (used < nslots / 2)
		return true;
	if (n > MOST_SLOTS || !(more = memory_take(n * sizeof *more, false)))
		return false;
	for (uint32_t i = 0; i < nslots; i++)
		if (slots[i])
			*definition_place_of(more, n, slots[i]->key) = slots[i];
	if (slots)
		memory_forget(slots, nslots * sizeof *slots);
	slots = more;
	nslots = n;
	return true;
}

static void *room_take(size_t size, bool bounded)
{
	void *room;

	size = (size + 7) & ~(size_t)7;
	if (bounded && taken + size > monitor.header->memory_bound / PART)
		return NULL;
	if (size > (size_t)(block_end - block)) {
		if (!(block = memory_take(BLOCK, false))) {
			block_end = NULL;
			return NULL;
		}
		block_end = block + BLOCK;
	}
	room = block;
	block += size;
	taken += size;
	return room;
}

static bool definition_is_same(const struct definition *d, const struct definition *wanted, const char *name, const char *file)
{
	return d->language == wanted->language && d->line == wanted->line && d->name_size == wanted->name_size &&
	       d->file_size == wanted->file_size && is_string(d->strings, name, d->name_size) &&
	       is_string(d->strings + d->name_size, file, d->file_size);
}

/* What WANTED says, of NAME and FILE, added with its key unless it is there.  NULL: no room. */
static struct definition *definition_add(struct definition *wanted, const char *name, const char *file, bool bounded)
{
	struct definition **place, *d;

	if (!definition_grow())
		return NULL;
	while (*(place = definition_place_of(slots, nslots, wanted->key))) {
		if (definition_is_same(*place, wanted, name, file))
			return *place;
		wanted->key = (wanted->key + 16) | AMON_SCRIPT_FIRST;
		wanted->key &= 2 * AMON_SCRIPT_FIRST - 1;
	}
	d = room_take(sizeof *d + wanted->name_size + wanted->file_size, bounded);
	if (!d)
		return NULL;
	*d = *wanted;
	string_copy(d->strings, name, d->name_size);
	string_copy(d->strings + d->name_size, file, d->file_size);
	used++;
	*place = d;
	return d;
}

static struct definition *define(const char *language, const char *name, const char *file, uint32_t line, bool bounded)
{
	struct definition wanted = { .language = language_find(language), .line = line, .name_size = kept(name, LONGEST_NAME),
				     .file_size = kept(file, LONGEST_FILE) };
	uint64_t hash = hash_add(UINT64_C(0xcbf29ce484222325), language, kept(language, LONGEST_LANGUAGE));

	hash = hash_add(hash_add(hash, name, wanted.name_size), file, wanted.file_size) + line;
	hash = (hash ^ hash >> 32) * UINT64_C(0x9e3779b97f4a7c15);
	wanted.key = AMON_SCRIPT_FIRST | (hash >> 21 << 4 & (AMON_SCRIPT_FIRST - 1));
	return definition_add(&wanted, name, file, bounded);
}

uintptr_t definition_key(const char *language, const char *name, const char *file, uint32_t line)
{
	struct definition *d;

	sys_lock(&monitor.lock);
	d = define(language, name, file ? file : "", line, true);
	if (!d)
		d = define(language, "(others)", "", 0, false);
	sys_unlock(&monitor.lock);
	return d ? d->key : AMON_SCRIPT_FIRST;
}

/* ---- in the file ---- */

static uint32_t definition_module_of(uint32_t language)
{
	char path[sizeof AMON_SCRIPT_MODULE + LONGEST_LANGUAGE];
	struct language *l = &languages[language];

	if (l->module == AMON_NONE) {
		mem_copy(path, AMON_SCRIPT_MODULE, sizeof AMON_SCRIPT_MODULE);
		mem_copy(path + sizeof AMON_SCRIPT_MODULE - 1, l->name, str_length(l->name) + 1);
		l->module = module_make(path);
	}
	return l->module;
}

/* Room for SIZE bytes in the chunk; NULL: none. */
static struct amon_script *definition_record_new(uint32_t size)
{
	if (!chunk || chunk->count + size > chunk->capacity) {
		struct amon_chunk *fresh = file_chunk(AMON_SCRIPTS, AMON_NONE, CHUNK_BYTES, 1);

		if (!fresh)
			return NULL;
		chunk = fresh;
	}
	return (struct amon_script *)((char *)chunk + chunk->first + chunk->count);
}

uint32_t definition_record(uintptr_t key, uint32_t index)
{
	const struct definition *d = slots ? *definition_place_of(slots, nslots, key) : NULL;
	uint32_t size, module;
	struct amon_script *r;

	if (!d)
		return AMON_NONE;
	size = (uint32_t)(sizeof *r + d->name_size + d->file_size + 7) & ~7u;
	module = definition_module_of(d->language);
	r = module == AMON_NONE ? NULL : definition_record_new(size);
	if (!r)
		return AMON_NONE;
	*r = (struct amon_script){ .size = size, .routine = index, .line = d->line, .name_size = d->name_size, .file_size = d->file_size };
	mem_copy(r + 1, d->strings, d->name_size + d->file_size);
	__atomic_store_n(&chunk->count, chunk->count + size, __ATOMIC_RELEASE);
	return module;
}

void definition_moved(const struct amon_chunk *from, struct amon_chunk *to)
{
	if (chunk == from)
		chunk = to;
}

void definition_forget(void)
{
	for (uint32_t i = 0; i < nlanguages; i++)
		languages[i].module = AMON_NONE;
	chunk = NULL;
}
