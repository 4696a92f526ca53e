/* module.c - opens the file of a module and makes symbols from what is found there. */
#include "symbols/module.h"

#include <inttypes.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "symbols/demangle.h"
#include "symbols/hook_calls.h"
#include "symbols/origin.h"
#include "symbols/eh_frame.h"

void module_init(struct module *m, const struct profile_module *from, uint32_t index, struct arena *arena)
{
	memset(m, 0, sizeof *m);
	m->from = from;
	m->index = index;
	m->arena = arena;
}

/* Write the SIZE bytes at ID as hexadecimal digits. */
static void build_id_text(char text[65], const uint8_t *id, size_t size)
{
	strcpy(text, "none");
	for (size_t i = 0; i < size && i < 32; i++)
		snprintf(text + 2 * i, 3, "%02x", id[i]);
}

bool module_matches(const struct module *m, const struct binary *b)
{
	const uint8_t *id;
	size_t size = binary_build_id(b, &id);

	if (!m->from->build_id_size)
		return true;
	return size == m->from->build_id_size && !memcmp(id, m->from->build_id, size);
}

bool module_refuse(const struct module *m, const char *path, const struct binary *b, struct error *err)
{
	char has[65], wants[65];
	const uint8_t *id;
	size_t size = binary_build_id(b, &id);

	build_id_text(has, id, size);
	build_id_text(wants, m->from->build_id, m->from->build_id_size);
	return error_set(err, ERROR_BUILD_ID, ERROR_NO_OFFSET,
			 "%.80s: not the file that was profiled: its build-id is %s, the profile's %s", path, has, wants);
}

bool module_use(struct module *m, struct binary *b, struct error *err)
{
	m->opened = true;
	m->binary = *b;
	if (functions_read(&m->functions, &m->binary, m->arena))
		m->made = calloc((size_t)m->functions.nfunctions + 1, sizeof *m->made);
	m->present = m->made != NULL;
	if (m->present)
		return true;
	module_close(m);
	m->opened = true;
	return error_set(err, ERROR_MEMORY, ERROR_NO_OFFSET, "%s: out of memory", m->from->path);
}

/* Open the file at PATH, or the vDSO in its place. */
static bool open_path(const char *path, struct binary *b, const Dwfl_Callbacks *callbacks, struct error *err)
{
	struct error ignored;

	if (path[0] != '[')
		return path[0] && binary_open(b, path, callbacks, err);
	return !strcmp(path, "[vdso]") && binary_open_vdso(b, callbacks, &ignored);
}

/* Use the file at PATH, if it is the module. */
static bool open_at(struct module *m, const char *path, const Dwfl_Callbacks *callbacks, struct error *err)
{
	struct binary b;

	if (!open_path(path, &b, callbacks, err))
		return false;
	if (module_matches(m, &b))
		return module_use(m, &b, err);
	if (path[0] != '[')
		module_refuse(m, path, &b, err);
	binary_close(&b);
	return false;
}

/* A module that several runs had at several places, one of them perhaps a copy that is gone, is taken from where it still is;
 * if it is nowhere, the error is that of the first place. */
bool module_open(struct module *m, const Dwfl_Callbacks *callbacks, struct error *err)
{
	struct error ignored;

	m->opened = true;
	error_set(err, ERROR_NONE, ERROR_NO_OFFSET, "no file");
	if (!m->from)
		return false;
	if (open_at(m, m->from->path, callbacks, err))
		return true;
	for (uint32_t i = 0; i < m->from->nalso; i++)
		if (open_at(m, m->from->also[i], callbacks, &ignored))
			return true;
	return false;
}

static void keep(void *node)
{
	(void)node;
}

void module_close(struct module *m)
{
	bool linked = m->linked;

	tdestroy(m->nameless, keep);
	free(m->made);
	hook_code_free(m->hook_code);
	hook_state_free(m->hook_state);
	source_free(&m->source);
	functions_free(&m->functions);
	if (m->binary.dwfl)
		binary_close(&m->binary);
	module_init(m, m->from, m->index, m->arena);
	m->linked = linked;
}

/* The reader of hooks, with function I read; NULL: it cannot be. */
static const struct hook_code *hook_code_of(struct module *m, uint32_t i)
{
	if (!m->hook_code_known) {
		m->hook_code = hook_code_new(&m->binary);
		m->hook_code_known = true;
		m->hook_function = FUNCTION_NONE;
	}
	if (m->hook_code && m->hook_function != i)
		m->hook_function = hook_code_read(m->hook_code, m->functions.functions[i].start, m->functions.functions[i].end) ? i : FUNCTION_NONE;
	return m->hook_code && m->hook_function == i ? m->hook_code : NULL;
}

bool module_in_hooks(struct module *m, uint64_t address)
{
	uint32_t i = m->present ? functions_find(&m->functions, address) : FUNCTION_NONE;
	const struct hook_code *code;

	if (i == FUNCTION_NONE)
		return false;
	if (hooks_is_aprof(function_label(&m->functions, i)->name))
		return true;
	code = hook_code_of(m, i);
	return code && hook_code_has(code, address);
}

/* The same for where they are done. */
static const struct hook_state *hook_state_of(struct module *m, uint32_t i)
{
	const struct function *f = &m->functions.functions[i];
	bool is_cold = strstr(function_label(&m->functions, i)->name, ".cold");

	if (!m->hook_state_known) {
		m->hook_state = hook_state_new(&m->binary);
		m->hook_state_known = true;
		m->state_function = FUNCTION_NONE;
	}
	if (m->hook_state && m->state_function != i)
		m->state_function = hook_state_read(m->hook_state, f->start, f->end, is_cold) ? i : FUNCTION_NONE;
	return m->hook_state && m->state_function == i ? m->hook_state : NULL;
}

bool module_is_open(struct module *m, uint64_t address)
{
	uint32_t i = m->present ? functions_find(&m->functions, address) : FUNCTION_NONE;
	const struct hook_state *state = i == FUNCTION_NONE ? NULL : hook_state_of(m, i);

	return state && hook_state_is_open(state, address);
}

struct source *module_source(struct module *m)
{
	if (!m->source_known && m->present && !source_read(&m->source, &m->binary))
		source_free(&m->source);
	m->source_known = true;
	return &m->source;
}

/* Fill in the place where function I is defined. */
static void set_place(struct module *m, uint32_t i, struct symbol *symbol)
{
	struct source *source = module_source(m);

	if (source_function(source, symbol->start, &symbol->file, &symbol->line)
	    || source_line(source, symbol->start, &symbol->file, &symbol->line))
		return;
	symbol->file = function_label(&m->functions, i)->unit;
	symbol->line = 0;
}

/* What to show of the first LENGTH bytes of NAME: demangled, unless M's names are as linked. */
static const char *display_name(struct module *m, const char *name, size_t length)
{
	char *base = name[length] ? arena_copy(m->arena, name, length) : NULL;
	const char *plain = name[length] ? base : name;
	char *readable = plain && !m->linked ? demangle(plain) : NULL;
	const char *result = readable ? arena_copy(m->arena, readable, strlen(readable)) : plain;

	free(readable);
	return result;
}

/* The other names of function F, each once. */
static const char *alias_names(const struct functions *f, const struct function *function, struct arena *arena)
{
	const struct label *labels = &f->labels[function->label];
	const char *last = labels[0].name, *result = NULL;
	char *text = NULL;
	size_t size = 0;
	FILE *out = function->nlabels > 1 ? open_memstream(&text, &size) : NULL;

	for (uint32_t i = 1; out && i < function->nlabels; i++)
		if (strcmp(labels[i].name, last) && strcmp(labels[i].name, labels[0].name)) {
			last = labels[i].name;
			fprintf(out, "%s%s", ftell(out) > 0 ? "=" : "", last);
		}
	if (out && fclose(out) == 0 && size)
		result = arena_copy(arena, text, size);
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
		.name = name, .display = display_name(m, function_label(&m->functions, origin)->name,
					m->functions.functions[origin].clone.base),
		.key = make_key(m, m->functions.functions[origin].start),
		.aliases = alias_names(&m->functions, function, m->arena),
		.start = function->start, .size = function->end - function->start,
		.part = function->clone.part, .known = true };
	set_place(m, i, symbol);
	return symbol->display && symbol->key ? symbol : NULL;
}

const struct symbol *module_symbol(struct module *m, uint32_t i)
{
	if (!m->made[i])
		m->made[i] = make_symbol(m, i);
	return m->made[i];
}

static int compare_starts(const void *p, const void *q)
{
	const struct symbol *a = p, *b = q;

	return (a->start > b->start) - (a->start < b->start);
}

/* Set the bounds and the name of what is at ADDRESS: all of a PLT, or what the unwind table says is a function there. */
static void set_bounds(const struct module *m, uint64_t address, struct symbol *symbol)
{
	const struct area *area = m->present ? binary_area(&m->binary, address) : NULL;
	uint64_t start, end;

	symbol->start = address;
	if (area && area->plt) {
		symbol->name = symbol->display = "(plt)";
		symbol->start = area->start;
		symbol->size = area->end - area->start;
	} else if (area && unwind_find(&m->binary, address, &start, &end)) {
		symbol->start = start;
		symbol->size = end - start;
	}
}

/* "libm.so.6+0x4010": the main program's names go without the file. */
static char *nameless_display(const struct module *m, uint64_t start)
{
	const char *slash = m->from ? strrchr(m->from->path, '/') : NULL;

	if (!m->from || m->from->main_program)
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
	symbol->key = make_key(m, symbol->start);
	if (!symbol->name || !symbol->display || !symbol->key || !tsearch(symbol, &m->nameless, compare_starts))
		return NULL;
	return symbol;
}

const struct symbol *module_find(struct module *m, uint64_t address)
{
	uint32_t i = functions_find(&m->functions, address);

	return i == FUNCTION_NONE ? find_nameless(m, address) : module_symbol(m, i);
}
