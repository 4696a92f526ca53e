/* hooked_functions.c - which functions have hooks, and which hooks a file has.
 *
 * The code tells: who begins with a call of an entry hook, and who leads to one. */
#include "read/symbols/hooked_functions.h"

#include <stdlib.h>
#include <string.h>

#include "read/symbols/hook_calls.h"
#include "read/symbols/origin.h"

static int hooked_functions_compare(const void *p, const void *q)
{
	uint64_t a = *(const uint64_t *)p, b = *(const uint64_t *)q;

	return (a > b) - (a < b);
}

/* Where hooks may be: the starts of the functions, and what the compiler recorded. malloc'ed, sorted, *N of them; NULL: out of memory. */
static uint64_t *candidates(const struct module *m, size_t *n)
{
	size_t recorded;
	uint64_t *words = hooks_recorded(&m->binary, &recorded);
	uint64_t *all = reallocarray(words, recorded + m->functions.nfunctions + 1, sizeof *all);

	if (!all) {
		free(words);
		return NULL;
	}
	*n = recorded;
	for (uint32_t i = 0; i < m->functions.nfunctions; i++)
		all[(*n)++] = m->functions.functions[i].start;
	qsort(all, *n, sizeof *all, hooked_functions_compare);
	return all;
}

/* Whether B calls a hook of another way than fentry. */
static bool has_other_hooks(const struct binary *b, uint32_t *kinds)
{
	static const struct {
		const char *name;	/* symbol */
		uint32_t kind;		/* enum symbols_hooks */
	} others[] = {
		{ "__cyg_profile_func_enter", SYMBOLS_CYG },
		{ "mcount", SYMBOLS_MCOUNT },
		{ "_mcount", SYMBOLS_MCOUNT },
		{ "__fentry__", SYMBOLS_MCOUNT },
	};

	*kinds = 0;
	for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
		struct hook hook = hook_find(b, others[i].name, 0);
		if (hook_is_called(b, &hook))
			*kinds |= others[i].kind;
	}
	return *kinds != 0;
}

/* Visit the functions of M that lead to the hook NAME; the unlikely blocks of one that has it by way inline may stand apart, in a piece of
 * their own.  False: out of memory. */
static bool visit_callers(struct module *m, const char *name, void (*visit)(void *arg, const struct symbol *symbol), void *arg)
{
	struct hook hook = hook_find(&m->binary, name, functions_address(&m->functions, name));
	size_t n;
	uint64_t *sites = hook_sites(&m->binary, &hook, &n);

	for (size_t i = 0; sites && i < n; i++) {
		uint32_t f = functions_find(&m->functions, sites[i]);

		if (f != FUNCTION_NONE && m->functions.functions[f].clone.part)
			f = origin_find(m, f);
		visit(arg, f == FUNCTION_NONE ? module_find(m, sites[i]) : module_symbol(m, f));
	}
	free(sites);
	return sites != NULL;
}

/* Those of way inline: where a probe misses they go to one of these.  False: out of memory. */
static const char *const inline_misses[] = { "aprof_inline_miss", "aprof_inline_miss_sites", "aprof_inline_miss_tsc",
					    "aprof_inline_miss_sites_tsc" };

static bool visit_inlines(struct module *m, void (*visit)(void *arg, const struct symbol *symbol), void *arg)
{
	bool ok = true;

	for (size_t i = 0; ok && i < sizeof inline_misses / sizeof *inline_misses; i++)
		ok = visit_callers(m, inline_misses[i], visit, arg);
	return ok;
}

/* The entry hook of way cyg where each routine calls it for itself alone, and what that of way fentry leads to where it is written out. */
static const char body_hook[] = "__aprof_enter", entry_miss[] = "aprof_entry_miss";

/* What an interpreter calls that tells of its scripts (contract/aprof.h). */
static const char script_hook[] = "__aprof_script_enter";

/* Visit the functions of M that call gprof's hooks.  False: out of memory. */
static bool visit_gprofs(struct module *m, void (*visit)(void *arg, const struct symbol *symbol), void *arg)
{
	static const char *const names[] = { "mcount", "_mcount", "__fentry__" };
	bool ok = true;

	for (size_t i = 0; ok && i < sizeof names / sizeof *names; i++)
		ok = visit_callers(m, names[i], visit, arg);
	return ok;
}

bool hooked_functions_by_calls(struct module *m, void (*visit)(void *arg, const struct symbol *symbol), void *arg)
{
	struct hook hook = hook_find(&m->binary, "__aprof_entry", functions_address(&m->functions, "__aprof_entry"));
	const struct symbol *last = NULL, *symbol;
	size_t n;
	uint64_t *at = candidates(m, &n);
	bool ok = at != NULL;

	for (size_t i = 0; ok && i < n; i++) {
		if (!hook_is_at(&m->binary, &hook, at[i]))
			continue;
		symbol = module_find(m, at[i]);
		ok = symbol != NULL;
		if (ok && symbol != last)
			visit(arg, symbol);
		last = symbol;
	}
	free(at);
	return ok;
}

bool hooked_functions_by_jumps(struct module *m, bool gprofs, void (*visit)(void *arg, const struct symbol *symbol), void *arg)
{
	uint32_t kinds;

	if (m->binary.machine != EM_X86_64 || !visit_inlines(m, visit, arg) || !visit_callers(m, body_hook, visit, arg) ||
	    !visit_callers(m, entry_miss, visit, arg) ||
	    (gprofs && !visit_gprofs(m, visit, arg)))
		return false;
	return !has_other_hooks(&m->binary, &kinds) || (gprofs && kinds == SYMBOLS_MCOUNT);
}

bool symbols_has_hooks(const char *path, uint32_t *hooks, struct error *err)
{
	static const Dwfl_Callbacks callbacks = { .find_debuginfo = dwfl_standard_find_debuginfo };
	struct binary b;
	struct hook hook;

	*hooks = 0;
	if (!binary_open(&b, path, &callbacks, err))
		return false;
	has_other_hooks(&b, hooks);
	hook = hook_find(&b, "__aprof_entry", 0);
	if (hook_is_called(&b, &hook))
		*hooks |= SYMBOLS_FENTRY;
	hook = hook_find(&b, entry_miss, 0);
	if (hook_is_called(&b, &hook))
		*hooks |= SYMBOLS_FENTRY;
	for (size_t i = 0; i < sizeof inline_misses / sizeof *inline_misses; i++) {
		hook = hook_find(&b, inline_misses[i], 0);
		if (hook_is_called(&b, &hook))
			*hooks |= SYMBOLS_INLINE;
	}
	hook = hook_find(&b, body_hook, 0);
	if (hook_is_called(&b, &hook))
		*hooks |= SYMBOLS_CYG;
	hook = hook_find(&b, script_hook, 0);
	if (hook_is_called(&b, &hook))
		*hooks |= SYMBOLS_SCRIPT;
	if (hooks_monitor(&b))
		*hooks |= SYMBOLS_MONITOR;
	if (hooks_are_nops(&b))
		*hooks |= SYMBOLS_NOPS;
	binary_close(&b);
	return true;
}

/* Whether NAME is glibc's: ld-linux-x86-64.so.2, ld64.so.2. */
static bool is_glibc(const char *name)
{
	const char *base = strrchr(name, '/') ? strrchr(name, '/') + 1 : name;

	return strncmp(base, "ld-linux", strlen("ld-linux")) == 0 || strncmp(base, "ld64.so", strlen("ld64.so")) == 0 || strncmp(base, "ld.so", strlen("ld.so")) == 0;
}

enum symbols_loading symbols_loading(const char *path)
{
	static const Dwfl_Callbacks callbacks = { .find_debuginfo = dwfl_standard_find_debuginfo };
	enum symbols_loading loading = SYMBOLS_STATIC;
	const char *name;
	struct binary b;
	struct error err;

	if (!binary_open(&b, path, &callbacks, &err))
		return SYMBOLS_DYNAMIC;
	name = hooks_loader(&b);
	if (name)
		loading = is_glibc(name) ? SYMBOLS_DYNAMIC : SYMBOLS_FOREIGN;
	binary_close(&b);
	return loading;
}

char *symbols_needed(const char *path, const char *prefix)
{
	static const Dwfl_Callbacks callbacks = { .find_debuginfo = dwfl_standard_find_debuginfo };
	const char *name;
	struct binary b;
	struct error err;
	char *copy;

	if (!binary_open(&b, path, &callbacks, &err))
		return NULL;
	name = hooks_needed(&b, prefix);
	copy = name ? strdup(name) : NULL;
	binary_close(&b);
	return copy;
}
