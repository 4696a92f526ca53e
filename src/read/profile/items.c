/* items.c - the items of each thread replayed into contexts, and their counters summed.
 *
 * An item says: in the context of item `parent`, `routine` is called.  A1-A5 give the history
 * that this leads to; when the profile has a context with it, from this thread, another one or
 * another file, the item counts for that one. */
#include "read/profile/reader.h"
#include "read/profile/times.h"
#include "read/profile/values.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "contract/pcs.h"

enum { AHEAD = 16 };		/* by so many items, at most, memory is asked for before it is needed */

/* What an item counted since the last reset. */
struct counts {
	uint64_t calls;		/* times the transition was taken */
	uint64_t time;		/* unit of the file's clock */
	uint64_t ticks;		/* samples */
	bool used;		/* it was ever taken, or charged */
	uint64_t site;		/* where its calls came from, AMON_SITE_NONE or _SEVERAL too */
	struct amon_spent spent; /* samples of them */
	uint64_t bytes;		/* that they moved */
	const struct chunk *amounts; /* beside: what it has of values, */
	size_t namounts;	/* in so many of them, */
	uint32_t at;		/* at this place */
};

uint32_t reader_routine(struct reader *r, uint32_t id, uint64_t at)
{
	uint32_t pseudo, *slot;

	if (id < r->nroutines)
		return r->routines[id];
	if (id < AMON_ROUTINE_ROOT && r->run.header.state == AMON_RUNNING)
		id = AMON_ROUTINE_LOST;			/* copied before its record was written */
	pseudo = id - AMON_ROUTINE_ROOT;
	if (id <= AMON_ROUTINE_ROOT || id > AMON_ROUTINE_LAST) {
		reader_corrupt(r, at, "routine %u, there are %zu", id, r->nroutines);
		return PROFILE_NONE;
	}
	slot = &r->pseudo[pseudo];
	if (*slot == PROFILE_NONE)
		*slot = profile_routine(r->p, &(struct profile_routine){ .module = PROFILE_NONE, .pseudo = id });
	if (*slot == PROFILE_NONE || !histories_reserve(&r->p->private->histories, 1, r->p->nroutines)) {
		reader_no_memory(r);
		return PROFILE_NONE;
	}
	return *slot;
}

/* See that the arrays indexed by contexts reach as far as there are contexts. */
static bool items_cover_contexts(struct reader *r)
{
	size_t n = r->p->ncontexts;

	if (!array_reserve(&r->share_of, &r->share_room, n, sizeof *r->share_of) ||
	    !array_reserve(&r->met, &r->met_room, n, sizeof *r->met))
		return reader_no_memory(r);
	for (; r->nshare_of < n; r->nshare_of++)
		r->share_of[r->nshare_of] = PROFILE_NONE;
	for (; r->nmet < n; r->nmet++)
		r->met[r->nmet] = false;
	return true;
}

/* The share of THREAD in CONTEXT, added if new; NULL with the error set. */
static struct profile_share *find_share(struct reader *r, uint32_t context, uint32_t thread)
{
	struct profile *p = r->p;

	assert(context < p->ncontexts);
	if (context >= r->nshare_of && !items_cover_contexts(r))
		return NULL;
	if (r->share_of[context] != PROFILE_NONE)
		return &p->shares[r->share_of[context]];
	if (p->nshares >= PROFILE_NONE ||
	    !array_reserve(&p->shares, &p->private->shares, p->nshares + 1, sizeof *p->shares)) {
		reader_no_memory(r);
		return NULL;
	}
	r->share_of[context] = (uint32_t)p->nshares;
	p->shares[p->nshares] = (struct profile_share){ .context = context, .thread = thread };
	return &p->shares[p->nshares++];
}

static bool add_detour(struct reader *r, uint32_t thread, uint32_t from, uint32_t to, uint64_t calls)
{
	if (!array_reserve(&r->p->detours, &r->p->private->room, r->p->ndetours + 1, sizeof *r->p->detours))
		return reader_no_memory(r);
	r->p->detours[r->p->ndetours++] = (struct profile_detour){ .thread = thread, .from = from, .to = to, .calls = calls };
	return true;
}

static bool is_site(const struct counts *n) { return n->site != AMON_SITE_NONE && n->site != AMON_SITE_SEVERAL; }

/* What is known of the item's call site: of one that is not known its samples alone. */
static bool items_add_site(struct reader *r, uint32_t thread, uint32_t from, uint32_t to, const struct counts *n)
{
	const struct mapping *m = is_site(n) ? reader_mapping(r, n->site - 1) : NULL;
	struct profile *p = r->p;

	if (!(is_site(n) && n->calls) && !n->spent.self && !n->spent.children)
		return true;

	if (!array_reserve(&p->sites, &p->private->sites, p->nsites + 1, sizeof *p->sites))
		return reader_no_memory(r);
	p->sites[p->nsites++] = (struct profile_site){
		.thread = thread, .from = from, .to = to, .module = m ? m->module : PROFILE_NONE,
		.address = m ? n->site - m->bias : is_site(n) ? n->site : 0, .calls = is_site(n) ? n->calls : 0,
		.self = n->spent.self, .children = n->spent.children,
	};
	return true;
}

/* The item leads FROM one context TO another.  What the monitor made in advance and never used is no fact about the run. */
static void count_use(struct reader *r, uint32_t from, uint32_t to, const struct counts *n)
{
	if (from == PROFILE_NONE || !n->used)
		return;
	r->run.transitions++;
	r->run.recursions += from == to;
	if (!r->met[to])
		r->run.contexts++;
	r->met[to] = true;
}

/* Count the item that leads FROM one context TO another, or, A1, to the same. */
static bool count_item(struct reader *r, uint32_t thread, uint32_t from, uint32_t to, const struct counts *n)
{
	struct profile_share *s = find_share(r, to, thread), *caller;

	if (!s)
		return false;
	count_use(r, from, to, n);
	add_capped(&s->time, reader_nsec(r, n->time));
	add_capped(&s->ticks, n->ticks);
	add_capped(&s->bytes, n->bytes);
	if (!values_take_item(r, n->amounts, n->namounts, n->at, s))
		return false;
	if (from == PROFILE_NONE)
		return true;				/* the root is entered by nobody */
	add_capped(from == to ? &s->recursive : &s->entries, n->calls);
	add_capped(&r->run.calls, n->calls);
	caller = find_share(r, from, thread);
	if (!caller)
		return false;
	add_capped(&caller->calls_out, n->calls);
	if (n->calls == 0)			/* before a reset, maybe: what they took is since then */
		return items_add_site(r, thread, from, to, n);
	if (from != to && r->p->contexts[to].parent != from && !add_detour(r, thread, from, to, n->calls))
		return false;
	return items_add_site(r, thread, from, to, n);
}

/* Replay the next item of the thread, whose link is at AT. */
static bool replay_item(struct reader *r, uint32_t thread, uint64_t at, const struct amon_link *link,
			const struct counts *n)
{
	uint32_t from = PROFILE_NONE, to = 0, routine;

	if (r->nitems == 0) {
		if (link->parent != AMON_NONE || link->routine != AMON_ROUTINE_ROOT)
			return reader_corrupt(r, at, "the first item of thread %u is no root", thread);
	} else {
		if (link->parent != AMON_NONE && link->parent >= r->nitems)
			return reader_corrupt(r, at, "item %zu comes from item %u", r->nitems, link->parent);
		from = link->parent == AMON_NONE ? 0 : r->items[link->parent];
		routine = reader_routine(r, link->routine, at);
		if (routine == PROFILE_NONE)
			return false;
		to = profile_step(r->p, from, routine);
		if (to == PROFILE_NONE)
			return reader_no_memory(r);
		if (r->p->private->histories.work > r->budget || r->p->private->histories.n > r->node_budget)
			return reader_corrupt(r, at, "histories grow beyond all measure");
	}
	r->items[r->nitems++] = to;
	return count_item(r, thread, from, to, n);
}

/* What item I of chunk C counted.  Its ticks, which stand behind all counters, may be cut off: 0. */
static struct counts items_take_counts(struct reader *r, const struct chunk *c, uint32_t i)
{
	uint64_t counters = c->at + c->head.counters, index = c->head.base + (uint64_t)i, before = 0;
	uint64_t ticks = counters + (uint64_t)c->head.capacity * sizeof(struct amon_counter) + i * sizeof(uint32_t);
	struct amon_phase_count left;
	struct amon_counter counter;
	uint32_t samples = 0;
	struct counts n;

	memcpy(&counter, r->data + counters + i * sizeof counter, sizeof counter);
	n = (struct counts){ .calls = counter.calls, .time = counter.time };
	if (ticks <= r->len - sizeof samples)
		memcpy(&samples, r->data + ticks, sizeof samples);
	n.ticks = samples;
	n.used = n.calls > 0 || n.time > 0 || n.ticks > 0;
	if (r->reset && index < r->reset->items)
		memcpy(&before, r->data + r->reset->at + r->reset->head.first + index * sizeof before, sizeof before);
	left = phases_count(r, index + AMON_PHASE_TOTALS, (struct amon_phase_count){ n.calls, n.time, n.ticks }, before);
	n.calls = left.calls;			/* a reset may come between */
	n.time = left.time;
	n.ticks = left.ticks;
	n.used = n.used && (!r->p->private->phase || n.calls > 0 || n.time > 0 || n.ticks > 0);
	return n;
}

/* The chunks beside one of contexts that say more of its items; NULL: there is none. */
struct beside {
	const struct chunk *sites, *spent, *bytes;
	const struct chunk *amounts;	/* of each value one, or more */
	size_t namounts;
};

/* Copy what chunk C has of item I, SIZE bytes, to WHAT; it stays as it is where there is nothing. */
static void profile_items_take(const struct reader *r, const struct chunk *c, uint32_t i, void *what, size_t size)
{
	if (c && i < c->items)
		memcpy(what, r->data + c->at + c->head.first + i * size, size);
}

/* The value that was chosen is what counts of item I. */
static void take_chosen(const struct reader *r, const struct beside *b, uint32_t i, struct counts *n)
{
	n->ticks = 0;
	if (r->chosen == CHOSEN_CALLS) {
		n->time = n->calls;
		return;
	}
	n->time = 0;
	if (r->chosen == CHOSEN_BYTES)
		profile_items_take(r, b->bytes, i, &n->time, sizeof n->time);
	else
		values_take_chosen(r, b->amounts, b->namounts, i, &n->time, &n->ticks);
	n->used = n->used || n->time || n->ticks;
}

/* Where the calls of item I came from, how long they took and what they moved, as B tells. */
static void take_beside(const struct reader *r, const struct beside *b, uint32_t i, struct counts *n)
{
	n->site = AMON_SITE_NONE;
	n->spent = (struct amon_spent){ 0 };
	profile_items_take(r, b->sites, i, &n->site, sizeof n->site);
	n->bytes = 0;
	n->amounts = b->amounts;
	n->namounts = b->namounts;
	n->at = i;
	if (r->chosen)
		take_chosen(r, b, i, n);
	if (r->p->private->phase || r->chosen)
		return;				/* it is not known in which phase the rest was */
	profile_items_take(r, b->spent, i, &n->spent, sizeof n->spent);
	profile_items_take(r, b->bytes, i, &n->bytes, sizeof n->bytes);
}

/* Where the link of item I of chunk C is in the file. */
static uint64_t link_at(const struct chunk *c, uint32_t i)
{
	return c->at + c->head.first + (uint64_t)i * sizeof(struct amon_link);
}

static struct amon_link link_of(const struct reader *r, const struct chunk *c, uint32_t i)
{
	struct amon_link link;

	memcpy(&link, r->data + link_at(c, i), sizeof link);
	return link;
}

/* Item I of chunk C comes soon. */
static void expect_item(const struct reader *r, const struct chunk *c, uint32_t i)
{
	struct amon_link link = i < c->items ? link_of(r, c, i) : (struct amon_link){ .parent = AMON_NONE };
	const struct profile_private *own = r->p->private;

	if (link.parent < r->nitems && link.routine < r->nroutines)
		histories_expect(&own->histories, own->node_of[r->items[link.parent]], r->routines[link.routine]);
}

/* What came to THREAD of the value that was chosen, and no context is known of: it is in none. */
static void unplaced_take(struct reader *r, uint32_t thread, struct counts *n)
{
	add_capped(&r->p->threads[thread].record.unplaced, n->time);
	n->time = n->ticks = 0;
}

/* Replay the items of chunk C, of which B says more.  *STOPPED: an item names what lies behind the cut of the file. */
static bool replay_chunk(struct reader *r, const struct chunk *c, const struct beside *b, uint32_t thread, bool *stopped)
{
	if (c->items == 0 || *stopped)
		return true;
	*stopped = r->run.truncated && c->head.base > r->nitems;
	if (!*stopped && c->head.base != r->nitems)
		return reader_corrupt(r, c->at, "items from %u on, after %zu", c->head.base, r->nitems);
	if (!array_reserve(&r->items, &r->item_room, r->nitems + c->items, sizeof *r->items))
		return reader_no_memory(r);
	for (uint32_t i = 0; i < c->items && !*stopped; i++) {
		struct amon_link link = link_of(r, c, i);
		struct counts n;

		for (uint32_t k = AHEAD; k > 0; k /= 2)	/* as a rule its parent came not long ago */
			expect_item(r, c, i + k);
		n = items_take_counts(r, c, i);
		take_beside(r, b, i, &n);
		if (r->chosen && link.routine == AMON_ROUTINE_UNPLACED)
			unplaced_take(r, thread, &n);
		*stopped = r->run.truncated && link.routine >= r->nroutines && link.routine < AMON_ROUTINE_ROOT;
		if (!*stopped && !replay_item(r, thread, link_at(c, i), &link, &n))
			return false;
	}
	return true;
}

static bool items_add_pc(struct reader *r, const struct amon_pc *item, uint64_t at)
{
	struct profile *p = r->p;
	const struct mapping *m = reader_mapping(r, item->pc);

	if (item->context >= r->nitems) {
		if (r->run.truncated || r->run.header.state == AMON_RUNNING)
			return true;			/* its context was made after we looked, or is cut off */
		return reader_corrupt(r, at, "samples of item %u, there are %zu", item->context, r->nitems);
	}
	if (!array_reserve(&p->pcs, &p->private->pcs, p->npcs + 1, sizeof *p->pcs))
		return reader_no_memory(r);
	p->pcs[p->npcs++] = (struct profile_pc){
		.context = r->items[item->context], .module = m ? m->module : PROFILE_NONE,
		.address = m ? item->pc - m->bias : item->pc, .count = item->count,
	};
	return true;
}

static bool read_pcs(struct reader *r, const struct chunk *c)
{
	for (uint32_t i = 0; i < c->items; i++) {
		uint64_t at = c->at + c->head.first + (uint64_t)i * sizeof(struct amon_pc);
		struct amon_pc item;

		memcpy(&item, r->data + at, sizeof item);
		if (item.pc != 0 && item.count != 0 && !items_add_pc(r, &item, at))
			return false;
	}
	return true;
}

static bool read_packed_pcs(struct reader *r, const struct chunk *c)
{
	uint64_t at = c->at + c->head.first;
	struct pcs_reader packed = { .data = r->data + at, .size = c->items };
	enum pcs_next next;
	struct amon_pc item;

	while ((next = pcs_next(&packed, &item)) == PCS_ONE)
		if (item.count != 0 && !items_add_pc(r, &item, at + packed.at))
			return false;
	return next == PCS_END || r->run.truncated || reader_corrupt(r, at + packed.at, "no program counter is packed here");
}

/* What was mapped where ITEM is: where modules took turns there, that of the routine that was interrupted. */
static const struct mapping *stack_mapping(const struct reader *r, const struct amon_stack *item)
{
	if (item->verdict == AMON_STACK_OPEN && item->routine < r->nroutines)
		for (size_t i = 0; i < r->nmappings && r->mappings[i].start <= item->pc; i++)
			if (item->pc < r->mappings[i].end && r->mappings[i].module == r->p->routines[r->routines[item->routine]].module)
				return &r->mappings[i];
	return reader_mapping(r, item->pc);
}

static bool add_stack(struct reader *r, const struct amon_stack *item, uint64_t at)
{
	struct profile *p = r->p;
	const struct mapping *m = stack_mapping(r, item);
	bool is_late = r->run.truncated || r->run.header.state == AMON_RUNNING;

	if (item->context >= r->nitems || (item->routine >= r->nroutines && item->routine < AMON_ROUTINE_ROOT))
		return is_late || reader_corrupt(r, at, "stacks of item %u and routine %u, there are %zu and %zu", item->context, item->routine,
						 r->nitems, r->nroutines);
	if (!array_reserve(&p->stacks, &p->private->stacks, p->nstacks + 1, sizeof *p->stacks))
		return reader_no_memory(r);
	p->stacks[p->nstacks++] = (struct profile_stack){
		.context = r->items[item->context], .module = m ? m->module : PROFILE_NONE,
		.address = m ? item->pc - m->bias : item->pc, .verdict = item->verdict, .count = item->count,
		.routine = item->routine < r->nroutines ? r->routines[item->routine] : PROFILE_NONE,
	};
	return true;
}

static bool read_stacks(struct reader *r, const struct chunk *c)
{
	for (uint32_t i = 0; i < c->items; i++) {
		uint64_t at = c->at + c->head.first + (uint64_t)i * sizeof(struct amon_stack);
		struct amon_stack item;

		memcpy(&item, r->data + at, sizeof item);
		if (item.pc != 0 && item.count != 0 && !add_stack(r, &item, at))
			return false;
	}
	return true;
}

/* The thread's detours, from FIRST on, each once. */
static void merge_detours(struct profile *p, size_t first)
{
	size_t kept = first;

	if (p->ndetours - first > 1)
		qsort(p->detours + first, p->ndetours - first, sizeof *p->detours, order_detours);
	for (size_t i = first; i < p->ndetours; i++)
		if (kept > first && order_detours(&p->detours[kept - 1], &p->detours[i]) == 0)
			add_capped(&p->detours[kept - 1].calls, p->detours[i].calls);
		else
			p->detours[kept++] = p->detours[i];
	p->ndetours = kept;
}

/* The same of its call sites. */
static void merge_sites(struct profile *p, size_t first)
{
	size_t kept = first;

	if (p->nsites - first > 1)
		qsort(p->sites + first, p->nsites - first, sizeof *p->sites, order_sites);
	for (size_t i = first; i < p->nsites; i++)
		if (kept > first && order_sites(&p->sites[kept - 1], &p->sites[i]) == 0) {
			add_capped(&p->sites[kept - 1].calls, p->sites[i].calls);
			add_capped(&p->sites[kept - 1].self, p->sites[i].self);
			add_capped(&p->sites[kept - 1].children, p->sites[i].children);
		} else {
			p->sites[kept++] = p->sites[i];
		}
	p->nsites = kept;
}

/* The thread is done: put its shares, from FIRST on, in order and forget where they were. */
static void close_thread(struct reader *r, size_t first)
{
	struct profile *p = r->p;
	bool sorted = true;

	for (size_t i = first; i < p->nshares; i++) {
		r->share_of[p->shares[i].context] = PROFILE_NONE;
		sorted = sorted && (i == first || p->shares[i - 1].context < p->shares[i].context);
	}
	if (!sorted)
		qsort(p->shares + first, p->nshares - first, sizeof *p->shares, order_shares);
}

/* Where the thread was at the end. */
static bool place_thread(struct reader *r, struct profile_thread *t)
{
	uint32_t current = t->record.current;

	if (current == AMON_NONE)
		return true;
	if (current < r->nitems)
		t->current = r->items[current];
	else if (!r->run.truncated && r->run.header.state != AMON_RUNNING)
		return reader_corrupt(r, 0, "thread %d ended in item %u, there are %zu", (int)t->record.tid, current, r->nitems);
	return true;
}

/* The next chunk of KIND from *I on if it belongs to thread NUMBER, else NULL; *I moves behind it. */
static const struct chunk *next_of_thread(const struct reader *r, uint32_t kind, uint32_t number, size_t *i)
{
	if (*i >= r->nchunks || r->chunks[*i].head.kind != kind || r->chunks[*i].head.thread != number)
		return NULL;
	return &r->chunks[(*i)++];
}

/* Where the chunks of each kind begin that the next thread to be read may have. */
struct chunk_cursors {
	size_t contexts, pcs, resets, phases, stacks, sites, spent, spreads, bytes, amounts, slices, packed;
};

/* The chunk of KIND of thread NUMBER that is beside C, from *AT on; NULL: there is none. */
static const struct chunk *chunk_beside(const struct reader *r, uint32_t kind, const struct chunk *c, uint32_t number, size_t *at)
{
	const struct chunk *found;

	while ((found = next_of_thread(r, kind, number, at)) != NULL && found->head.base < c->head.base)
		;
	if (found && found->head.base != c->head.base) {
		--*at;				/* of a later one */
		return NULL;
	}
	return found;
}

/* Replay the items of chunk C of thread NUMBER, with what stands beside. */
static bool replay_with(struct reader *r, const struct chunk *c, uint32_t number, struct chunk_cursors *at, bool *stopped)
{
	struct beside b = {
		.sites = chunk_beside(r, AMON_SITES, c, number, &at->sites), .spent = chunk_beside(r, AMON_SPENT, c, number, &at->spent),
		.bytes = chunk_beside(r, AMON_BYTES, c, number, &at->bytes), .amounts = chunk_beside(r, AMON_AMOUNTS, c, number, &at->amounts)
	};

	b.namounts = b.amounts != NULL;
	while (b.amounts && chunk_beside(r, AMON_AMOUNTS, c, number, &at->amounts))
		b.namounts++;
	return replay_chunk(r, c, &b, r->run.first_thread + number, stopped);
}

/* Whether the program counters of C are of what is read in the place of times. */
static bool pcs_are_wanted(const struct reader *r, const struct chunk *c)
{
	return !r->p->private->phase && c->head.value == r->chosen;	/* it is not known in which phase they were */
}

/* Read the program counters of thread NUMBER: packed ones, else those of its tables. */
static bool read_samples(struct reader *r, uint32_t number, struct chunk_cursors *at)
{
	bool wanted = true;
	const struct chunk *c;

	while ((c = next_of_thread(r, AMON_PCS_PACKED, number, &at->packed)) != NULL)
		if (wanted && c->items > 0 && pcs_are_wanted(r, c)) {
			if (!read_packed_pcs(r, c))
				return false;
			wanted = false;
		}
	while ((c = next_of_thread(r, AMON_PCS, number, &at->pcs)) != NULL)
		if (wanted && pcs_are_wanted(r, c) && !read_pcs(r, c))
			return false;
	return true;
}

/* The thread at hand, THREAD, has the shares from FIRST on, and the program counters from FIRST_PC on, each of which is of a share. */
static bool note_part(struct reader *r, uint32_t thread, size_t first, size_t first_pc)
{
	struct profile *p = r->p;

	for (size_t i = first_pc; i < p->npcs; i++)
		if (!find_share(r, p->pcs[i].context, thread))
			return false;
	if (!array_reserve(&r->parts, &r->part_room, r->nparts + 1, sizeof *r->parts))
		return reader_no_memory(r);
	r->parts[r->nparts++] = (struct source_part){ thread, first, p->nshares, first_pc, p->npcs };
	return true;
}

/* Read what thread NUMBER of the file has in its chunks. */
static bool read_thread(struct reader *r, uint32_t number, struct chunk_cursors *at)
{
	uint32_t thread = r->run.first_thread + number;
	size_t first = r->p->nshares, first_detour = r->p->ndetours, first_site = r->p->nsites, first_slice = r->p->nslices, first_pc = r->p->npcs;
	const struct chunk *c;
	bool stopped = false;

	r->nitems = 0;
	r->reset = NULL;
	while ((c = next_of_thread(r, AMON_RESET, number, &at->resets)) != NULL)
		if (c->items > 0)
			r->reset = c;
	phases_next_thread(r);
	while ((c = next_of_thread(r, AMON_PHASE_COUNTS, number, &at->phases)) != NULL)
		if (!phases_take_chunk(r, c))
			return false;
	phases_thread_totals(r, &r->p->threads[thread].record);
	while ((c = next_of_thread(r, AMON_CONTEXTS, number, &at->contexts)) != NULL)
		if (!replay_with(r, c, number, at, &stopped))
			return false;
	while (next_of_thread(r, AMON_SITES, number, &at->sites) || next_of_thread(r, AMON_SPENT, number, &at->spent) ||
	       next_of_thread(r, AMON_BYTES, number, &at->bytes) || next_of_thread(r, AMON_AMOUNTS, number, &at->amounts))
		;
	if (!read_samples(r, number, at) || !note_part(r, thread, first, first_pc))
		return false;
	while ((c = next_of_thread(r, AMON_STACKS, number, &at->stacks)) != NULL)
		if (!read_stacks(r, c))
			return false;
	while ((c = next_of_thread(r, AMON_SPREADS, number, &at->spreads)) != NULL)
		if (!r->chosen && !read_spreads(r, c))
			return false;
	while ((c = next_of_thread(r, AMON_SLICES, number, &at->slices)) != NULL)
		if (!r->chosen && !read_slices(r, c, thread))
			return false;
	close_thread(r, first);
	slices_merge(r->p, first_slice);
	merge_detours(r->p, first_detour);
	merge_sites(r->p, first_site);
	return place_thread(r, &r->p->threads[thread]);
}

/* That each chunk of a thread is of one that there is, or was behind the cut. */
static bool check_owners(struct reader *r)
{
	for (size_t i = 0; i < r->nchunks && !r->run.truncated; i++)
		if (chunk_is_owned(&r->chunks[i]) && r->chunks[i].head.thread >= r->run.threads)
			return reader_corrupt(r, r->chunks[i].at, "chunk of thread %u, there are %u",
					      r->chunks[i].head.thread, r->run.threads);
	return true;
}

static size_t first_of_kind(const struct reader *r, uint32_t kind)
{
	size_t i = 0;

	while (i < r->nchunks && r->chunks[i].head.kind < kind)
		i++;
	return i;
}

bool read_contexts(struct reader *r)
{
	struct chunk_cursors at = {
		first_of_kind(r, AMON_CONTEXTS), first_of_kind(r, AMON_PCS), first_of_kind(r, AMON_RESET),
		first_of_kind(r, AMON_PHASE_COUNTS), first_of_kind(r, AMON_STACKS), first_of_kind(r, AMON_SITES),
		first_of_kind(r, AMON_SPENT), first_of_kind(r, AMON_SPREADS), first_of_kind(r, AMON_BYTES), first_of_kind(r, AMON_AMOUNTS), first_of_kind(r, AMON_SLICES),
		first_of_kind(r, AMON_PCS_PACKED)
	};

	if (!check_owners(r) || !items_cover_contexts(r))
		return false;
	if (!r->chosen)
		slices_prepare(r);
	for (uint32_t number = 0; number < r->run.threads; number++)
		if (!read_thread(r, number, &at))
			return false;
	return times_settle(r, r->parts, r->nparts) && spreads_prepare(r);
}
