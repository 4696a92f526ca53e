/* packed_names.c - the functions that a file of other people's names, as a profile carries them (packed.proto). */
#include <stdlib.h>
#include <string.h>

#include "read/symbols/packed_message.h"
#include "read/symbols/symbols.h"

enum { EMPTY, STRINGS };		/* the first string; two follow for each function: its name and its file */

static void string_set(ProtobufCBinaryData *s, const char *text)
{
	*s = text ? (ProtobufCBinaryData){ strlen(text), (uint8_t *)text } : (ProtobufCBinaryData){ 0, NULL };
}

/* Set every column of M, whose arrays have room for N. */
static void columns_fill(Symbols *m, const struct symbols_named *named, size_t n)
{
	string_set(&m->string[EMPTY], NULL);
	for (size_t i = 0; i < n; i++) {
		uint32_t name = (uint32_t)(STRINGS + 2 * i), file = name + 1;

		string_set(&m->string[name], named[i].name);
		string_set(&m->string[file], named[i].file);
		m->start[i] = named[i].start - (i ? named[i - 1].start : 0);
		m->size[i] = 1;
		m->name[i] = m->stem[i] = name;
		m->file[i] = named[i].file ? file : EMPTY;
		m->line[i] = named[i].line;
	}
}

bool symbols_pack_named(const struct symbols_named *named, size_t n, struct profile_symbols *out)
{
	Symbols m = SYMBOLS__INIT;
	uint64_t *longs = calloc(2 * n + 1, sizeof *longs);
	uint32_t *words = calloc(4 * n + 1, sizeof *words);
	int64_t *origins = calloc(n + 1, sizeof *origins);
	protobuf_c_boolean *parts = calloc(n + 1, sizeof *parts);
	bool ok;

	*out = (struct profile_symbols){ 0 };
	m.string = calloc(STRINGS + 2 * n, sizeof *m.string);
	ok = longs && words && origins && parts && m.string;
	if (ok) {
		m.n_string = STRINGS + 2 * n;
		m.n_start = m.n_size = m.n_name = m.n_stem = m.n_origin = m.n_aliases = m.n_file = m.n_line = m.n_part = n;
		m.start = longs, m.size = longs + n, m.origin = origins, m.part = parts;
		m.name = words, m.stem = words, m.file = words + n, m.line = words + 2 * n, m.aliases = words + 3 * n;
		m.alone = true;
		columns_fill(&m, named, n);
		ok = packed_deflate(&m, out);
	}
	free(longs);
	free(words);
	free(origins);
	free(parts);
	free(m.string);
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
	ok = n && symbols_pack_named(named, n, out);
	out->module = module;
	free(named);
	return ok;
}
