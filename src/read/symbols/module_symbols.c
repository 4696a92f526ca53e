/* module_symbols.c - makes symbols from what is found in a module, each when it is first asked for. */
#include "read/symbols/module.h"

#include <assert.h>
#include <inttypes.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "read/symbols/demangle.h"
#include "read/symbols/eh_frame.h"
#include "read/symbols/icf.h"
#include "read/symbols/language.h"
#include "read/symbols/origin.h"

/* Fill in the place where function I is defined. */
static void set_place(struct module *m, uint32_t i, struct symbol *symbol)
{
	struct debug_info *debug = module_debug_info(m);

	if (debug_function(debug, symbol->start, &symbol->file, &symbol->line)
	    || debug_line(debug, symbol->start, &symbol->file, &symbol->line))
		return;
	symbol->file = function_label(&m->functions, i)->unit;
	symbol->line = 0;
}

/* The first LENGTH bytes of NAME. */
static const char *module_symbols_base_name(struct module *m, const char *name, size_t length)
{
	return name[length] ? arena_copy(m->arena, name, length) : name;
}

/* What the programmer called the function BASE at ADDRESS of M, malloc'ed; NULL: the same. */
static char *written_name(struct module *m, const char *base, uint64_t address)
{
	char *path = NULL, *name = demangle(base);
	enum language language = name ? LANGUAGE_OTHER : debug_language(module_debug_info(m), address, &path);

	if (language == LANGUAGE_UNKNOWN)
		language = language_guess(&m->functions, base);
	if (!name)
		name = language_name(language, base, path);
	free(path);
	return name;
}

/* What to show of the function BASE at ADDRESS: its name as written, unless M's names are as linked.  NULL: out of memory, or BASE is. */
static const char *display_name(struct module *m, const char *base, uint64_t address)
{
	char *readable = base && !m->linked ? written_name(m, base, address) : NULL;
	const char *result = readable ? arena_copy(m->arena, readable, strlen(readable)) : base;

	free(readable);
	return result;
}

/* Write those of the N labels at LABELS but the first that name another function than that, or that name the same, each once, joined by '='. */
static void module_symbols_write_names(FILE *out, const struct label *labels, uint32_t n, bool other)
{
	const char *last = labels[0].name, *before = "";

	for (uint32_t i = 1; i < n; i++)
		if (strcmp(labels[i].name, last) && strcmp(labels[i].name, labels[0].name) && icf_is(&labels[0], &labels[i]) == other) {
			last = labels[i].name;
			fprintf(out, "%s%s", before, last);
			before = "=";
		}
}

/* The other names at the address of FUNCTION, as struct symbol has them. */
static const char *alias_names(const struct functions *f, const struct function *function, struct arena *arena)
{
	const struct label *labels = &f->labels[function->label];
	const char *result = NULL;
	char *text = NULL;
	size_t size = 0, own;
	FILE *out = function->nlabels > 1 ? open_memstream(&text, &size) : NULL;

	if (!out)
		return NULL;
	module_symbols_write_names(out, labels, function->nlabels, false);
	own = ftell(out);
	fputs(own ? "==" : "=", out);
	module_symbols_write_names(out, labels, function->nlabels, true);
	if (fclose(out) == 0) {
		size = size > own + (own ? 2 : 1) ? size : own;
		result = size ? arena_copy(arena, text, size) : NULL;
	}
	free(text);
	return result;
}

static char *make_key(const struct module *m, uint64_t start)
{
	return m->from ? arena_printf(m->arena, "%" PRIu32 ":0x%" PRIx64, m->index, start)
		       : arena_printf(m->arena, ":0x%" PRIx64, start);
}

static struct symbol *make_symbol(struct module *m, uint32_t i)
{
	const struct function *function = &m->functions.functions[i];
	const char *name = function_label(&m->functions, i)->name;
	uint32_t origin = origin_find(m, i);
	struct symbol *symbol = arena_alloc(m->arena, sizeof *symbol);

	if (!symbol)
		return NULL;
	*symbol = (struct symbol){
		.name = name,
		.base = module_symbols_base_name(m, function_label(&m->functions, origin)->name, m->functions.functions[origin].clone.base),
		.origin = m->functions.functions[origin].start,
		.key = make_key(m, m->functions.functions[origin].start),
		.aliases = alias_names(&m->functions, function, m->arena),
		.start = function->start, .size = function->end - function->start,
		.local = function_label(&m->functions, i)->local, .part = function->clone.part, .known = true };
	symbol->display = display_name(m, symbol->base, symbol->origin);
	set_place(m, i, symbol);
	return symbol->display && symbol->key ? symbol : NULL;
}

const struct symbol *module_symbol(struct module *m, uint32_t i)
{
	assert(i < m->functions.nfunctions);
	if (!m->made[i])
		m->made[i] = make_symbol(m, i);
	return m->made[i];
}

static int compare_starts(const void *p, const void *q)
{
	const struct symbol *a = p, *b = q;

	return (a->start > b->start) - (a->start < b->start);
}

/* Set the bounds and the name of what is at ADDRESS: all of a PLT, what the unwind table says is a function there, or all of a mapping of code that no file has. */
static void set_bounds(const struct module *m, uint64_t address, struct symbol *symbol)
{
	const struct area *area = m->present ? binary_area(&m->binary, address) : NULL;
	uint64_t start, end;

	symbol->base = "";
	symbol->start = address;
	if (area && area->plt) {
		symbol->name = symbol->display = symbol->base = "(plt)";
		symbol->start = area->start;
		symbol->size = area->end - area->start;
	} else if (area && unwind_find(&m->binary, address, &start, &end)) {
		symbol->start = start;
		symbol->size = end - start;
	} else if (m->from && profile_is_anonymous(m->from->path, &start)) {
		symbol->start = start;
	}
}

/* "libm.so.6+0x4010": the main program's names go without the file, as those of code that has none. */
static char *nameless_display(const struct module *m, uint64_t start)
{
	const char *slash = m->from ? strrchr(m->from->path, '/') : NULL;

	if (!m->from || m->from->main_program || profile_is_anonymous(m->from->path, NULL))
		return arena_printf(m->arena, "0x%" PRIx64, start);
	return arena_printf(m->arena, "%s+0x%" PRIx64, slash ? slash + 1 : m->from->path, start);
}

/* The symbol of an address that no function of the file covers. */
static const struct symbol *find_nameless(struct module *m, uint64_t address)
{
	struct symbol wanted = { 0 }, *symbol, **node;

	set_bounds(m, address, &wanted);
	node = tfind(&wanted, &m->nameless, compare_starts);
	if (node)
		return *node;
	symbol = arena_alloc(m->arena, sizeof *symbol);
	if (!symbol)
		return NULL;
	*symbol = wanted;
	if (!symbol->name) {
		symbol->name = arena_printf(m->arena, "0x%" PRIx64, symbol->start);
		symbol->display = nameless_display(m, symbol->start);
	}
	symbol->origin = symbol->start;
	symbol->key = make_key(m, symbol->start);
	if (!symbol->name || !symbol->display || !symbol->key || !tsearch(symbol, &m->nameless, compare_starts))
		return NULL;
	return symbol;
}

/* What to show of K, which has a name. */
static const char *packed_display(struct module *m, const struct packed_function *k)
{
	char *readable;
	const char *result;

	if (k->written && !m->linked)
		return k->written;
	readable = m->linked ? NULL : demangle(k->base);
	result = readable ? arena_copy(m->arena, readable, strlen(readable)) : k->base;
	free(readable);
	return result;
}

/* The symbol of the function K, which the profile carries. */
static const struct symbol *make_packed(struct module *m, const struct packed_function *k)
{
	struct symbol *symbol = arena_alloc(m->arena, sizeof *symbol);

	if (!symbol)
		return NULL;
	*symbol = (struct symbol){ .name = k->name, .base = k->base, .origin = k->origin, .key = make_key(m, k->origin), .aliases = k->aliases,
		.file = k->file, .line = k->line, .start = k->start, .size = k->size, .local = k->local, .part = k->part, .known = k->name[0] && k->name[0] != '(' };
	symbol->display = k->base[0] ? packed_display(m, k) : nameless_display(m, k->start);
	if (!k->name[0])
		symbol->name = arena_printf(m->arena, "0x%" PRIx64, k->start);
	return symbol->name && symbol->display && symbol->key ? symbol : NULL;
}

const struct symbol *module_packed(struct module *m, uint32_t i)
{
	struct packed_function *k = &m->packed->functions[i];

	if (!k->made)
		k->made = make_packed(m, k);
	return k->made;
}

const struct symbol *module_find(struct module *m, uint64_t address)
{
	uint32_t i = m->packed ? packed_find(m->packed, address) : PACKED_NONE;

	if (i != PACKED_NONE)
		return module_packed(m, i);
	i = functions_find(&m->functions, address);
	return i == FUNCTION_NONE ? find_nameless(m, address) : module_symbol(m, i);
}
