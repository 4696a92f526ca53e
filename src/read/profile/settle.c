/* settle.c - the one order of all that a sum holds, and the sum as a profile.
 *
 * Nothing here looks at the places that things have so far:
 * - modules: the program first, then by path and build-id, of several paths the first; those of no file behind
 * - routines: by module, address, flags; pseudo-routines last
 * - contexts: parents first, then what is called from a context by routine, each with all below it
 * - threads: by their records, then by what they counted
 * - values: by name, behind the first */
#include <stdlib.h>
#include <string.h>

#include "read/profile/headers.h"
#include "read/profile/summing.h"
#include "read/profile/values.h"

/* New places: old index -> new index. */
struct renumbering {
	uint32_t *modules, *routines, *contexts, *threads, *values;
};

static uint32_t *numbers(size_t n)
{
	uint32_t *all = malloc((n + 1) * sizeof *all);

	for (size_t i = 0; all && i < n; i++)
		all[i] = (uint32_t)i;
	return all;
}

/* ORDER lists N old indices in their new order; it is replaced by its inverse. */
static bool invert(uint32_t *order, uint32_t n)
{
	uint32_t *place = malloc(((size_t)n + 1) * sizeof *place);

	for (uint32_t i = 0; place && i < n; i++)
		place[order[i]] = i;
	if (place)
		memcpy(order, place, n * sizeof *order);
	free(place);
	return place != NULL;
}

/* Put the N items of SIZE bytes at *ITEMS, which has room for so many from now on, into their PLACES. */
static bool permute(void *items, size_t *room, const uint32_t *places, uint32_t n, size_t size)
{
	char *old, *sorted = malloc(((size_t)n + 1) * size);

	memcpy(&old, items, sizeof old);
	for (uint32_t i = 0; sorted && i < n; i++)
		memcpy(sorted + places[i] * size, old + i * size, size);
	if (!sorted)
		return false;
	free(old);
	memcpy(items, &sorted, sizeof sorted);
	*room = (size_t)n + 1;
	return true;
}

/* ---- modules ---- */

/* The path at which a process of another mount namespace has a file is the last choice. */
static int path_compare(const char *a, const char *b)
{
	bool proc_a = strncmp(a, "/proc/", 6) == 0, proc_b = strncmp(b, "/proc/", 6) == 0;

	return proc_a != proc_b ? proc_a - proc_b : strcmp(a, b);
}

static void path_settle(struct profile_module *m)
{
	for (uint32_t i = 0; i < m->nalso; i++)
		if (path_compare(m->also[i], m->path) < 0) {
			char *path = m->path;

			m->path = m->also[i];
			m->also[i] = path;
		}
}

static int module_compare(const void *x, const void *y, void *profile)
{
	const struct profile *p = profile;
	const struct profile_module *a = &p->modules[*(const uint32_t *)x], *b = &p->modules[*(const uint32_t *)y];
	int c;

	if (a->main_program != b->main_program)
		return a->main_program ? -1 : 1;
	c = path_compare(a->path, b->path);
	if (c || a->build_id_size != b->build_id_size)
		return c ? c : a->build_id_size < b->build_id_size ? -1 : 1;
	return memcmp(a->build_id, b->build_id, sizeof a->build_id);
}

static bool modules_place(struct profile *p, struct renumbering *at)
{
	at->modules = numbers(p->nmodules);
	for (uint32_t i = 0; i < p->nmodules; i++)
		path_settle(&p->modules[i]);
	if (at->modules)
		qsort_r(at->modules, p->nmodules, sizeof *at->modules, module_compare, p);
	return at->modules && invert(at->modules, p->nmodules) &&
	       permute(&p->modules, &p->private->modules, at->modules, p->nmodules, sizeof *p->modules);
}

static uint32_t module_at(const struct renumbering *at, uint32_t module)
{
	return module == PROFILE_NONE ? PROFILE_NONE : at->modules[module];
}

/* ---- routines ---- */

static int routine_compare(const void *x, const void *y, void *profile)
{
	const struct profile *p = profile;
	const struct profile_routine *a = &p->routines[*(const uint32_t *)x], *b = &p->routines[*(const uint32_t *)y];

	if (a->pseudo != b->pseudo)
		return a->pseudo < b->pseudo ? -1 : 1;
	if (a->module != b->module)
		return a->module < b->module ? -1 : 1;
	if (a->address != b->address)
		return a->address < b->address ? -1 : 1;
	return (a->flags > b->flags) - (a->flags < b->flags);
}

static bool routines_place(struct profile *p, struct renumbering *at)
{
	for (uint32_t i = 0; i < p->nroutines; i++)
		p->routines[i].module = module_at(at, p->routines[i].module);
	at->routines = numbers(p->nroutines);
	if (at->routines)
		qsort_r(at->routines, p->nroutines, sizeof *at->routines, routine_compare, p);
	return at->routines && invert(at->routines, p->nroutines) &&
	       permute(&p->routines, &p->private->routines, at->routines, p->nroutines, sizeof *p->routines);
}

static int settle_script_compare(const void *x, const void *y)
{
	const struct profile_script *a = x, *b = y;

	return (a->routine > b->routine) - (a->routine < b->routine);
}

static void scripts_settle(struct profile *p, const struct renumbering *at)
{
	for (uint32_t i = 0; i < p->nscripts; i++)
		p->scripts[i].routine = at->routines[p->scripts[i].routine];
	if (p->nscripts)
		qsort(p->scripts, p->nscripts, sizeof *p->scripts, settle_script_compare);
	for (uint32_t i = 0; i < p->nscripts; i++)
		p->routines[p->scripts[i].routine].script = i + 1;
}

/* ---- contexts ---- */

/* What contexts call, as lists by parent: the routines ascend. */
struct calls {
	uint32_t *first;	/* context -> the first that it calls; PROFILE_NONE: nothing */
	uint32_t *next;		/* context -> the next that its parent calls */
	uint32_t *by_routine;	/* routine -> where its contexts begin, while they are sorted */
	uint32_t *sorted;	/* contexts by routine */
};

static bool calls_make(struct calls *c, const struct profile *p)
{
	uint32_t n = p->ncontexts;

	c->first = malloc(((size_t)n + 1) * sizeof *c->first);
	c->next = malloc(((size_t)n + 1) * sizeof *c->next);
	c->sorted = malloc(((size_t)n + 1) * sizeof *c->sorted);
	c->by_routine = calloc((size_t)p->nroutines + 2, sizeof *c->by_routine);
	if (!c->first || !c->next || !c->sorted || !c->by_routine)
		return false;
	for (uint32_t i = 1; i < n; i++)
		c->by_routine[p->contexts[i].routine + 1]++;
	for (uint32_t i = 0; i < p->nroutines; i++)
		c->by_routine[i + 1] += c->by_routine[i];
	for (uint32_t i = 1; i < n; i++)
		c->sorted[c->by_routine[p->contexts[i].routine]++] = i;
	memset(c->first, 0xff, n * sizeof *c->first);
	for (uint32_t i = n - 1; i > 0; i--) {			/* the last routine first, each put before the ones there */
		uint32_t context = c->sorted[i - 1], parent = p->contexts[context].parent;

		c->next[context] = c->first[parent];
		c->first[parent] = context;
	}
	c->next[0] = PROFILE_NONE;
	return true;
}

static void calls_free(struct calls *c)
{
	free(c->first);
	free(c->next);
	free(c->by_routine);
	free(c->sorted);
}

/* Number the contexts: each, then all below it. */
static void settle_number(const struct calls *c, const struct profile *p, uint32_t *places)
{
	uint32_t at = 0, n = 0;

	places[0] = n++;
	while (n < p->ncontexts) {
		uint32_t next = c->first[at];

		while (next == PROFILE_NONE) {			/* nothing left below: on beside, or above */
			next = c->next[at];
			at = p->contexts[at].parent;
		}
		places[next] = n++;
		at = next;
	}
}

static void nodes_renumber(struct profile *p, const struct renumbering *at)
{
	struct histories *h = &p->private->histories;

	histories_renumber(h, at->routines);
	for (uint32_t i = 0; i < h->n; i++)
		if (h->nodes[i].context != HISTORIES_NONE)
			h->nodes[i].context = at->contexts[h->nodes[i].context];
}

static bool contexts_place(struct profile *p, struct renumbering *at)
{
	struct calls c = { 0 };
	bool ok;

	for (uint32_t i = 1; i < p->ncontexts; i++)
		p->contexts[i].routine = at->routines[p->contexts[i].routine];
	at->contexts = numbers(p->ncontexts);
	ok = at->contexts && calls_make(&c, p);
	if (ok) {
		settle_number(&c, p, at->contexts);
		for (uint32_t i = 1; i < p->ncontexts; i++)
			p->contexts[i].parent = at->contexts[p->contexts[i].parent];
	}
	calls_free(&c);
	ok = ok && permute(&p->contexts, &p->private->contexts, at->contexts, p->ncontexts, sizeof *p->contexts) &&
	     profile_cover_spreads(p) && (p->nspreads == 0 || permute(&p->spreads, &p->private->spreads, at->contexts, p->ncontexts, sizeof *p->spreads)) &&
	     permute(&p->private->node_of, &p->private->nodes, at->contexts, p->ncontexts, sizeof *p->private->node_of);
	if (ok)
		nodes_renumber(p, at);
	return ok;
}

/* ---- values ---- */

static int value_compare(const void *x, const void *y, void *profile)
{
	const struct profile *p = profile;
	uint32_t a = *(const uint32_t *)x, b = *(const uint32_t *)y;

	return a && b ? strcmp(p->values[a].name, p->values[b].name) : (a > b) - (a < b);
}

static bool values_place(struct profile *p, struct renumbering *at)
{
	at->values = numbers(p->nvalues);
	if (at->values)
		qsort_r(at->values, p->nvalues, sizeof *at->values, value_compare, p);
	return at->values && invert(at->values, p->nvalues) && permute(&p->values, &p->private->values, at->values, p->nvalues, sizeof *p->values);
}

/* ---- counters ---- */

/* The records of K change hands, in the order of COMPARE: to *ITEMS, their number to *N and the room for them to *ROOM. */
static void settle_hand_over(struct key_table *k, void *items, size_t *n, size_t *room, int (*compare)(const void *, const void *))
{
	table_free(&k->table);
	if (k->n)
		qsort(k->items, k->n, k->size, compare);
	memcpy(items, &k->items, sizeof k->items);
	*n = k->n;
	*room = k->room;
	k->items = NULL;
	key_table_free(k);
}

/* Contexts and modules of the records have new places; threads are as they were. */
static void records_place(struct profile_sum *s, const struct renumbering *at)
{
	struct profile_share *shares = (void *)s->shares.items;
	struct profile_amount *amounts = (void *)s->amounts.items;
	struct profile_pc *pcs = (void *)s->pcs.items;
	struct profile_detour *detours = (void *)s->detours.items;
	struct profile_site *sites = (void *)s->sites.items;
	struct profile_arc *arcs = (void *)s->arcs.items;
	struct profile_slice *slices = (void *)s->slices.items;

	for (size_t i = 0; i < s->shares.n; i++)
		shares[i].context = at->contexts[shares[i].context];
	for (size_t i = 0; i < s->amounts.n; i++) {
		struct profile_amount *a = &amounts[i];

		a->value = at->values[a->value];
		a->from = a->from == PROFILE_NONE ? PROFILE_NONE : at->routines[a->from];
		a->to = a->thread == PROFILE_NONE ? at->routines[a->to] : at->contexts[a->to];
	}
	for (size_t i = 0; i < s->pcs.n; i++) {
		pcs[i].context = at->contexts[pcs[i].context];
		pcs[i].module = module_at(at, pcs[i].module);
	}
	for (size_t i = 0; i < s->detours.n; i++) {
		detours[i].from = at->contexts[detours[i].from];
		detours[i].to = at->contexts[detours[i].to];
	}
	for (size_t i = 0; i < s->sites.n; i++) {
		sites[i].from = at->contexts[sites[i].from];
		sites[i].to = at->contexts[sites[i].to];
		sites[i].module = module_at(at, sites[i].module);
	}
	for (size_t i = 0; i < s->slices.n; i++)
		slices[i].context = slices[i].context == PROFILE_NONE ? PROFILE_NONE : at->contexts[slices[i].context];
	for (size_t i = 0; i < s->arcs.n; i++) {
		arcs[i].from = arcs[i].from == PROFILE_NONE ? PROFILE_NONE : at->routines[arcs[i].from];
		arcs[i].to = at->routines[arcs[i].to];
	}
}

static void records_hand_over(struct profile_sum *s)
{
	struct profile *p = s->p;

	settle_hand_over(&s->shares, &p->shares, &p->nshares, &p->private->shares, order_shares);
	settle_hand_over(&s->amounts, &p->amounts, &p->namounts, &p->private->amounts, order_amounts);
	settle_hand_over(&s->pcs, &p->pcs, &p->npcs, &p->private->pcs, order_pcs);
	settle_hand_over(&s->detours, &p->detours, &p->ndetours, &p->private->room, order_detours);
	settle_hand_over(&s->sites, &p->sites, &p->nsites, &p->private->sites, order_sites);
	settle_hand_over(&s->arcs, &p->arcs, &p->narcs, &p->private->arcs, order_arcs);
	settle_hand_over(&s->slices, &p->slices, &p->nslices, &p->private->slices, order_slices);
}

/* ---- threads ---- */

/* Where the records of each thread begin: of thread i from [i] to [i + 1]. */
struct parts_of {
	const struct profile *p;
	size_t *shares, *amounts, *detours, *sites, *slices;
};

/* Fill STARTS for the N records of SIZE bytes at ITEMS, whose threads stand at OFFSET. */
static void starts_find(size_t *starts, uint32_t threads, const void *items, size_t n, size_t size, size_t offset)
{
	size_t i = 0;

	for (uint32_t thread = 0; thread <= threads; thread++) {
		for (uint32_t of; i < n; i++) {
			memcpy(&of, (const char *)items + i * size + offset, sizeof of);
			if (of >= thread)
				break;
		}
		starts[thread] = i;
	}
}

static int sign(uint64_t a, uint64_t b) { return (a > b) - (a < b); }

static int shares_compare(const struct parts_of *s, uint32_t a, uint32_t b)
{
	size_t n = s->shares[a + 1] - s->shares[a];
	int c = sign(n, s->shares[b + 1] - s->shares[b]);

	for (size_t i = 0; c == 0 && i < n; i++) {
		const struct profile_share *x = &s->p->shares[s->shares[a] + i], *y = &s->p->shares[s->shares[b] + i];

		c = sign(x->context, y->context);
		c = c ? c : memcmp(&x->entries, &y->entries, sizeof *x - offsetof(struct profile_share, entries));
	}
	return c;
}

static int amounts_compare(const struct parts_of *s, uint32_t a, uint32_t b)
{
	size_t n = s->amounts[a + 1] - s->amounts[a];
	int c = sign(n, s->amounts[b + 1] - s->amounts[b]);

	for (size_t i = 0; c == 0 && i < n; i++) {
		const struct profile_amount *x = &s->p->amounts[s->amounts[a] + i], *y = &s->p->amounts[s->amounts[b] + i];

		c = memcmp(&x->from, &y->from, sizeof *x - offsetof(struct profile_amount, from));
	}
	return c;
}

static int ways_compare(const struct parts_of *s, uint32_t a, uint32_t b)
{
	size_t n = s->detours[a + 1] - s->detours[a];
	int c = sign(n, s->detours[b + 1] - s->detours[b]);

	for (size_t i = 0; c == 0 && i < n; i++) {
		const struct profile_detour *x = &s->p->detours[s->detours[a] + i], *y = &s->p->detours[s->detours[b] + i];

		c = sign(x->from, y->from);
		c = c ? c : sign(x->to, y->to);
		c = c ? c : sign(x->calls, y->calls);
	}
	n = s->sites[a + 1] - s->sites[a];
	c = c ? c : sign(n, s->sites[b + 1] - s->sites[b]);
	for (size_t i = 0; c == 0 && i < n; i++) {
		const struct profile_site *x = &s->p->sites[s->sites[a] + i], *y = &s->p->sites[s->sites[b] + i];

		c = memcmp(&x->from, &y->from, sizeof *x - offsetof(struct profile_site, from));
	}
	return c;
}

static int slices_compare(const struct parts_of *s, uint32_t a, uint32_t b)
{
	size_t n = s->slices[a + 1] - s->slices[a];
	int c = sign(n, s->slices[b + 1] - s->slices[b]);

	for (size_t i = 0; c == 0 && i < n; i++) {
		const struct profile_slice *x = &s->p->slices[s->slices[a] + i], *y = &s->p->slices[s->slices[b] + i];

		c = sign(x->context, y->context);
		c = c ? c : sign(x->interval, y->interval);
		c = c ? c : sign(x->time, y->time);
		c = c ? c : sign(x->ticks, y->ticks);
	}
	return c;
}

static int origin_compare(const struct amon_origin *a, const struct amon_origin *b)
{
	int c = sign(a->start_realtime, b->start_realtime);

	c = c ? c : sign(a->rank, b->rank);
	return c ? c : (a->pid > b->pid) - (a->pid < b->pid);
}

static int thread_compare(const void *x, const void *y, void *parts)
{
	const struct parts_of *s = parts;
	uint32_t i = *(const uint32_t *)x, k = *(const uint32_t *)y;
	const struct profile_thread *a = &s->p->threads[i], *b = &s->p->threads[k];
	int c = sign(a->record.start_monotonic, b->record.start_monotonic);

	c = c ? c : sign(a->record.tid, b->record.tid);
	c = c ? c : memcmp(&a->record, &b->record, sizeof a->record);
	c = c ? c : origin_compare(&a->origin, &b->origin);
	c = c ? c : sign(a->current, b->current);
	c = c ? c : shares_compare(s, i, k);
	c = c ? c : amounts_compare(s, i, k);
	c = c ? c : ways_compare(s, i, k);
	return c ? c : slices_compare(s, i, k);
}

static bool parts_find(struct parts_of *s, const struct profile *p)
{
	size_t size = ((size_t)p->nthreads + 2) * sizeof *s->shares;

	*s = (struct parts_of){ p, malloc(size), malloc(size), malloc(size), malloc(size), malloc(size) };
	if (!s->shares || !s->amounts || !s->detours || !s->sites || !s->slices)
		return false;
	starts_find(s->shares, p->nthreads, p->shares, p->nshares, sizeof *p->shares, offsetof(struct profile_share, thread));
	starts_find(s->amounts, p->nthreads, p->amounts, p->namounts, sizeof *p->amounts, offsetof(struct profile_amount, thread));
	starts_find(s->detours, p->nthreads, p->detours, p->ndetours, sizeof *p->detours, offsetof(struct profile_detour, thread));
	starts_find(s->sites, p->nthreads, p->sites, p->nsites, sizeof *p->sites, offsetof(struct profile_site, thread));
	starts_find(s->slices, p->nthreads, p->slices, p->nslices, sizeof *p->slices, offsetof(struct profile_slice, thread));
	return true;
}

/* Whose records are already in order by their old numbers. */
static bool threads_place(struct profile *p, struct renumbering *at)
{
	struct parts_of parts;
	bool ok = parts_find(&parts, p);

	for (uint32_t i = 0; i < p->nthreads; i++)
		if (p->threads[i].current != PROFILE_NONE)
			p->threads[i].current = at->contexts[p->threads[i].current];
	at->threads = ok ? numbers(p->nthreads) : NULL;
	if (at->threads)
		qsort_r(at->threads, p->nthreads, sizeof *at->threads, thread_compare, &parts);
	free(parts.shares);
	free(parts.amounts);
	free(parts.detours);
	free(parts.sites);
	free(parts.slices);
	return at->threads && invert(at->threads, p->nthreads) &&
	       permute(&p->threads, &p->private->threads, at->threads, p->nthreads, sizeof *p->threads);
}

static void threads_renumber(struct profile *p, const struct renumbering *at)
{
	bool same = true;

	for (uint32_t i = 0; i < p->nthreads; i++)
		same = same && at->threads[i] == i;
	if (same)
		return;
	for (size_t i = 0; i < p->nshares; i++)
		p->shares[i].thread = at->threads[p->shares[i].thread];
	for (size_t i = 0; i < p->namounts; i++)
		if (p->amounts[i].thread != PROFILE_NONE)
			p->amounts[i].thread = at->threads[p->amounts[i].thread];
	for (size_t i = 0; i < p->ndetours; i++)
		p->detours[i].thread = at->threads[p->detours[i].thread];
	for (size_t i = 0; i < p->nsites; i++)
		p->sites[i].thread = at->threads[p->sites[i].thread];
	for (size_t i = 0; i < p->nslices; i++)
		p->slices[i].thread = at->threads[p->slices[i].thread];
	if (p->nshares)
		qsort(p->shares, p->nshares, sizeof *p->shares, order_shares);
	if (p->namounts)
		qsort(p->amounts, p->namounts, sizeof *p->amounts, order_amounts);
	if (p->ndetours)
		qsort(p->detours, p->ndetours, sizeof *p->detours, order_detours);
	if (p->nsites)
		qsort(p->sites, p->nsites, sizeof *p->sites, order_sites);
	if (p->nslices)
		qsort(p->slices, p->nslices, sizeof *p->slices, order_slices);
}

/* ---- the rest ---- */

static int symbols_compare(const void *x, const void *y)
{
	const struct profile_symbols *a = x, *b = y;

	if (a->module != b->module)
		return a->module < b->module ? -1 : 1;
	if (a->size != b->size)
		return a->size < b->size ? -1 : 1;
	return memcmp(a->data, b->data, a->size);
}

static void symbols_settle(struct profile *p, const struct renumbering *at)
{
	for (size_t i = 0; i < p->nsymbols; i++)
		p->symbols[i].module = at->modules[p->symbols[i].module];
	if (p->nsymbols)
		qsort(p->symbols, p->nsymbols, sizeof *p->symbols, symbols_compare);
}

static void settle_contexts_count(struct profile *p)
{
	for (size_t i = 0; i < p->nshares; i++)
		profile_add_share(p, &p->shares[i]);
	for (uint32_t i = 0; i < p->ncontexts; i++)
		if (p->contexts[i].length > p->longest)
			p->longest = p->contexts[i].length;
	for (uint32_t i = 0; i < p->nthreads; i++) {
		add_capped(&p->monitor, p->threads[i].record.monitor);
		add_capped(&p->unplaced, p->threads[i].record.unplaced);
	}
}

static int command_compare(const void *x, const void *y)
{
	const struct profile_command *a = x, *b = y;

	return strcmp(a->name, b->name);
}

static void run_settle(struct profile_sum *s)
{
	struct profile *p = s->p;
	struct profile_run *run = &p->runs[0];
	size_t room;

	if (p->nruns == 0)
		return;
	headers_settle(&run->header);
	run->threads = p->nthreads;
	run->sliced = p->nslices > 0;
	for (uint32_t i = 0; i < p->nthreads; i++)
		run->level = p->threads[i].level > run->level ? p->threads[i].level : run->level;
	run->ranks = s->unranked ? 0 : s->ranks < UINT32_MAX ? (uint32_t)s->ranks : UINT32_MAX;
	settle_hand_over(&s->commands, &run->commands, &run->ncommands, &room, command_compare);
	for (uint32_t i = 1; i < p->ncontexts; i++) {
		const struct profile_context *c = &p->contexts[i];

		run->contexts += c->entries || c->recursive || c->time || c->ticks;
		run->recursions += c->recursive != 0;
		run->transitions += (c->entries != 0) + (c->recursive != 0);
	}
}

bool sum_settle(struct profile_sum *s)
{
	struct profile *p = s->p;
	struct renumbering at = { 0 };
	bool ok = modules_place(p, &at) && routines_place(p, &at) && contexts_place(p, &at) && values_place(p, &at);

	if (ok) {
		profile_tables_renew(p);
		scripts_settle(p, &at);
		records_place(s, &at);
		records_hand_over(s);
		p->private->weighed = true;
		squares_settle(p);
		ok = threads_place(p, &at);
	}
	if (ok) {
		threads_renumber(p, &at);
		symbols_settle(p, &at);
		settle_contexts_count(p);
		run_settle(s);
	}
	free(at.modules);
	free(at.routines);
	free(at.contexts);
	free(at.threads);
	free(at.values);
	return ok;
}
