/* leaves.c - charging samples to plain functions and source lines. */
#include "understand/findings/leaves.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/name.h"
#include "base/print.h"
#include "understand/findings/plain_calls.h"
#include "understand/findings/report_input.h"

enum { SEEN = 1000 };			/* a part of the run's time that is worth a look at a routine's code */

bool leaves_is_systems(const char *path)
{
	static const char *const folders[] = { "/lib/", "/lib32/", "/lib64/", "/usr/", "/nix/store/", "/gnu/store/", "/snap/" };

	for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
		if (strncmp(path, folders[i], strlen(folders[i])) == 0)
			return true;
	return false;
}

bool leaves_has_no_source(const struct report_input *in, const struct profile_pc *pc)
{
	const char *file;
	uint32_t line;

	return in->symbols && !symbols_line(in->symbols, pc->module, pc->address, &file, &line);
}

/* The module of the routine that ran where PC, of some routine, was. */
static uint32_t module_of(const struct profile *p, const struct profile_pc *pc)
{
	return p->routines[p->contexts[pc->context].routine].module;
}

/* The functions that code was inlined from, in the arena's memory. */
struct inlined_chain {
	struct arena *arena;
	const char *names;	/* joined by line feeds; NULL: none so far, or out of memory */
	const char *last;
};

static void chain_add(void *arg, const char *name)
{
	struct inlined_chain *c = arg;

	c->names = c->names ? arena_printf(c->arena, "%s\n%s", c->names, name) : name;
	c->last = name;
}

/* Whether the sample PC was in code that was inlined into its routine; then LEAF becomes that.  Call stacks may have such functions as routines (SYMBOLS_INLINED_MODULE), and
 * need no splitting. */
static bool leaf_is_inlined(struct leaf *leaf, const struct report_input *in, const struct profile_pc *pc, struct arena *arena)
{
	const struct profile *p = in->graph->profile;
	struct inlined_chain c = { .arena = arena };
	uint32_t module = module_of(p, pc);

	if (module != PROFILE_NONE && strcmp(p->modules[module].path, SYMBOLS_INLINED_MODULE) != 0)
		symbols_inlined(in->symbols, pc->module, pc->address, chain_add, &c);
	if (!c.names)
		return false;
	leaf->kind = LEAF_INLINED;
	leaf->place = c.names;
	leaf->name = c.last;
	return true;
}

/* Say what the sample I was in; false when it tells nothing beyond the routine.  What is said is TEXT's, or the profile's. */
static bool leaf_of(struct leaf *leaf, const struct report_input *in, size_t i, const struct report_options *options, struct arena *text)
{
	const struct profile *p = in->graph->profile;
	const struct profile_pc *pc = &p->pcs[i];
	const struct symbol *symbol;

	*leaf = (struct leaf){ .kind = LEAF_LINE, .routine = leaf->routine, .pc = pc };
	switch (in->graph->overhead->spots[i].place) {
	case OVERHEAD_OWN:
		return (options->inlines && leaf_is_inlined(leaf, in, pc, text)) || (options->lines && symbols_line(in->symbols, pc->module, pc->address, &leaf->place, &leaf->line));
	case OVERHEAD_NOWHERE:
		leaf->kind = LEAF_UNKNOWN;
		leaf->place = leaf->name = "(unknown)";
		return options->leaves;
	case OVERHEAD_OWN_HOOK:
	case OVERHEAD_HOOK_OF_CALLEE:
		leaf->kind = LEAF_HOOKS;
		leaf->place = "aprof";
		leaf->name = "(hooks)";
		return options->leaves && in->graph->options.raw;
	case OVERHEAD_PLAIN:
		symbol = symbols_find(in->symbols, pc->module, pc->address);
		leaf->kind = profile_path_is_file(p->modules[pc->module].path) ? LEAF_PLAIN : LEAF_PSEUDO;
		leaf->place = print_basename(p->modules[pc->module].path);
		leaf->name = symbol->known || symbol->size ? symbol->display : "(no symbols)";
		leaf->unnamed = !symbol->known;
		leaf->nameless = pc->context && (!symbol->known || symbol->local || name_public(NULL, symbol->name)) && (pc->module != module_of(p, pc) || leaves_has_no_source(in, pc));
		return options->leaves;
	default:
		return false;
	}
}

static int by_what(const void *left, const void *right)
{
	const struct leaf *a = left, *b = right;
	int c = (a->routine > b->routine) - (a->routine < b->routine);

	if (c == 0)
		c = strcmp(a->name ? a->name : "", b->name ? b->name : "");
	if (c == 0)
		c = strcmp(a->place, b->place);
	return c ? c : (a->line > b->line) - (a->line < b->line);
}

static int leaves_by_time(const void *left, const void *right)
{
	const struct leaf *a = left, *b = right;
	int c = (a->routine > b->routine) - (a->routine < b->routine);

	if (c == 0)
		c = (a->time < b->time) - (a->time > b->time);
	return c ? c : by_what(left, right);
}

/* Join leaves of one routine and place. */
static void leaves_join(struct leaves *l)
{
	size_t kept = 0;

	qsort(l->leaf, l->n, sizeof *l->leaf, by_what);
	for (size_t i = 0; i < l->n; i++) {
		if (kept > 0 && by_what(&l->leaf[kept - 1], &l->leaf[i]) == 0) {
			l->leaf[kept - 1].time += l->leaf[i].time;
			l->leaf[kept - 1].ticks += l->leaf[i].ticks;
			if (!l->leaf[kept - 1].called)
				l->leaf[kept - 1].called = l->leaf[i].called;
		} else {
			l->leaf[kept++] = l->leaf[i];
		}
	}
	l->n = kept;
	qsort(l->leaf, l->n, sizeof *l->leaf, leaves_by_time);
}

static void leaves_index(struct leaves *l, uint32_t nroutines)
{
	size_t i = 0;

	for (uint32_t r = 0; r <= nroutines; r++) {
		while (i < l->n && l->leaf[i].routine < r)
			i++;
		l->first[r] = i;
	}
}

static bool leaves_is_kept(const struct graph *g, uint32_t context)
{
	return graph_owner(g, context) != GRAPH_NONE && g->contexts[g->context_of[context]].kept;
}

/* Whether sample I tells where its routine's own time went: of what is kept, and not in hooks, unless their cost was left in. */
static bool is_explained(const struct leaves *l, const struct graph *g, size_t i)
{
	if (g->profile->plain && g->overhead->spots[i].place == OVERHEAD_PLAIN)
		return false;			/* its time is that of contexts of their own */
	return l->owner[i] != GRAPH_NONE && (g->options.raw || !overhead_is_hook(g->overhead->spots[i].place));
}

/* The kernel's shares, of which there are no samples: a leaf a routine.  False: out of memory. */
static bool kernel_collect(struct leaves *l, const struct graph *g)
{
	uint64_t *time = calloc((size_t)g->nroutines + 1, sizeof *time);

	for (uint32_t i = 0; time && i < g->profile->ncontexts; i++)
		if (leaves_is_kept(g, i))
			time[graph_owner(g, i)] += (uint64_t)((double)graph_time(g, i) * g->routines[graph_owner(g, i)].kernel);
	for (uint32_t r = 0; time && r < g->nroutines; r++)
		if (time[r] > 0)
			l->leaf[l->n++] = (struct leaf){ .kind = LEAF_PSEUDO, .routine = r, .place = "[kernel]", .name = "(system calls, page faults)",
				.time = time[r] };
	free(time);
	return time != NULL;
}

static void owners_find(struct leaves *l, const struct graph *g)
{
	const struct profile *p = g->profile;

	for (size_t i = 0; i < p->npcs; i++) {
		l->owner[i] = leaves_is_kept(g, p->pcs[i].context) ? graph_owner(g, p->pcs[i].context) : GRAPH_NONE;
		if (is_explained(l, g, i))
			l->explained[l->owner[i]] += p->pcs[i].count;
	}
}

double leaves_sample(const struct graph *g, uint32_t routine, uint64_t explained)
{
	return explained ? (double)g->routines[routine].self * (1 - g->routines[routine].kernel) / (double)explained : 0;
}

/* False: out of memory. */
static bool leaves_collect(struct leaves *l, const struct report_input *in, const struct report_options *options)
{
	const struct graph *g = in->graph;
	const struct profile *p = g->profile;

	for (size_t i = 0; i < p->npcs; i++) {
		const struct profile_pc *pc = &p->pcs[i];
		struct leaf *leaf = &l->leaf[l->n];

		if (l->owner[i] == GRAPH_NONE)
			continue;
		leaf->routine = l->owner[i];
		if (!leaf_of(leaf, in, i, options, &l->text))
			continue;
		leaf->ticks = pc->count;
		leaf->time = (uint64_t)(leaves_sample(g, leaf->routine, l->explained[leaf->routine]) * (double)pc->count);
		l->n++;
	}
	return !options->leaves || !g->overhead->kernel_known || kernel_collect(l, g);
}

size_t leaves_outside(const struct report_input *in, struct leaf *leaf)
{
	static const struct report_options split = { .leaves = true };
	const struct graph *g = in->graph;
	const struct profile *p = g->profile;
	uint64_t samples = 0;
	size_t n = 0;

	if (!g->contexts[0].kept || p->plain || !in->symbols)
		return 0;
	for (size_t i = 0; i < p->npcs; i++)
		if (g->context_of[p->pcs[i].context] == 0 && !overhead_is_hook(g->overhead->spots[i].place)) {
			samples += p->pcs[i].count;
			leaf[n].routine = GRAPH_NONE;
			n += leaf_of(&leaf[n], in, i, &split, NULL);
		}
	for (size_t i = 0; i < n; i++) {
		leaf[i].ticks = leaf[i].pc->count;
		leaf[i].time = (uint64_t)((double)g->outside * (double)leaf[i].ticks / (double)samples);
	}
	return n;
}

/* ---- names ---- */

/* Whether the code at PC can run only for what its routine calls: in a library of the system's, or, of code that has no symbol (UNNAMED), in any of somebody else's. */
static bool is_others(const struct profile *p, const struct profile_pc *pc, bool unnamed)
{
	const struct profile_module *m = &p->modules[pc->module];

	return pc->module != module_of(p, pc) && !m->hooked && !m->main_program && (unnamed || leaves_is_systems(m->path));
}

/* By what name LEAF was called, if it is nameless. */
static void leaf_call_find(struct leaf *leaf, const struct leaves *l, const struct report_input *in)
{
	const char *name;

	if (!leaf->nameless)
		return;
	name = plain_call_name(l->called + leaf->routine, in->symbols, leaf->unnamed ? NULL : leaf->name, leaf->pc,
		is_others(in->graph->profile, leaf->pc, leaf->unnamed));
	if (name && leaf->unnamed)
		leaf->name = name;
	else if (name && strcmp(name, leaf->name) != 0)
		leaf->called = name;
}

/* Give the leaves of ROUTINE that have no name to be called by that of what was called.  False: out of memory. */
static bool leaves_routine_name(struct leaves *l, const struct report_input *in, const struct plain_calls_hooked *hooked, uint32_t routine)
{
	struct leaf *leaf = l->leaf + l->first[routine], *end = l->leaf + l->first[routine + 1];
	uint64_t time = 0;

	for (const struct leaf *i = leaf; i < end; i++)
		time += i->nameless ? i->time : 0;
	if (time == 0 || time * SEEN < in->graph->time)
		return true;
	if (!plain_calls_find(l->called + routine, in, hooked, routine))
		return false;
	for (; leaf < end; leaf++)
		leaf_call_find(leaf, l, in);
	return true;
}

/* The leaves are sorted and indexed. */
static bool findings_leaves_name(struct leaves *l, const struct report_input *in)
{
	struct plain_calls_hooked hooked;
	bool ok = plain_calls_hooked_find(&hooked, in->graph);

	l->called = calloc((size_t)in->graph->nroutines + 1, sizeof *l->called);
	ok = ok && l->called;
	for (uint32_t r = 0; ok && r < in->graph->nroutines; r++)
		ok = leaves_routine_name(l, in, &hooked, r);
	plain_calls_hooked_free(&hooked);
	return ok;
}

static bool rooms_make(struct leaves *l, const struct graph *g)
{
	l->first = calloc((size_t)g->nroutines + 2, sizeof *l->first);
	l->leaf = calloc(g->profile->npcs + g->nroutines + 1, sizeof *l->leaf);
	l->explained = calloc((size_t)g->nroutines + 1, sizeof *l->explained);
	l->owner = calloc(g->profile->npcs + 1, sizeof *l->owner);
	return l->first && l->leaf && l->explained && l->owner;
}

/* Fill L, which has the room.  False: out of memory. */
static bool leaves_fill(struct leaves *l, const struct report_input *in, const struct report_options *options)
{
	uint32_t nroutines = in->graph->nroutines;

	if (options->leaves || options->lines || options->inlines)
		owners_find(l, in->graph);
	if ((options->leaves || options->lines || options->inlines) && in->symbols && !leaves_collect(l, in, options))
		return false;
	leaves_join(l);
	leaves_index(l, nroutines);
	if (!options->leaves || !in->symbols)
		return true;
	if (!findings_leaves_name(l, in))
		return false;
	leaves_join(l);			/* several have one name now */
	leaves_index(l, nroutines);
	return true;
}

bool leaves_make(struct leaves *l, const struct report_input *in, const struct report_options *options,
		 struct error *err)
{
	struct report_options split = *options;

	*l = (struct leaves){ .nroutines = in->graph->nroutines };
	split.leaves &= !in->graph->profile->plain;
	if (rooms_make(l, in->graph) && leaves_fill(l, in, &split))
		return true;
	leaves_free(l);
	return error_no_memory(err, NULL);
}

/* ---- by context ---- */

static int by_pointed(const void *left, const void *right)
{
	return by_what(*(const struct leaf *const *)left, *(const struct leaf *const *)right);
}

static int leaves_by_context(const void *left, const void *right)
{
	const struct leaf_count *a = left, *b = right;
	int c = (a->context > b->context) - (a->context < b->context);

	return c ? c : (a->leaf > b->leaf) - (a->leaf < b->leaf);
}

/* The index of the leaf that sample I was in; SORTED are all of L by_pointed. */
static uint32_t leaf_find(const struct leaves *l, const struct leaf *const *sorted, const struct report_input *in, size_t i)
{
	static const struct report_options split = { .leaves = true };
	struct leaf key = { .routine = l->owner[i] };
	const struct leaf *wanted = &key;
	const struct leaf *const *found;

	if (l->n == 0 || !leaf_of(&key, in, i, &split, NULL))
		return LEAF_OWN;
	leaf_call_find(&key, l, in);
	found = bsearch(&wanted, sorted, l->n, sizeof *sorted, by_pointed);
	return found ? (uint32_t)(*found - l->leaf) : LEAF_OWN;
}

/* Join counts of one place. */
static size_t counts_join(struct leaf_count *counts, size_t n)
{
	size_t kept = 0;

	qsort(counts, n, sizeof *counts, leaves_by_context);
	for (size_t i = 0; i < n; i++) {
		if (kept > 0 && leaves_by_context(&counts[kept - 1], &counts[i]) == 0)
			counts[kept - 1].ticks += counts[i].ticks;
		else
			counts[kept++] = counts[i];
	}
	return kept;
}

uint32_t *leaves_each(const struct leaves *l, const struct report_input *in)
{
	const struct graph *g = in->graph;
	const struct leaf **sorted = calloc(l->n + 1, sizeof *sorted);
	uint32_t *each = sorted ? calloc(g->profile->npcs + 1, sizeof *each) : NULL;

	for (size_t i = 0; sorted && i < l->n; i++)
		sorted[i] = &l->leaf[i];
	if (sorted)
		qsort(sorted, l->n, sizeof *sorted, by_pointed);
	for (size_t i = 0; each && i < g->profile->npcs; i++)
		each[i] = is_explained(l, g, i) ? leaf_find(l, sorted, in, i) : LEAF_OWN;
	free(sorted);
	return each;
}

struct leaf_count *leaves_count(const struct leaves *l, const struct report_input *in, size_t *n)
{
	const struct graph *g = in->graph;
	const struct profile *p = g->profile;
	struct leaf_count *counts = calloc(p->npcs + 1, sizeof *counts);
	uint32_t *each = counts ? leaves_each(l, in) : NULL;
	size_t found = 0;

	for (size_t i = 0; each && i < p->npcs; i++)
		if (is_explained(l, g, i))
			counts[found++] = (struct leaf_count){ .context = g->context_of[p->pcs[i].context], .leaf = each[i], .ticks = p->pcs[i].count };
	*n = each ? counts_join(counts, found) : 0;
	if (!each) {
		free(counts);
		return NULL;
	}
	free(each);
	return counts;
}

void leaves_free(struct leaves *l)
{
	for (uint32_t r = 0; l->called && r < l->nroutines; r++)
		plain_calls_free(l->called + r);
	free(l->called);
	free(l->leaf);
	free(l->first);
	free(l->explained);
	free(l->owner);
	arena_free(&l->text);
	*l = (struct leaves){ 0 };
}
