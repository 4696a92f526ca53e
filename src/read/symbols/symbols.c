/* symbols.c - the modules of a profile, and what is asked about them. */
#include "read/symbols/symbols.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "read/symbols/call_goal.h"
#include "read/symbols/code_identity.h"
#include "read/symbols/demangle.h"
#include "read/symbols/eh_frame.h"
#include "read/symbols/hook_calls.h"
#include "read/symbols/hooked_functions.h"
#include "read/symbols/language.h"
#include "read/symbols/leads.h"
#include "read/symbols/module.h"
#include "read/symbols/static_arcs.h"
#include "read/symbols/targets.h"

struct symbols {
	const struct profile *profile; /* whose modules these are */
	struct arena arena;	/* strings and symbols */
	Dwfl_Callbacks callbacks; /* how libdwfl finds things */
	char *debug_path;	/* where it looks for debug files */
	struct module *modules;	/* those of the profile, and one for addresses without */
	uint32_t nmodules;	/* how many the profile has */
	bool linked;		/* display names are as linked */
	const char **warnings;	/* lines */
	uint32_t nwarnings;	/* how many */
	bool quiet;		/* what is asked is no reason to warn */
};

/* What symbols_find returns when memory is short. */
static const struct symbol unnamed = { .name = "?", .display = "?", .base = "?", .key = "?" };

static bool make_modules(struct symbols *s, const struct profile *p)
{
	s->modules = calloc((size_t)p->nmodules + 1, sizeof *s->modules);
	if (!s->modules)
		return false;
	s->profile = p;
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

void symbols_quiet(struct symbols *s, bool quiet) { s->quiet = quiet; }

const char *symbols_warning(const struct symbols *s, uint32_t i)
{
	return i < s->nwarnings ? s->warnings[i] : NULL;
}

/* Whether the profile carries symbols of MODULE. */
static bool is_carried(const struct symbols *s, uint32_t module)
{
	for (size_t i = 0; i < s->profile->nsymbols; i++)
		if (s->profile->symbols[i].module == module)
			return true;
	return false;
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
	if (!main || !is_carried(s, main->index))
		return !main;
	warn(s, err->text, "the names are those that the profile carries");
	return true;
}

struct symbols *symbols_open(const struct profile *p, const char *program, struct error *err)
{
	struct symbols *s = calloc(1, sizeof *s);

	if (!s || !binary_find_debug_files(&s->callbacks, &s->debug_path) || !make_modules(s, p))
		error_no_memory(err, NULL);
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

/* Whether the file of M was stripped: only what it exports has a name then. */
static bool is_stripped(const struct module *m)
{
	const struct functions *f = &m->functions;
	size_t length;

	for (size_t i = 0; i < f->nlabels; i++)
		if (f->labels[i].local)
			return false;
	return f->nfunctions > 0 && !hooks_section(&m->binary, ".symtab", &length);
}

/* M stands for a language: what the interpreter said is all there is. */
static bool settle_script(struct symbols *s, struct module *m)
{
	struct profile_symbols symbols = { 0 };
	struct profile scripts = { .symbols = &symbols, .nsymbols = 1 };

	if (symbols_pack_scripts(s->profile, m->index, &symbols))
		m->packed = packed_read(&scripts, m->index);
	free(symbols.data);
	return true;
}

/* Take what the profile carries of M, if nothing else is to be asked. */
static bool settle_alone(struct symbols *s, struct module *m)
{
	if (m->from && profile_language(m->from->path))
		return settle_script(s, m);
	if (!m->from || (!profile_is_imported(s->profile) && profile_path_is_file(m->from->path)))
		return false;
	m->packed = packed_read(s->profile, m->index);
	if (m->packed && m->packed->alone)
		return true;
	packed_free(m->packed);
	m->packed = NULL;
	return false;
}

/* Open M, or take what the profile carries of it where the file lacks it. */
static void read_symbols_settle(struct symbols *s, struct module *m)
{
	struct error err = { .code = ERROR_NONE };
	bool there;

	m->settled = true;
	if (settle_alone(s, m))
		return;
	there = m->present || (!m->opened && module_open(m, &s->callbacks, &err));
	if (m->from && (!there || !m->functions.nfunctions || is_stripped(m)))
		m->packed = packed_read(s->profile, m->index);
	if (m->packed)
		return;
	if (!there && err.code != ERROR_NONE)
		m->lacks = arena_copy(&s->arena, err.text, strlen(err.text));
	else if (there && !m->functions.nfunctions && m->from->hooked)
		m->lacks = m->from->path;
}

/* The module, opened; what it lacks becomes a warning, once. */
static struct module *get_module(struct symbols *s, uint32_t index)
{
	struct module *m = &s->modules[index < s->nmodules ? index : s->nmodules];

	if (!m->settled)
		read_symbols_settle(s, m);
	if (m->lacks && !s->quiet) {
		warn(s, m->lacks, m->present ? "it has no symbols, its functions are shown by address" : "its functions are shown by address");
		m->lacks = NULL;
	}
	return m;
}

/* How much is asked about each module of S's profile: the main program most.  NULL: out of memory. */
static uint64_t *weights_make(const struct symbols *s)
{
	const struct profile *p = s->profile;
	uint64_t *weights = calloc((size_t)p->nmodules + 1, sizeof *weights);

	for (uint32_t i = 0; weights && i < p->nroutines; i++)
		if (p->routines[i].module < p->nmodules)
			weights[p->routines[i].module]++;
	for (size_t i = 0; weights && i < p->npcs; i++)
		if (p->pcs[i].module < p->nmodules)
			weights[p->pcs[i].module] += p->pcs[i].count;
	for (uint32_t i = 0; weights && i < p->nmodules; i++)
		weights[i] = p->modules[i].main_program && weights[i] ? UINT64_MAX : weights[i];
	return weights;
}

/* The module with the greatest of the N WEIGHTS, none of which is 0; N: all are. */
static uint32_t heaviest(const uint64_t *weights, uint32_t n)
{
	uint32_t best = n;

	for (uint32_t i = 0; i < n; i++)
		if (weights[i] && (best == n || weights[i] > weights[best]))
			best = i;
	return best;
}

void symbols_within(struct symbols *s, uint64_t ns)
{
	uint64_t *weights = weights_make(s);
	uint32_t i;

	while (weights && (i = heaviest(weights, s->nmodules)) < s->nmodules) {
		struct module *m = get_module(s, i);
		uint64_t cost = m->present && !m->packed ? binary_debug_cost(&m->binary) : 0;

		m->brief = cost > ns;
		ns -= m->brief ? 0 : cost;
		weights[i] = 0;
	}
	free(weights);
}

bool symbols_are_brief(struct symbols *s, uint32_t module) { return get_module(s, module)->brief; }

bool symbols_have(struct symbols *s, uint32_t module)
{
	const struct module *m = get_module(s, module);

	return m->packed || (m->present && m->functions.nfunctions > 0 && !(m->from->hooked && is_stripped(m)));
}

bool symbols_are_alone(struct symbols *s, uint32_t module)
{
	const struct module *m = get_module(s, module);

	return m->packed && m->packed->alone;
}

/* Once a routine of M has no name, say why if it can be told. */
static void stripped_tell(struct symbols *s, struct module *m)
{
	if (m->stripped_known || !m->nameless || !m->present || !m->from->hooked)
		return;
	m->stripped_known = true;
	if (is_stripped(m))
		warn(s, m->from->path, m->from->main_program ?
		     "it is stripped, its functions are shown by address; name the program as it was before, which has the same build-id" :
		     "it is stripped, functions that it does not export are shown by address");
}

const struct symbol *symbols_find(struct symbols *s, uint32_t module, uint64_t address)
{
	struct module *m = get_module(s, module);
	const struct symbol *symbol = module_find(m, address);

	stripped_tell(s, m);
	return symbol ? symbol : &unnamed;
}

bool symbols_can_leave(struct symbols *s, uint32_t module, uint64_t address)
{
	const struct module *m = get_module(s, module);
	uint64_t start, end;

	return !m->present || unwind_find(&m->binary, address, &start, &end);
}

bool symbols_line(struct symbols *s, uint32_t module, uint64_t address, const char **file, uint32_t *line)
{
	struct module *m = get_module(s, module);
	const struct packed_place *place = m->packed ? packed_place(m->packed, address) : NULL;

	if (place && place->file) {
		*file = place->file;
		*line = place->line;
	}
	return place ? place->file != NULL : debug_line(module_debug_info(m), address, file, line);
}

uint64_t symbols_next_line(struct symbols *s, uint32_t module, uint64_t address)
{
	struct module *m = get_module(s, module);

	return m->packed ? packed_next_place(m->packed, address) : debug_next_line(module_debug_info(m), address);
}

bool symbols_own_line(struct symbols *s, uint32_t module, uint64_t address, const char **file, uint32_t *line)
{
	uint32_t column;

	return symbols_own_place(s, module, address, file, line, &column);
}

bool symbols_own_place(struct symbols *s, uint32_t module, uint64_t address, const char **file, uint32_t *line, uint32_t *column)
{
	struct module *m = get_module(s, module);
	const struct packed_place *place = m->packed ? packed_place(m->packed, address) : NULL;

	if (place && place->own_file) {
		*file = place->own_file;
		*line = place->own_line;
		*column = place->own_column;
	}
	return place ? place->own_file != NULL : debug_own_place(module_debug_info(m), address, file, line, column);
}

/* Whoever asks for calls, while they are visited. */
struct calls_visit {
	struct symbols *symbols;
	struct debug_info *debug;	/* of the caller's module; NULL: the profile carries them */
	void (*visit)(void *arg, const struct symbols_call *call);
	void *arg;
	bool described;			/* debug information has told of a call */
};

/* LINKED, of LANGUAGE and with PATH as language_name has them, as it is shown; NULL: out of memory. */
static const char *shown(struct symbols *s, const char *linked, enum language language, const char *path)
{
	char *demangled = s->linked ? NULL : demangle(linked);
	char *readable = demangled || s->linked ? demangled : language_name(language, linked, path);
	const char *name = readable ? arena_copy(&s->arena, readable, strlen(readable)) : linked;

	free(readable);
	return name;
}

/* Whoever asks for inlined functions, while they are visited. */
struct inlined_visit {
	struct symbols *symbols;
	void (*visit)(void *arg, const char *name);
	void *arg;
};

static void symbols_inlined_visit(void *arg, const struct debug_inlined *function)
{
	struct inlined_visit *v = arg;
	const char *name = shown(v->symbols, function->name, LANGUAGE_OTHER, NULL);

	if (name)
		v->visit(v->arg, name);
}

void symbols_inlined(struct symbols *s, uint32_t module, uint64_t address, void (*visit)(void *arg, const char *name), void *arg)
{
	struct module *m = get_module(s, module);
	struct inlined_visit v = { s, visit, arg };

	if (!m->packed)
		debug_inlined(module_debug_info(m), address, symbols_inlined_visit, &v);
}

static void symbols_call_visit(void *arg, const struct debug_call *call)
{
	struct calls_visit *v = arg;
	struct symbols_call found = { .name = shown(v->symbols, call->name, call->language, call->path), .linked = call->name,
		.tail = call->tail };

	v->described = true;
	if (found.name && debug_own_line(v->debug, call->at, &found.file, &found.line))
		v->visit(v->arg, &found);
}

/* The same of those that the profile carries. */
static bool packed_calls_visit(const struct module *m, uint64_t address, const struct calls_visit *v)
{
	uint32_t function = packed_find(m->packed, address);
	const struct packed_call *calls;
	size_t n = 0;

	if (function == PACKED_NONE)
		return false;
	calls = packed_calls(m->packed, function, &n);
	for (size_t i = 0; i < n; i++) {
		struct symbols_call found = { shown(v->symbols, calls[i].name, LANGUAGE_OTHER, NULL), calls[i].name, calls[i].line ? calls[i].file : NULL,
			calls[i].line, calls[i].tail };

		if (found.name)
			v->visit(v->arg, &found);
	}
	return n > 0;
}

/* The function that GOAL in the code of F of M calls, as linked; NULL: a hook, or a place in F. */
static const char *callee_of(struct module *m, const struct symbol *f, const struct goal *goal)
{
	const struct symbol *callee = goal->address ? module_find(m, goal->address) : NULL;
	const char *name = callee && callee->start == goal->address && callee != f && !callee->part ? callee->base : goal->address ? "" : goal->name;

	return name[0] && !hooks_is_profilers(name) ? name : NULL;
}

/* The calls in the code of the function at ADDRESS of M.  False: it cannot be read. */
static bool code_calls_visit(struct module *m, uint64_t address, const struct calls_visit *v)
{
	const struct symbol *f = module_find(m, address);
	struct goals *goals = call_goals(m);
	struct goal goal;

	if (!f || !f->size || !goals)
		return false;
	goals_start(goals, f->start, f->start + f->size);
	while (goals_next(goals, &goal)) {
		struct symbols_call found = { .linked = callee_of(m, f, &goal), .tail = goal.jump };

		found.name = found.linked ? shown(v->symbols, found.linked, LANGUAGE_OTHER, NULL) : NULL;
		if (found.name)
			v->visit(v->arg, &found);
	}
	return true;
}

bool symbols_described_calls(struct symbols *s, uint32_t module, uint64_t address,
			     void (*visit)(void *arg, const struct symbols_call *call), void *arg)
{
	struct module *m = get_module(s, module);
	struct calls_visit v = { .symbols = s, .debug = m->packed ? NULL : module_debug_info(m), .visit = visit, .arg = arg };

	return m->packed ? packed_calls_visit(m, address, &v) : debug_calls(v.debug, address, symbols_call_visit, &v) && v.described;
}

bool symbols_calls(struct symbols *s, uint32_t module, uint64_t address,
		   void (*visit)(void *arg, const struct symbols_call *call), void *arg)
{
	struct module *m = get_module(s, module);
	struct calls_visit v = { .symbols = s, .visit = visit, .arg = arg };

	return symbols_described_calls(s, module, address, visit, arg) || (!m->packed && code_calls_visit(m, address, &v));
}

/* The bytes of the function that covers ADDRESS of M, LENGTH of them, and where they *START; NULL: they are not known. */
static const unsigned char *code_find(struct module *m, uint64_t address, uint64_t *start, size_t *length)
{
	const struct symbol *f = m->present ? module_find(m, address) : NULL;
	const unsigned char *code;

	*start = f ? f->start : address;
	code = f && f->size ? binary_bytes(&m->binary, *start, length) : NULL;
	if (code && *length > f->size)
		*length = f->size;
	return code;
}

bool symbols_has_instructions(struct symbols *s, uint32_t module, uint64_t address)
{
	uint64_t start;
	size_t length;

	return code_find(get_module(s, module), address, &start, &length) != NULL;
}

bool symbols_instructions(struct symbols *s, uint32_t module, uint64_t address, void (*visit)(void *arg, uint64_t at, const char *text), void *arg)
{
	struct module *m = get_module(s, module);
	uint64_t start, at;
	size_t length;
	const unsigned char *code = code_find(m, address, &start, &length);
	struct targets *t = code ? targets_new(m->binary.machine) : NULL;
	char text[256];

	if (!t)
		return false;
	targets_start(t, code, length, start);
	while (targets_text(t, &at, text, sizeof text))
		visit(arg, at, text);
	targets_free(t);
	return true;
}

int symbols_leads(struct symbols *s, uint32_t module, const char *name, uint64_t address)
{
	struct module *m = get_module(s, module);

	if (m->packed)
		return packed_leads(m->packed, name, address);
	return m->present ? leads_find(m, functions_address(&m->functions, name), address) : -1;
}

void symbols_led(struct symbols *s, uint32_t module, const char *name, void (*visit)(void *arg, uint64_t start, int calls), void *arg)
{
	struct module *m = get_module(s, module);

	if (!m->packed && m->present)
		leads_visit(m, functions_address(&m->functions, name), visit, arg);
}

static bool packed_hooked_visit(struct module *m, void (*visit)(void *arg, const struct symbol *symbol), void *arg)
{
	for (size_t i = 0; i < m->packed->nhooked; i++) {
		const struct symbol *symbol = module_packed(m, m->packed->hooked[i]);

		if (symbol)
			visit(arg, symbol);
	}
	return m->packed->hooked_all;
}

bool symbols_hooked(struct symbols *s, uint32_t module, bool gprofs,
		    void (*visit)(void *arg, const struct symbol *symbol), void *arg)
{
	struct module *m = get_module(s, module);
	bool ok;

	if (m->packed)
		return packed_hooked_visit(m, visit, arg);
	ok = m->present && hooked_functions_by_calls(m, visit, arg);
	stripped_tell(s, m);
	return ok && hooked_functions_by_jumps(m, gprofs, visit, arg);
}

static bool packed_arcs_visit(struct module *m, void (*visit)(void *arg, const struct symbol *from, const struct symbol *to), void *arg)
{
	for (size_t i = 0; i < m->packed->narcs; i++) {
		const struct symbol *from = module_packed(m, m->packed->arcs[i].from), *to = module_packed(m, m->packed->arcs[i].to);

		if (from && to)
			visit(arg, from, to);
	}
	return m->packed->arcs_read;
}

bool symbols_static_arcs(struct symbols *s, uint32_t module, bool hooked,
			 void (*visit)(void *arg, const struct symbol *from, const struct symbol *to), void *arg)
{
	struct module *m = get_module(s, module);
	struct static_arc *arcs;
	size_t n;
	bool ok;

	if (m->packed)
		return packed_arcs_visit(m, visit, arg);
	arcs = static_arcs_find(m, hooked, &n);
	ok = arcs != NULL;
	for (size_t i = 0; i < n; i++) {
		const struct symbol *from = module_symbol(m, arcs[i].from), *to = module_symbol(m, arcs[i].to);
		if (from && to)
			visit(arg, from, to);
	}
	free(arcs);
	return ok;
}

/* LINKED, a name in another module, as the programmer wrote it. */
static const char *name_written(struct symbols *s, const char *linked)
{
	char *plain = s->linked ? NULL : demangle(linked);
	const char *kept = arena_copy(&s->arena, plain ? plain : linked, strlen(plain ? plain : linked));

	free(plain);
	return kept;
}

enum symbols_goal symbols_call_goal(struct symbols *s, uint32_t module, uint64_t address, const char **name)
{
	struct module *m = get_module(s, module);
	const struct packed_place *place = m->packed ? packed_place(m->packed, address - 1) : NULL;
	struct goal goal;

	*name = NULL;
	if (m->packed) {
		*name = place ? place->called : NULL;
		return *name ? SYMBOLS_GOAL_NAMED : place && place->by_pointer ? SYMBOLS_GOAL_POINTER : SYMBOLS_GOAL_UNKNOWN;
	}
	if (!call_goal_find(m, address, &goal))
		return SYMBOLS_GOAL_UNKNOWN;
	if (goal.address)
		*name = symbols_find(s, module, goal.address)->display;
	else if (goal.name[0])
		*name = name_written(s, goal.name);
	return *name ? SYMBOLS_GOAL_NAMED : SYMBOLS_GOAL_POINTER;
}

uint64_t symbols_code(struct symbols *s, uint32_t module, uint64_t address)
{
	struct module *m = get_module(s, module);
	uint32_t i = m->packed ? packed_find(m->packed, address) : PACKED_NONE;

	if (m->packed)
		return i == PACKED_NONE ? 0 : m->packed->functions[i].code;
	return code_identity(m, address);
}

bool symbols_in_hooks(struct symbols *s, uint32_t module, uint64_t address)
{
	return module_in_hooks(get_module(s, module), address);
}

bool symbols_is_open(struct symbols *s, uint32_t module, uint64_t address)
{
	return module_is_open(get_module(s, module), address);
}

/* The word before the colon of an entry of .aprof_left_out, which compile/gcc/ and compile/assembly.c write. */
static const char *const left_words[] = {
	[SYMBOLS_LEFT_FILE] = "file", [SYMBOLS_LEFT_NAME] = "name", [SYMBOLS_LEFT_LEAF] = "leaf",
	[SYMBOLS_LEFT_NAKED] = "naked",
};

static void visit_left_out(const struct symbols *s, const struct module *m, const char *entry,
			   void (*visit)(void *arg, enum symbols_left_out why, const char *name, const char *linked), void *arg)
{
	const char *colon = strchr(entry, ':');

	for (int why = 0; colon && why < SYMBOLS_LEFT_REASONS; why++)
		if ((size_t)(colon - entry) == strlen(left_words[why]) && !memcmp(entry, left_words[why], colon - entry)) {
			const char *linked = colon + 1;
			char *name = s->linked ? NULL : demangle(linked);

			if (!name && !s->linked)
				name = language_name(language_guess(&m->functions, linked), linked, NULL);
			visit(arg, why, name ? name : linked, linked);
			free(name);
		}
}

void symbols_left_out(struct symbols *s, uint32_t module,
		      void (*visit)(void *arg, enum symbols_left_out why, const char *name, const char *linked), void *arg)
{
	struct module *m = get_module(s, module);
	size_t length = 0, size;
	const char *text = m->packed ? NULL : m->present ? hooks_section(&m->binary, ".aprof_left_out", &length) : NULL;

	for (size_t i = 0; m->packed && i < m->packed->nleft; i++) {
		char *name = s->linked ? NULL : demangle(m->packed->left[i].name);

		visit(arg, m->packed->left[i].why, name ? name : m->packed->left[i].name, m->packed->left[i].name);
		free(name);
	}
	for (; length && (size = strnlen(text, length)) < length; text += size + 1, length -= size + 1)
		visit_left_out(s, m, text, visit, arg);
}
