/* plain.c - a sample is in plain code when the function at its program counter is not the
 * routine that was running by the hooks: that one called it, or is still to come. */
#include "plain.h"

#include <stdlib.h>
#include <string.h>

#include "print.h"

static bool is_monitor(const char *module, const char *name)
{
	return strncmp(print_basename(module), "libaprof", 8) == 0 || strncmp(name, "__aprof", 7) == 0 ||
	       strncmp(name, "aprof_", 6) == 0 || strncmp(name, "__cyg_profile", 13) == 0;
}

/* Whether PC is in the routine of its context. */
static bool is_own(const struct report_input *in, const struct profile_pc *pc, const struct symbol *symbol)
{
	const struct graph *g = in->graph;
	uint32_t routine = g->profile->contexts[pc->context].routine;

	return routine != PROFILE_NONE &&
	       strcmp(g->routines[g->routine_of[routine]].name.key, symbol->key) == 0;
}

static void sample_add(struct plain *p, const struct report_input *in, const struct profile_pc *pc)
{
	const struct profile *profile = in->graph->profile;
	const struct profile_module *module;

	p->samples += pc->count;
	if (pc->module >= profile->nmodules) {
		p->modules[profile->nmodules].count += pc->count;
		return;
	}
	module = &profile->modules[pc->module];
	if (in->symbols) {
		const struct symbol *symbol = symbols_find(in->symbols, pc->module, pc->address);

		if (is_monitor(module->path, symbol->name)) {
			p->hooks += pc->count;
			return;
		}
		if (module->hooked && (!symbol->known || is_own(in, pc, symbol)))
			return;
	} else if (module->hooked) {
		return;
	}
	p->modules[pc->module].count += pc->count;
}

static int by_count(const void *left, const void *right)
{
	const struct plain_module *a = left, *b = right;

	if (a->count != b->count)
		return a->count < b->count ? 1 : -1;
	return strcmp(a->module ? a->module : "", b->module ? b->module : "");
}

static void modules_sort(struct plain *p, const struct profile *profile)
{
	size_t kept = 0;

	for (size_t i = 0; i <= profile->nmodules; i++) {
		struct plain_module m = p->modules[i];

		if (!m.count)
			continue;
		m.module = i < profile->nmodules ? profile->modules[i].path : NULL;
		m.hooked = i < profile->nmodules && profile->modules[i].hooked;
		p->count += m.count;
		p->modules[kept++] = m;
	}
	p->n = kept;
	qsort(p->modules, p->n, sizeof *p->modules, by_count);
}

bool plain_make(struct plain *p, const struct report_input *in, struct error *err)
{
	const struct profile *profile = in->graph->profile;

	*p = (struct plain){ 0 };
	p->modules = calloc((size_t)profile->nmodules + 1, sizeof *p->modules);
	if (!p->modules)
		return error_set(err, ERROR_MEMORY, ERROR_NO_OFFSET, "out of memory");
	for (size_t i = 0; i < profile->npcs; i++)
		sample_add(p, in, &profile->pcs[i]);
	modules_sort(p, profile);
	return true;
}

void plain_free(struct plain *p)
{
	free(p->modules);
	*p = (struct plain){ 0 };
}
