/* write_threads.c - the contexts of each thread as items: transitions that lead to them.
 *
 * A thread's items are: the root; each of its contexts and of their ancestors, once, by
 * the step from its parent; then the detours, transitions from elsewhere; then the direct
 * recursive calls; then each call site's part of any of these, as an item of its own.  Calls are dealt out so that each context gets its entries and each caller its calls. */
#include "read/profile/writer.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "contract/pcs.h"

#define ITEMS_A_CHUNK ((size_t)1 << 20)

static int compare_contexts(const void *x, const void *y)
{
	const uint32_t *a = x, *b = y;

	return *a < *b ? -1 : *a > *b;
}

/* Put CONTEXT and those of its ancestors that are not there yet into the order. */
static bool need_context(struct writer *w, uint32_t context)
{
	for (; context != PROFILE_NONE && w->item_of[context] == PROFILE_NONE; context = w->p->contexts[context].parent) {
		if (!array_reserve(&w->order, &w->order_room, w->norder + 1, sizeof *w->order))
			return writer_no_memory(w);
		w->item_of[context] = 0;
		w->order[w->norder++] = context;
	}
	return true;
}

/* Parents before children: contexts are numbered so. */
static bool order_contexts(struct writer *w, uint32_t thread)
{
	const struct profile *p = w->p;
	bool sorted = true;

	w->norder = 0;
	if (!need_context(w, 0))
		return false;
	for (size_t i = w->share; i < p->nshares && p->shares[i].thread == thread; i++)
		if (!need_context(w, p->shares[i].context))
			return false;
	for (size_t i = 1; i < w->norder; i++)
		sorted = sorted && w->order[i - 1] < w->order[i];
	if (!sorted)
		qsort(w->order, w->norder, sizeof *w->order, compare_contexts);
	return true;
}

static bool add_item(struct writer *w, uint32_t parent, uint32_t routine, uint64_t calls)
{
	if (w->nitems >= AMON_NONE - 1 ||
	    !array_reserve(&w->links, &w->link_room, w->nitems + 1, sizeof *w->links) ||
	    !array_reserve(&w->counters, &w->counter_room, w->nitems + 1, sizeof *w->counters) ||
	    !array_reserve(&w->ticks, &w->tick_room, w->nitems + 1, sizeof *w->ticks) ||
	    !array_reserve(&w->sites, &w->site_room, w->nitems + 1, sizeof *w->sites) ||
	    !array_reserve(&w->spent, &w->spent_room, w->nitems + 1, sizeof *w->spent) ||
	    !array_reserve(&w->bytes, &w->bytes_room, w->nitems + 1, sizeof *w->bytes))
		return writer_no_memory(w);
	w->ticks[w->nitems] = 0;
	w->sites[w->nitems] = AMON_SITE_NONE;
	w->spent[w->nitems] = (struct amon_spent){ 0 };
	w->bytes[w->nitems] = 0;
	w->links[w->nitems] = (struct amon_link){ .parent = parent, .routine = routine };
	w->counters[w->nitems++] = (struct amon_counter){ .calls = calls };
	return true;
}

/* The item of CONTEXT by the step from its parent, without counts. */
static bool write_threads_add_context(struct writer *w, uint32_t context)
{
	const struct profile_context *c = &w->p->contexts[context];
	uint32_t routine, parent;

	w->item_of[context] = (uint32_t)w->nitems;
	if (context == 0)
		return add_item(w, AMON_NONE, AMON_ROUTINE_ROOT, 0);
	routine = w->routine_of[c->routine];
	parent = c->parent == 0 && routine > AMON_ROUTINE_ROOT ? AMON_NONE : w->item_of[c->parent];
	return add_item(w, parent, routine, 0);
}

/* The first of THREAD's call sites of calls that lead FROM one context TO another, or a later one. */
static size_t first_site(const struct profile *p, uint32_t thread, uint32_t from, uint32_t to)
{
	size_t low = 0, high = p->nsites;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const struct profile_site *s = &p->sites[middle];

		if (s->thread != thread ? s->thread < thread : s->from != from ? s->from < from : s->to < to)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* CALLS of THREAD that lead FROM one context TO another, less those whose call sites are known. */
static uint64_t calls_of_no_site(const struct profile *p, uint32_t thread, uint32_t from, uint32_t to, uint64_t calls)
{
	for (size_t i = first_site(p, thread, from, to); i < p->nsites; i++) {
		const struct profile_site *s = &p->sites[i];

		if (s->thread != thread || s->from != from || s->to != to)
			break;
		calls -= s->calls < calls ? s->calls : calls;
	}
	return calls;
}

static uint32_t at_most(uint64_t n) { return n < UINT32_MAX ? (uint32_t)n : UINT32_MAX; }

static bool add_sites(struct writer *w, uint32_t thread)
{
	for (; w->site < w->p->nsites && w->p->sites[w->site].thread == thread; w->site++) {
		const struct profile_site *s = &w->p->sites[w->site];
		uint32_t from = w->item_of[s->from], to = w->item_of[s->to];

		assert(to != PROFILE_NONE && from != PROFILE_NONE);	/* both have shares of the thread */
		if (!add_item(w, from, w->links[to].routine, s->calls))
			return false;
		w->sites[w->nitems - 1] = writer_address(w, s->module, s->address);
		w->spent[w->nitems - 1] = (struct amon_spent){ at_most(s->self), at_most(s->children) };
	}
	return true;
}

static bool write_threads_add_shares(struct writer *w, uint32_t thread)
{
	const struct profile *p = w->p;

	for (; w->share < p->nshares && p->shares[w->share].thread == thread; w->share++) {
		const struct profile_share *s = &p->shares[w->share];
		uint32_t item = w->item_of[s->context];
		uint64_t recursive = calls_of_no_site(p, thread, s->context, s->context, s->recursive);

		w->counters[item].calls = calls_of_no_site(p, thread, p->contexts[s->context].parent, s->context, s->entries);
		w->counters[item].time = s->time;
		w->ticks[item] = s->ticks < UINT32_MAX ? (uint32_t)s->ticks : UINT32_MAX;
		w->bytes[item] = s->bytes;
		w->moved |= s->bytes > 0;
		if (recursive && !add_item(w, item, w->links[item].routine, recursive))
			return false;
	}
	return true;
}

static bool add_detours(struct writer *w, uint32_t thread)
{
	for (; w->detour < w->p->ndetours && w->p->detours[w->detour].thread == thread; w->detour++) {
		const struct profile_detour *d = &w->p->detours[w->detour];
		uint32_t to = w->item_of[d->to];
		uint64_t *calls, unsited = calls_of_no_site(w->p, thread, d->from, d->to, d->calls);

		assert(to != PROFILE_NONE && w->item_of[d->from] != PROFILE_NONE);	/* both have shares of the thread */
		calls = &w->counters[to].calls;
		*calls -= d->calls < *calls ? d->calls : *calls;
		if (unsited && !add_item(w, w->item_of[d->from], w->links[to].routine, unsited))
			return false;
	}
	return true;
}

static bool write_threads_add_pc(struct writer *w, const struct profile_pc *pc)
{
	for (uint64_t left = pc->count, part; left > 0; left -= part) {
		part = left < UINT32_MAX ? left : UINT32_MAX;
		if (!array_reserve(&w->pcs, &w->pc_room, w->npcs + 1, sizeof *w->pcs))
			return writer_no_memory(w);
		w->pcs[w->npcs++] = (struct amon_pc){
			.pc = writer_address(w, pc->module, pc->address),
			.context = w->item_of[pc->context], .count = (uint32_t)part,
		};
	}
	return true;
}

/* The first of the profile's PCs in CONTEXT or a later one. */
static size_t first_pc(const struct profile *p, uint32_t context)
{
	size_t low = 0, high = p->npcs;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (p->pcs[middle].context < context)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* A profile does not say which thread a PC was found in: the first thread that has its context gets it. */
static bool add_pcs(struct writer *w)
{
	const struct profile *p = w->p;

	w->npcs = 0;
	for (size_t i = 0; i < w->norder && p->npcs > 0; i++) {
		uint32_t context = w->order[i];

		if (w->homed[context])
			continue;
		w->homed[context] = true;
		for (size_t k = first_pc(p, context); k < p->npcs && p->pcs[k].context == context; k++)
			if (!write_threads_add_pc(w, &p->pcs[k]))
				return false;
	}
	return true;
}

/* What the items have beside, chunk beside chunk: of KIND, at WHAT, SIZE bytes each. */
static bool write_threads_write_beside(struct writer *w, uint32_t kind, uint32_t thread, const void *what, size_t size)
{
	for (size_t base = 0; base < w->nitems; base += ITEMS_A_CHUNK) {
		size_t left = w->nitems - base, n = left < ITEMS_A_CHUNK ? left : ITEMS_A_CHUNK, at;

		if (!writer_chunk(w, kind, thread, (const char *)what + base * size, n, size, &at))
			return false;
		writer_set_base(w, at, base, 0);
	}
	return true;
}

/* Were samples taken of THREAD's call sites? */
static bool has_spent(const struct profile *p, uint32_t thread)
{
	for (size_t i = first_site(p, thread, 0, 0); i < p->nsites && p->sites[i].thread == thread; i++)
		if (p->sites[i].self || p->sites[i].children)
			return true;
	return false;
}

/* The call sites of the items, and their samples. */
static bool write_sites(struct writer *w, uint32_t thread)
{
	if (first_site(w->p, thread, 0, 0) == first_site(w->p, thread + 1, 0, 0))
		return true;
	return write_threads_write_beside(w, AMON_SITES, thread, w->sites, sizeof *w->sites) &&
	       (!has_spent(w->p, thread) || write_threads_write_beside(w, AMON_SPENT, thread, w->spent, sizeof *w->spent));
}

static int compare_pcs(const void *x, const void *y) { return pcs_order(x, y); }

/* The thread's PCs packed, or, if that is more than a chunk can say, as they are. */
static bool write_pcs(struct writer *w, uint32_t thread)
{
	uint64_t size;
	size_t at;

	if (w->npcs == 0)
		return true;
	qsort(w->pcs, w->npcs, sizeof *w->pcs, compare_pcs);
	size = pcs_pack(w->pcs, w->npcs, NULL);
	if (size > UINT32_MAX)
		return writer_chunk(w, AMON_PCS, thread, w->pcs, w->npcs, sizeof *w->pcs, &at);
	if (!writer_chunk(w, AMON_PCS_PACKED, thread, NULL, size, 1, &at))
		return false;
	pcs_pack(w->pcs, w->npcs, w->data + at);
	return true;
}

static bool write_items(struct writer *w, uint32_t thread)
{
	for (size_t base = 0; base < w->nitems; base += ITEMS_A_CHUNK) {
		size_t left = w->nitems - base;

		if (!writer_context_chunk(w, thread, base, left < ITEMS_A_CHUNK ? left : ITEMS_A_CHUNK))
			return false;
	}
	return write_sites(w, thread) && (!w->moved || write_threads_write_beside(w, AMON_BYTES, thread, w->bytes, sizeof *w->bytes)) &&
	       write_pcs(w, thread);
}

/* What the thread's contexts, whose shares stand from SHARE on, have of values: of the first the squares, where they are known. */
static bool write_thread_amounts(struct writer *w, uint32_t thread, size_t share)
{
	const struct profile *p = w->p;
	size_t end = w->amount;

	if (p->nvalues && p->values[0].flags & AMON_VALUE_WEIGHED) {
		if (!writer_clear_amounts(w, w->nitems))
			return false;
		for (; share < w->share; share++)
			memcpy(w->amounts[w->item_of[p->shares[share].context]].squares, p->shares[share].squares, sizeof w->amounts->squares);
		if (!write_amounts(w, thread, 0, w->nitems))
			return false;
	}
	while (end < p->namounts && p->amounts[end].thread == thread)
		end++;
	for (uint32_t value = 1; w->amount < end && value < p->nvalues; value++) {
		if (!writer_clear_amounts(w, w->nitems))
			return false;
		for (size_t i = w->amount; i < end; i++)
			if (p->amounts[i].value == value)
				memcpy(&w->amounts[w->item_of[p->amounts[i].to]], &p->amounts[i].amount, sizeof *w->amounts);
		if (!write_amounts(w, thread, value, w->nitems))
			return false;
	}
	w->amount = end;
	return true;
}

static void write_record(struct writer *w, uint32_t thread)
{
	struct amon_thread record = w->p->threads[thread].record;
	uint32_t current = w->p->threads[thread].current;

	record.current = current == PROFILE_NONE ? AMON_NONE : w->item_of[current];
	memcpy(w->data + w->threads_at + thread * sizeof record, &record, sizeof record);
}

static bool write_thread(struct writer *w, uint32_t thread)
{
	size_t share = w->share;

	w->nitems = 0;
	w->moved = false;
	if (!order_contexts(w, thread))
		return false;
	for (size_t i = 0; i < w->norder; i++)
		if (!write_threads_add_context(w, w->order[i]))
			return false;
	if (!write_threads_add_shares(w, thread) || !add_detours(w, thread) || !add_sites(w, thread) || !add_pcs(w) || !write_items(w, thread) || !write_thread_amounts(w, thread, share) || !write_spreads(w, thread) ||
	    !write_slices(w, thread))
		return false;
	write_record(w, thread);
	for (size_t i = 0; i < w->norder; i++)
		w->item_of[w->order[i]] = PROFILE_NONE;
	return true;
}

bool write_threads(struct writer *w)
{
	const struct profile *p = w->p;

	w->item_of = malloc(p->ncontexts * sizeof *w->item_of);
	w->homed = calloc(p->ncontexts, sizeof *w->homed);
	w->spread = calloc(p->ncontexts, sizeof *w->spread);
	if (!w->item_of || !w->homed || !w->spread)
		return writer_no_memory(w);
	memset(w->item_of, 0xff, p->ncontexts * sizeof *w->item_of);
	for (uint32_t thread = 0; thread < p->nthreads; thread++)
		if (!write_thread(w, thread))
			return false;
	assert(w->share == p->nshares && w->detour == p->ndetours && w->site == p->nsites && w->slice == p->nslices);
	return true;
}
