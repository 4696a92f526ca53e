/* module.c - opens the file of a module, and what is read there on first use: DWARF, hooks. */
#include "read/symbols/module.h"

#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "read/symbols/open_files.h"
#include "read/symbols/goals.h"
#include "read/symbols/kept_files.h"
#include "read/symbols/monitor_note.h"

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
	return error_no_memory_for(err, m->from->path);
}

/* Open the file at PATH, or the vDSO in its place. */
static bool open_path(const char *path, struct binary *b, const Dwfl_Callbacks *callbacks, struct error *err)
{
	struct error ignored;

	if (profile_path_is_file(path))
		return path[0] && binary_open(b, path, callbacks, err);
	return !strcmp(path, "[vdso]") && binary_open_vdso(b, callbacks, &ignored);
}

/* Use the file at PATH, if it is the module. */
static bool module_open_at(struct module *m, const char *path, const Dwfl_Callbacks *callbacks, struct error *err)
{
	struct binary b;

	if (!open_path(path, &b, callbacks, err))
		return false;
	if (module_matches(m, &b))
		return module_use(m, &b, err);
	if (profile_path_is_file(path))
		module_refuse(m, path, &b, err);
	binary_close(&b);
	return false;
}

static bool module_open_elsewhere(struct module *m, const Dwfl_Callbacks *callbacks)
{
	char path[ELSEWHERE_PATH];
	struct error ignored;
	size_t next = 0;

	while (open_files_next(m->from->path, &next, path))
		if (module_open_at(m, path, callbacks, &ignored))
			return true;
	return false;
}

/* By its build-id: the file, or, without its code, what a debug package tells. */
static bool module_open_kept(struct module *m, const Dwfl_Callbacks *callbacks)
{
	static const enum kept_kind kinds[] = { KEPT_CODE, KEPT_SYMBOLS };
	char path[PATH_MAX];
	struct error ignored;

	for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
		for (size_t next = 0; kept_files_next(m->from->build_id, m->from->build_id_size, kinds[k], &next, path);)
			if (module_open_at(m, path, callbacks, &ignored))
				return true;
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
	if (module_open_at(m, m->from->path, callbacks, err))
		return true;
	for (uint32_t i = 0; i < m->from->nalso; i++)
		if (module_open_at(m, m->from->also[i], callbacks, &ignored))
			return true;
	return module_open_elsewhere(m, callbacks) || module_open_kept(m, callbacks);
}

static void module_keep(void *node)
{
	(void)node;
}

void module_close(struct module *m)
{
	bool linked = m->linked;

	tdestroy(m->nameless, module_keep);
	free(m->made);
	goals_free(m->goals);
	hook_code_free(m->hook_code);
	hook_state_free(m->hook_state);
	debug_free(&m->debug);
	functions_free(&m->functions);
	packed_free(m->packed);
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

/* Whether the monitor's own code is at ADDRESS, named or not. */
static bool module_is_own_code(struct module *m, uint64_t address)
{
	if (!m->own_known && m->present)
		monitor_note_find(&m->binary, &m->own);
	m->own_known = true;
	return address >= m->own.start && address < m->own.end;
}

bool module_in_hooks(struct module *m, uint64_t address)
{
	const struct packed_place *place = m->packed ? packed_place(m->packed, address) : NULL;
	uint32_t i = m->present ? functions_find(&m->functions, address) : FUNCTION_NONE;
	const struct hook_code *code;

	if (place)
		return place->in_hooks;
	if (module_is_own_code(m, address))
		return true;
	code = i == FUNCTION_NONE ? NULL : hook_code_of(m, i);
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
	const struct packed_place *place = m->packed ? packed_place(m->packed, address) : NULL;
	uint32_t i = m->present ? functions_find(&m->functions, address) : FUNCTION_NONE;
	const struct hook_state *state = i == FUNCTION_NONE ? NULL : hook_state_of(m, i);

	if (place)
		return place->is_open;
	return state && hook_state_is_open(state, address);
}

struct debug_info *module_debug_info(struct module *m)
{
	if (!m->debug_known && m->present && !m->brief && !debug_read(&m->debug, &m->binary))
		debug_free(&m->debug);
	m->debug_known = true;
	return &m->debug;
}
