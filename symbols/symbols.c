/* symbols.c - the modules of a profile, and what is asked about them. */
#include "symbols/symbols.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "symbols/demangle.h"
#include "symbols/hook_calls.h"
#include "symbols/hooked.h"
#include "symbols/module.h"
#include "symbols/static_arcs.h"

struct symbols {
	struct arena arena;	/* strings and symbols */
	Dwfl_Callbacks callbacks; /* how libdwfl finds things */
	char *debug_path;	/* where it looks for debug files */
	struct module *modules;	/* those of the profile, and one for addresses without */
	uint32_t nmodules;	/* how many the profile has */
	bool linked;		/* display names are as linked */
	const char **warnings;	/* lines */
	uint32_t nwarnings;	/* how many */
};

/* What symbols_find returns when memory is short. */
static const struct symbol no_memory = { .name = "?", .display = "?", .key = "?" };

static bool set_callbacks(struct symbols *s)
{
	const char *more = getenv("APROF_DEBUG_PATH");

	if (asprintf(&s->debug_path, ":.debug:/usr/lib/debug%s%s", more && *more ? ":" : "", more ? more : "") < 0) {
		s->debug_path = NULL;
		return false;
	}
	s->callbacks = (Dwfl_Callbacks){ .find_elf = dwfl_build_id_find_elf,
					 .find_debuginfo = dwfl_standard_find_debuginfo,
					 .debuginfo_path = &s->debug_path };
	return true;
}

static bool make_modules(struct symbols *s, const struct profile *p)
{
	s->modules = calloc((size_t)p->nmodules + 1, sizeof *s->modules);
	if (!s->modules)
		return false;
	s->nmodules = p->nmodules;
	for (uint32_t i = 0; i < p->nmodules; i++)
		module_init(&s->modules[i], &p->modules[i], i, &s->arena);
	module_init(&s->modules[p->nmodules], NULL, PROFILE_NONE, &s->arena);
	return true;
}

static void warn(struct symbols *s, const char *what, const char *then)
{
	const char **warnings = reallocarray(s->warnings, s->nwarnings + 1, sizeof *warnings);
	const char *text = arena_printf(&s->arena, "%s; %s", what, then);

	if (warnings)
		s->warnings = warnings;
	if (warnings && text)
		warnings[s->nwarnings++] = text;
}

const char *symbols_warning(const struct symbols *s, uint32_t i)
{
	return i < s->nwarnings ? s->warnings[i] : NULL;
}

/* Give the file PROGRAM to the main program that it is. */
static bool use_program(struct symbols *s, const char *program, struct error *err)
{
	const struct module *main = NULL;
	struct binary b;

	if (!binary_open(&b, program, &s->callbacks, err))
		return false;
	for (uint32_t i = 0; i < s->nmodules; i++) {
		struct module *m = &s->modules[i];
		if (!m->from->main_program)
			continue;
		if (module_matches(m, &b))
			return module_use(m, &b, err);
		main = main ? main : m;
	}
	if (main)
		module_refuse(main, program, &b, err);
	binary_close(&b);
	return !main;
}

struct symbols *symbols_open(const struct profile *p, const char *program, struct error *err)
{
	struct symbols *s = calloc(1, sizeof *s);

	if (!s || !set_callbacks(s) || !make_modules(s, p))
		error_set(err, ERROR_MEMORY, ERROR_NO_OFFSET, "out of memory");
	else if (!program || use_program(s, program, err))
		return s;
	symbols_free(s);
	return NULL;
}

void symbols_keep_linked(struct symbols *s)
{
	s->linked = true;
	for (uint32_t i = 0; i <= s->nmodules; i++)
		s->modules[i].linked = true;
}

void symbols_free(struct symbols *s)
{
	if (!s)
		return;
	for (uint32_t i = 0; s->modules && i <= s->nmodules; i++)
		module_close(&s->modules[i]);
	free(s->modules);
	free(s->warnings);
	free(s->debug_path);
	arena_free(&s->arena);
	free(s);
}

/* The module, opened; what goes wrong becomes a warning, once. */
static struct module *get_module(struct symbols *s, uint32_t index)
{
	struct module *m = &s->modules[index < s->nmodules ? index : s->nmodules];
	struct error err;

	if (m->opened)
		return m;
	if (!module_open(m, &s->callbacks, &err)) {
		if (err.code != ERROR_NONE)
			warn(s, err.text, "its functions are shown by address");
	} else if (!m->functions.nfunctions && m->from->hooked) {
		warn(s, m->from->path, "it has no symbols, its functions are shown by address");
	}
	return m;
}

/* Only what a file exports has a name in the table that strip leaves. */
static bool is_stripped(const struct functions *f)
{
	for (size_t i = 0; i < f->nlabels; i++)
		if (f->labels[i].local)
			return false;
	return f->nfunctions > 0;
}

/* Once a routine of M has no name, say why if it can be told. */
static void stripped_tell(struct symbols *s, struct module *m)
{
	if (m->stripped_known || !m->nameless || !m->present || !m->from->hooked)
		return;
	m->stripped_known = true;
	if (is_stripped(&m->functions))
		warn(s, m->from->path, m->from->main_program ?
		     "it is stripped, its functions are shown by address; name the program as it was before, which has the same build-id" :
		     "it is stripped, functions that it does not export are shown by address");
}

const struct symbol *symbols_find(struct symbols *s, uint32_t module, uint64_t address)
{
	struct module *m = get_module(s, module);
	const struct symbol *symbol = module_find(m, address);

	stripped_tell(s, m);
	return symbol ? symbol : &no_memory;
}

bool symbols_line(struct symbols *s, uint32_t module, uint64_t address, const char **file, uint32_t *line)
{
	return debug_line(module_debug_info(get_module(s, module)), address, file, line);
}

bool symbols_own_line(struct symbols *s, uint32_t module, uint64_t address, const char **file, uint32_t *line)
{
	return debug_own_line(module_debug_info(get_module(s, module)), address, file, line);
}

/* Whoever asks for calls, while they are visited. */
struct calls_visit {
	struct symbols *symbols;
	struct debug_info *debug;	/* of the caller's module */
	void (*visit)(void *arg, const struct symbols_call *call);
	void *arg;
};

static void call_visit(void *arg, const struct debug_call *call)
{
	struct calls_visit *v = arg;
	char *readable = v->symbols->linked ? NULL : demangle(call->name);
	struct symbols_call found = { .name = readable ? arena_copy(&v->symbols->arena, readable, strlen(readable)) : call->name };

	free(readable);
	if (found.name && debug_own_line(v->debug, call->at, &found.file, &found.line))
		v->visit(v->arg, &found);
}

bool symbols_calls(struct symbols *s, uint32_t module, uint64_t address,
		   void (*visit)(void *arg, const struct symbols_call *call), void *arg)
{
	struct calls_visit v = { .symbols = s, .debug = module_debug_info(get_module(s, module)), .visit = visit, .arg = arg };

	return debug_calls(v.debug, address, call_visit, &v);
}

bool symbols_hooked(struct symbols *s, uint32_t module, bool gprofs,
		    void (*visit)(void *arg, const struct symbol *symbol), void *arg)
{
	struct module *m = get_module(s, module);
	bool ok = m->present && hooked_by_calls(m, visit, arg);

	stripped_tell(s, m);
	return ok && hooked_by_jumps(m, gprofs, visit, arg);
}

bool symbols_static_arcs(struct symbols *s, uint32_t module, bool hooked,
			 void (*visit)(void *arg, const struct symbol *from, const struct symbol *to), void *arg)
{
	struct module *m = get_module(s, module);
	size_t n;
	struct static_arc *arcs = static_arcs_find(m, hooked, &n);
	bool ok = arcs != NULL;

	for (size_t i = 0; i < n; i++) {
		const struct symbol *from = module_symbol(m, arcs[i].from), *to = module_symbol(m, arcs[i].to);
		if (from && to)
			visit(arg, from, to);
	}
	free(arcs);
	return ok;
}

bool symbols_in_hooks(struct symbols *s, uint32_t module, uint64_t address)
{
	return module_in_hooks(get_module(s, module), address);
}

bool symbols_is_open(struct symbols *s, uint32_t module, uint64_t address)
{
	return module_is_open(get_module(s, module), address);
}

/* The word before the colon of an entry of .aprof_left_out, which compiler/plugin/ and compiler/naked.c write. */
static const char *const left_words[] = {
	[SYMBOLS_LEFT_FILE] = "file", [SYMBOLS_LEFT_NAME] = "name", [SYMBOLS_LEFT_LEAF] = "leaf",
	[SYMBOLS_LEFT_NAKED] = "naked",
};

static void visit_left_out(const struct symbols *s, const char *entry,
			   void (*visit)(void *arg, enum symbols_left_out why, const char *name), void *arg)
{
	const char *colon = strchr(entry, ':');

	for (int why = 0; colon && why < SYMBOLS_LEFT_REASONS; why++)
		if ((size_t)(colon - entry) == strlen(left_words[why]) && !memcmp(entry, left_words[why], colon - entry)) {
			char *name = s->linked ? NULL : demangle(colon + 1);

			visit(arg, why, name ? name : colon + 1);
			free(name);
		}
}

void symbols_left_out(struct symbols *s, uint32_t module,
		      void (*visit)(void *arg, enum symbols_left_out why, const char *name), void *arg)
{
	struct module *m = get_module(s, module);
	size_t length = 0, size;
	const char *text = m->present ? hooks_section(&m->binary, ".aprof_left_out", &length) : NULL;

	for (; length && (size = strnlen(text, length)) < length; text += size + 1, length -= size + 1)
		visit_left_out(s, text, visit, arg);
}
