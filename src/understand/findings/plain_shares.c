/* plain_shares.c - adding up samples by module. */
#include "understand/findings/plain_shares.h"

#include <stdlib.h>
#include <string.h>

static void sample_add(struct plain *p, const struct report_input *in, size_t i)
{
	const struct overhead *o = in->graph->overhead;
	const struct profile_pc *pc = &o->profile->pcs[i];

	p->samples += pc->count;
	switch (o->spots[i].place) {
	case OVERHEAD_OWN_HOOK:
	case OVERHEAD_HOOK_OF_CALLEE:
		p->hooks += pc->count;
		break;
	case OVERHEAD_PLAIN:
		symbols_find(in->symbols, pc->module, pc->address);	/* opens the module: what is wrong with it is to be warned of */
		p->modules[pc->module].count += pc->count;
		break;
	case OVERHEAD_NOWHERE:
		p->modules[o->profile->nmodules].count += pc->count;
		break;
	default:
		break;
	}
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

bool plain_shares_make(struct plain *p, const struct report_input *in, struct error *err)
{
	const struct profile *profile = in->graph->profile;

	*p = (struct plain){ 0 };
	p->modules = calloc((size_t)profile->nmodules + 1, sizeof *p->modules);
	if (!p->modules)
		return error_no_memory(err, NULL);
	for (size_t i = 0; in->symbols && i < profile->npcs; i++)
		sample_add(p, in, i);
	for (size_t i = 0; i < in->nleft_out; i++)
		p->modules[in->left_out[i].module].chosen |= in->left_out[i].why != SYMBOLS_LEFT_NAKED;
	modules_sort(p, profile);
	return true;
}

void plain_shares_free(struct plain *p)
{
	free(p->modules);
	*p = (struct plain){ 0 };
}
