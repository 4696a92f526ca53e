/* packed_names.c - the functions that a file of other people's names, as a profile carries them (packed.proto). */
#include <stdlib.h>
#include <string.h>

#include "read/symbols/packed_message.h"
#include "read/symbols/symbols.h"

enum { EMPTY, STRINGS };		/* the first string; two follow for each function, its name and its file, and then those of places and calls */

/* The message in the making, and the memory of its columns. */
struct naming_message {
	Symbols m;
	uint64_t *longs;
	uint32_t *words;
	int64_t *origins;
	protobuf_c_boolean *parts;
};

static void string_set(ProtobufCBinaryData *s, const char *text)
{
	*s = text ? (ProtobufCBinaryData){ strlen(text), (uint8_t *)text } : (ProtobufCBinaryData){ 0, NULL };
}

/* The number of TEXT; an equal one is taken if it is LIKE, or the last one. */
static uint32_t string_add(Symbols *m, const char *text, uint32_t like)
{
	const ProtobufCBinaryData *s = m->string;
	uint32_t last = (uint32_t)m->n_string - 1;
	size_t n = strlen(text);

	if (s[like].len == n && (n == 0 || memcmp(s[like].data, text, n) == 0))
		return like;
	if (s[last].data == (const uint8_t *)text)
		return last;
	string_set(&m->string[m->n_string], text);
	return (uint32_t)m->n_string++;
}

static void functions_fill(Symbols *m, const struct symbols_named *named, size_t n, const uint64_t *sizes)
{
	string_set(&m->string[EMPTY], NULL);
	m->n_string = STRINGS + 2 * n;
	for (size_t i = 0; i < n; i++) {
		uint32_t name = (uint32_t)(STRINGS + 2 * i), file = name + 1;

		string_set(&m->string[name], named[i].name);
		string_set(&m->string[file], named[i].file);
		m->start[i] = named[i].start - (i ? named[i - 1].start : 0);
		m->size[i] = sizes[i];
		m->name[i] = m->stem[i] = name;
		m->file[i] = named[i].file ? file : EMPTY;
		m->line[i] = named[i].line;
	}
}

/* The string that is the file of FUNCTION. */
static uint32_t naming_file_of(uint32_t function) { return STRINGS + 2 * function + 1; }

static void places_fill(Symbols *m, const struct symbols_naming *naming)
{
	for (size_t i = 0; i < naming->nplaces; i++) {
		const struct symbols_named_place *p = &naming->places[i];

		m->at[i] = p->address - (i ? p[-1].address : 0);
		m->within[i] = p->function;
		m->at_file[i] = string_add(m, p->file, naming_file_of(p->function));
		m->at_line[i] = p->line;
	}
}

static void calls_fill(Symbols *m, const struct symbols_naming *naming)
{
	for (size_t i = 0; i < naming->ncalls; i++) {
		const struct symbols_named_call *c = &naming->calls[i];

		m->call_from[i] = c->function;
		m->call_name[i] = string_add(m, c->name, EMPTY);
		m->call_file[i] = string_add(m, c->file, naming_file_of(c->function));
		m->call_line[i] = c->line;
	}
}

/* Give the columns of X their room; false: out of memory. */
static bool naming_message_make(struct naming_message *x, const struct symbols_naming *naming)
{
	size_t n = naming->n, places = naming->nplaces, calls = naming->ncalls;
	Symbols *m = &x->m;

	symbols__init(m);
	x->longs = calloc(2 * n + places + 1, sizeof *x->longs);
	x->words = calloc(3 * n + 4 * places + 4 * calls + 1, sizeof *x->words);
	x->origins = calloc(n + 1, sizeof *x->origins);
	x->parts = calloc(n + 1, sizeof *x->parts);
	m->string = calloc(STRINGS + 2 * n + places + 2 * calls, sizeof *m->string);
	if (!x->longs || !x->words || !x->origins || !x->parts || !m->string)
		return false;
	m->n_start = m->n_size = m->n_name = m->n_stem = m->n_origin = m->n_aliases = m->n_file = m->n_line = m->n_part = n;
	m->n_at = m->n_within = m->n_flags = m->n_at_file = m->n_at_line = m->n_own_file = m->n_own_line = places;
	m->n_call_from = m->n_call_name = m->n_call_file = m->n_call_line = calls;
	m->start = x->longs, m->size = x->longs + n, m->at = x->longs + 2 * n, m->origin = x->origins, m->part = x->parts;
	m->name = m->stem = x->words, m->file = x->words + n, m->line = x->words + 2 * n;
	m->within = x->words + 3 * n, m->at_file = m->own_file = m->within + places, m->at_line = m->own_line = m->at_file + places;
	m->flags = m->at_line + places;
	m->call_from = m->flags + places, m->call_name = m->call_from + calls, m->call_file = m->call_name + calls, m->call_line = m->call_file + calls;
	return true;
}

/* Bytes of each function: up to its last place; NULL: out of memory. */
static uint64_t *sizes_make(const struct symbols_naming *naming)
{
	uint64_t *sizes = calloc(naming->n + 1, sizeof *sizes);

	for (size_t i = 0; sizes && i < naming->n; i++)
		sizes[i] = 1;
	for (size_t i = 0; sizes && i < naming->nplaces; i++) {
		const struct symbols_named_place *p = &naming->places[i];

		sizes[p->function] = p->address - naming->functions[p->function].start + 1;
	}
	return sizes;
}

bool symbols_pack_named(const struct symbols_naming *naming, struct profile_symbols *out)
{
	struct naming_message x = { 0 };
	uint64_t *sizes = sizes_make(naming);
	uint32_t *none = calloc(naming->n + 1, sizeof *none);
	bool ok = sizes && none && naming_message_make(&x, naming);

	*out = (struct profile_symbols){ 0 };
	if (ok) {
		x.m.alone = true;
		x.m.aliases = none;
		functions_fill(&x.m, naming->functions, naming->n, sizes);
		places_fill(&x.m, naming);
		calls_fill(&x.m, naming);
		ok = packed_deflate(&x.m, out);
	}
	free(sizes);
	free(none);
	free(x.longs);
	free(x.words);
	free(x.origins);
	free(x.parts);
	free(x.m.string);
	return ok;
}

static int packed_names_by_start(const void *left, const void *right)
{
	const struct symbols_named *a = left, *b = right;

	return (a->start > b->start) - (a->start < b->start);
}

bool symbols_pack_scripts(const struct profile *p, uint32_t module, struct profile_symbols *out)
{
	struct symbols_named *named = calloc((size_t)p->nscripts + 1, sizeof *named);
	size_t n = 0;
	bool ok;

	for (uint32_t i = 0; named && i < p->nscripts; i++) {
		const struct profile_script *s = &p->scripts[i];
		const struct profile_routine *r = &p->routines[s->routine];

		if (r->module == module)
			named[n++] = (struct symbols_named){ .start = r->address, .name = s->name, .file = *s->file ? s->file : NULL, .line = s->line };
	}
	if (n)
		qsort(named, n, sizeof *named, packed_names_by_start);
	ok = n && symbols_pack_named(&(struct symbols_naming){ .functions = named, .n = n }, out);
	out->module = module;
	free(named);
	return ok;
}
