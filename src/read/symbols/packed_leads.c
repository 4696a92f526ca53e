/* packed_leads.c - by what calls routines come to code without hooks that was sampled: what its name for callers is needs the program's own code. */
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "read/symbols/packing.h"

static int by_word(const void *left, const void *right) { return strcmp(*(const char *const *)left, *(const char *const *)right); }

/* Whether PC is in code of the module that is no routine's own: in a library, linked into the program maybe, so that nothing tells its source. */
static bool packed_leads_is_foreign(const struct packing *k, const struct profile_pc *pc)
{
	uint32_t routine = k->p->contexts[pc->context].routine, line;
	const char *file;

	return pc->module == k->module && routine != PROFILE_NONE && !symbols_in_hooks(k->s, k->module, pc->address) &&
	       (k->p->routines[routine].module != k->module || !symbols_line(k->s, k->module, pc->address, &file, &line));
}

/* Mark the functions that have such samples as wanted, and in ASKS the routines on whose time they are.  False: there are none. */
static bool foreign_find(struct packing *k, bool *asks)
{
	bool any = false;

	for (size_t i = 0; i < k->p->npcs; i++) {
		const struct profile_pc *pc = &k->p->pcs[i];

		if (!packed_leads_is_foreign(k, pc))
			continue;
		k->wanted[packing_function(k, symbols_find(k->s, k->module, pc->address))] = any = true;
		asks[k->p->contexts[pc->context].routine] = true;
	}
	return any;
}

static void called_visit(void *arg, const struct symbols_call *call)
{
	struct packing *k = arg;

	if (k->tails && !call->tail)
		return;
	if (array_reserve(&k->called, &k->called_room, k->ncalled + 1, sizeof *k->called))
		k->called[k->ncalled++] = call->linked;
	else
		k->failed = true;
}

/* The names that the routines in ASKS call, and those that what they call leaves itself by a jump to. */
static void called_find_all(struct packing *k, const bool *asks, bool *callees)
{
	const struct profile *p = k->p;

	for (uint32_t i = 0; i < p->ncontexts; i++) {
		uint32_t from = p->contexts[i].parent == PROFILE_NONE ? PROFILE_NONE : p->contexts[p->contexts[i].parent].routine;

		if (from != PROFILE_NONE && asks[from] && p->contexts[i].routine != PROFILE_NONE)
			callees[p->contexts[i].routine] = true;
	}
	for (uint32_t i = 0; i < p->nroutines; i++) {
		k->tails = !asks[i];
		if ((asks[i] || callees[i]) && !p->routines[i].pseudo)
			symbols_calls(k->s, p->routines[i].module, p->routines[i].address, called_visit, k);
	}
	if (k->ncalled)
		qsort(k->called, k->ncalled, sizeof *k->called, by_word);
}

static void lead_visit(void *arg, uint64_t start, int calls)
{
	struct packing *k = arg;
	const struct symbol *symbol = symbols_find(k->s, k->module, start);
	uint32_t to = packing_function(k, symbol);

	if (!k->wanted[to] || packing_order(&k->functions[to], &symbol) != 0)
		return;
	packing_number(k, &k->lead_name, k->lead);
	packing_number(k, &k->lead_to, to);
	packing_number(k, &k->lead_calls, (uint32_t)calls);
}

/* Of each of these names that has no hooks what it leads to. */
static void leads_follow(struct packing *k)
{
	const char **hooked = calloc(k->nhooked + 1, sizeof *hooked);

	k->failed |= !hooked;
	for (size_t i = 0; hooked && i < k->nhooked; i++)
		hooked[i] = k->hooked[i]->name;
	if (hooked && k->nhooked)
		qsort(hooked, k->nhooked, sizeof *hooked, by_word);
	for (size_t i = 0; hooked && i < k->ncalled; i++) {
		if ((i > 0 && strcmp(k->called[i], k->called[i - 1]) == 0) || (k->nhooked && bsearch(&k->called[i], hooked, k->nhooked, sizeof *hooked, by_word)))
			continue;
		k->lead = packing_string(k, k->called[i]);
		symbols_led(k->s, k->module, k->called[i], lead_visit, k);
	}
	free(hooked);
}

void packing_leads(struct packing *k)
{
	bool *asks = calloc((size_t)k->p->nroutines + 1, sizeof *asks), *callees = calloc((size_t)k->p->nroutines + 1, sizeof *callees);

	k->wanted = calloc(k->nfunctions + 1, sizeof *k->wanted);
	k->failed |= !asks || !callees || !k->wanted;
	if (!k->failed && k->nfunctions && foreign_find(k, asks)) {
		called_find_all(k, asks, callees);
		leads_follow(k);
	}
	free(asks);
	free(callees);
}
