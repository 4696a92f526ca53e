/* machine.c - a thread's machine: what leads from one context to the next, and makes it.
 *
 * Invariants: an item's key and an alias never change and never move once made.  The first item
 * with a history is its context; targets lead to contexts only, so the machine is finite.
 * Steps A1-A5 and B1-B3 are those of J. M. Spivey, Fast, accurate call graph profiling, 2004.
 *
 * Everything here runs with signals blocked, but for machine_find and machine_reach. */
#include "inside/machine/machine.h"

#include "contract/amon.h"
#include "contract/history.h"
#include "contract/layout.h"
#include "inside/file/file.h"
#include "inside/machine/context.h"
#include "inside/machine/front.h"
#include "inside/machine/items.h"
#include "inside/machine/memory.h"
#include "inside/machine/table.h"
#include "inside/modules/enrol.h"
#include "inside/modules/routine.h"
#include "inside/process/thread.h"
#include "inside/state.h"
#include "inside/sys.h"
#include "inside/x86_64/count.h"

#define ALIAS UINT32_C(0x80000000)	/* in a slot of the full table */

struct amon_counter *machine_counter(struct thread *t, uint32_t item)
{
	return items_counter(t, item);
}

void machine_charge(struct thread *t, uint32_t item, uint64_t time, uint32_t ticks)
{
	struct span *span = items_span(t, item);

	span->counters[item - span->base].time += time;
	span->ticks[item - span->base] += ticks;
}

uint32_t machine_ticks(struct thread *t, uint32_t item)
{
	struct span *span = items_span(t, item);

	return span->ticks[item - span->base];
}

size_t machine_history(struct thread *t, uint32_t item, history_entry *s) { return items_history(t, item, s); }

/* No more contexts are made: memory is used up, or the directory is but for a quarter, which is for elided ones. */
static bool is_over_bound(const struct thread *t)
{
	return t->nitems / ITEMS_PER_PAGE >= THREAD_DIRECTORY - THREAD_DIRECTORY / 4 || file_over_bound(false);
}

/* ---- contexts with an unmarked entry, by history (step B2) ---- */

/* What the call of a routine in a context leads to. */
struct step {
	uint32_t parent;		/* the context's item */
	uint32_t routine;
	bool folds;			/* an older activation of it is unmarked */
	history_entry *history;		/* what comes of it; NULL: not written out yet */
	size_t length;			/* entries of it */
	uint32_t hash;			/* its hash */
};

/* Write out what comes of S, with signals blocked. False: it is too long. */
static bool step_write(struct thread *t, struct step *s)
{
	size_t n = items_length(t, s->parent);

	if (n >= MACHINE_LONGEST)
		return false;
	s->history = t->scratch[0];
	items_history(t, s->parent, s->history);
	s->length = history_next(s->history, n, s->routine);
	return true;
}

static bool same_history(struct thread *t, uint32_t item, const history_entry *s, size_t n)
{
	history_entry *other = t->scratch[1];

	if (items_length(t, item) != n)
		return false;
	items_history(t, item, other);
	for (size_t i = 0; i < n; i++)
		if (s[i] != other[i])
			return false;
	return true;
}

/* The slot with the tag of a context whose history has the hash HASH, from slot I on; or the first free one. */
static uint64_t known_next(const uint64_t *known, uint32_t hash, uint64_t i)
{
	for (; known[i & known[-1]] && known[i & known[-1]] >> 32 != hash; i++)
		;
	return i & known[-1];
}

/* The context that S leads to, AMON_NONE if there is none or S is too long. */
static uint32_t known_find(struct thread *t, struct step *s)
{
	uint64_t i = known_next(t->known, s->hash, s->hash);

	for (; t->known[i]; i = known_next(t->known, s->hash, i + 1)) {
		uint32_t item = (uint32_t)t->known[i] - 1;

		if ((s->history || step_write(t, s)) && same_history(t, item, s->history, s->length))
			return item;
	}
	return AMON_NONE;
}

/* ---- targets: the full table ---- */

static target target_of(struct thread *t, uint32_t tag)
{
	if (tag & ALIAS)
		return (target)items_alias(t, (tag & ~ALIAS) - 1) + 1;
	return (target)items_counter(t, tag - 1);
}

target machine_find(struct thread *t, context_id from, uintptr_t routine, uintptr_t site)
{
	uint64_t *full = __atomic_load_n(&t->full, __ATOMIC_ACQUIRE);
	context_id id = key_step(from, routine, site);
	uint64_t hash = full_hash(id), mask = full[-1], slot;

	for (uint64_t i = hash & mask; (slot = full[i]) != 0; i = (i + 1) & mask) {
		target to = slot >> 32 == hash ? target_of(t, (uint32_t)slot) : 0;

		if (to && target_matches(to, id, routine, site))
			return to;
	}
	return 0;
}

uint32_t machine_item(struct thread *t, context_id id)
{
	uint64_t *full = __atomic_load_n(&t->full, __ATOMIC_ACQUIRE);
	uint64_t hash = full_hash(id), mask = full[-1], slot;

	for (uint64_t i = hash & mask; (slot = full[i]) != 0; i = (i + 1) & mask) {
		uint32_t tag = (uint32_t)slot;

		if (slot >> 32 == hash && !(tag & ALIAS) && items_at(t, tag - 1)->id == id)
			return tag - 1;
	}
	return AMON_NONE;
}

uintptr_t machine_routine(struct thread *t, context_id id)
{
	uint32_t item = machine_item(t, id), flags;

	return item == AMON_NONE || items_at(t, item)->routine >= AMON_ROUTINE_ROOT ? 0 : routine_address(items_at(t, item)->routine, &flags);
}

static uint32_t *recent_place(struct thread *t, context_id id) { return &t->recent[id >> 32 & (THREAD_RECENT - 1)]; }

/* The same: mostly one that was made or asked for not long ago. */
static uint32_t machine_item_of(struct thread *t, context_id id)
{
	uint32_t *recent = recent_place(t, id), item = *recent;

	if (items_at(t, item)->id == id)
		return item;
	item = machine_item(t, id);
	if (item != AMON_NONE)
		*recent = item;
	return item;
}

/* Call ITEM by ID, and let calls of the routine at ADDRESS that step to ID find it. */
static bool item_call(struct thread *t, uint32_t item, context_id id, uintptr_t address)
{
	struct amon_counter *key = items_counter(t, item);

	if (!table_grow(&t->full, t->ntargets))
		return false;
	key->id = items_at(t, item)->id = id;
	key->routine = address;
	t->ntargets++;
	*recent_place(t, id) = item;
	table_add(t->full, table_slot(full_hash(id), item + 1));
	return true;
}

/* A new item without a caller: ROUTINE says what it is. AMON_NONE: no room. */
static uint32_t item_begin(struct thread *t, uint32_t routine)
{
	uint32_t item = items_add(t, AMON_NONE, routine, 0);

	return item != AMON_NONE && item_call(t, item, ROOT_ID + routine - AMON_ROUTINE_ROOT, NO_ROUTINE) ? item : AMON_NONE;
}

/* A call of the routine at ADDRESS in FROM, from SITE, 0 being any, leads to TO and is counted in COUNT. */
static target alias_new(struct thread *t, context_id from, uintptr_t address, uintptr_t site, struct amon_counter *count, context_id to)
{
	uint32_t page = t->naliases / ALIASES_PER_PAGE;
	struct alias *alias;

	if (page >= THREAD_DIRECTORY || !table_grow(&t->full, t->ntargets))
		return 0;
	if (!t->aliases[page] && !(t->aliases[page] = memory_take(ALIASES_PER_PAGE * sizeof *alias, true)))
		return 0;
	alias = items_alias(t, t->naliases);
	*alias = (struct alias){ .key = { .id = key_step(from, address, site), .routine = address }, .count = count, .to = to, .site = site };
	alias->key.time = (uintptr_t)items_counter(t, machine_item(t, to));
	t->naliases++;
	t->ntargets++;
	t->nsites += site != 0;
	t->record->slow++;
	table_add(t->full, table_slot(full_hash(alias->key.id), t->naliases | ALIAS));
	return (target)alias + 1;
}

/* Where ID goes in the full table.  NULL: a context is called so, or none may be (0 in tls.current is none, LOST_ID one that is not known). */
static uint64_t *full_place(struct thread *t, context_id id)
{
	uint64_t *full = __atomic_load_n(&t->full, __ATOMIC_ACQUIRE);
	uint64_t hash = full_hash(id), mask = full[-1], i = hash & mask;

	for (; full[i]; i = (i + 1) & mask)
		if (full[i] >> 32 == hash && !(full[i] & ALIAS) && items_at(t, (uint32_t)full[i] - 1)->id == id)
			return NULL;
	return id && id != LOST_ID ? &full[i] : NULL;
}

/* The new context ITEM is reached from FROM by a call of the routine at ADDRESS. */
static target target_new(struct thread *t, context_id from, uintptr_t address, uint32_t item)
{
	context_id id = context_step(from, address);

	if (full_place(t, id)) {
		t->record->slow++;
		return item_call(t, item, id, address) ? (target)items_counter(t, item) : 0;
	}
	while (!full_place(t, id))
		id = context_step(id, item);
	if (!item_call(t, item, id, NO_ROUTINE))
		return 0;
	return alias_new(t, from, address, 0, items_counter(t, item), id);
}

/* ---- making contexts ---- */

/* Does what S leads to have an unmarked entry? All others are contexts that nothing else leads to. */
static bool step_is_folded(struct thread *t, const struct step *s) { return s->folds || items_at(t, s->parent)->folded; }

/* The context that S leads to, one that has an unmarked entry: found (B2) or made (B3). */
static uint32_t context_known(struct thread *t, struct step *s)
{
	uint32_t item, place = items_at(t, s->parent)->folded;

	if (!table_grow(&t->known, t->nknown))
		return AMON_NONE;
	item = known_find(t, s);
	if (item != AMON_NONE)
		return item;
	if (s->folds && !(place = items_fold(t, t->nitems, s->history, s->length)))
		return AMON_NONE;
	item = items_add(t, s->parent, s->routine, place);
	if (item == AMON_NONE)
		return AMON_NONE;
	items_at(t, item)->hash = s->hash;
	table_add(t->known, table_slot(s->hash, item + 1));
	t->nknown++;
	return item;
}

/* The context to which a call of ROUTINE leads from the context ITEM, another than ITEM itself. */
static uint32_t context_next(struct thread *t, uint32_t item, uint32_t routine)
{
	struct step s = { .parent = item, .routine = routine, .folds = items_has(t, item, routine),
			  .hash = items_hash_next(t, item, routine) };

	if (!step_is_folded(t, &s))
		return items_add(t, item, routine, 0);
	if (s.folds) {
		if (!step_write(t, &s))
			return AMON_NONE;
		s.hash = 0;
		for (size_t i = 0; i < s.length; i++)
			s.hash = items_hash_add(s.hash, s.history[i]);
	}
	return context_known(t, &s);
}

/* The context of PARENT and ROUTINE among the elided ones, whose keys have the routine's number for its address. */
static uint32_t context_keyed(struct thread *t, uint32_t parent, uint32_t routine)
{
	context_id from = items_counter(t, parent)->id;
	target to = machine_find(t, from, routine, 0);
	uint32_t item;

	if (to)
		return machine_item(t, target_to(to));
	if (file_over_bound(true))
		return AMON_NONE;
	item = items_add(t, parent, routine, 0);
	return item != AMON_NONE && target_new(t, from, routine, item) ? item : AMON_NONE;
}

/* Beyond the memory bound: <(elided), caller, callee>, one for each arc. */
static uint32_t context_elided(struct thread *t, uint32_t item, uint32_t routine)
{
	uint32_t caller = items_at(t, item)->routine;

	if (!t->elided && (t->elided = item_begin(t, AMON_ROUTINE_ELIDED)) == AMON_NONE)
		t->elided = 0;
	if (!t->elided)
		return AMON_NONE;
	if (caller < AMON_ROUTINE_ROOT) {
		uint32_t above = context_keyed(t, t->elided, caller);

		return above == AMON_NONE ? AMON_NONE : context_keyed(t, above, routine);
	}
	return context_keyed(t, t->elided, routine);
}

/* Direct recursion (A1): the context stays, the calls are counted in an item of their own. */
static target make_recursive(struct thread *t, context_id from, uintptr_t address, uint32_t item)
{
	uint32_t count = items_add(t, item, items_at(t, item)->routine, items_at(t, item)->folded);

	return count == AMON_NONE ? 0 : alias_new(t, from, address, 0, items_counter(t, count), from);
}

/* Is there no room for aliases either? Then the elided contexts are found anew at each call. */
static bool aliases_are_over_bound(const struct thread *t)
{
	return t->naliases / ALIASES_PER_PAGE >= THREAD_DIRECTORY - THREAD_DIRECTORY / 4 ||
	       __atomic_load_n(&monitor.memory_private, __ATOMIC_RELAXED) > monitor.header->memory_bound / 2;
}

/* A call of the routine at ADDRESS in FROM leads to the context TO; where there is no room to note that, it is found anew at each call. */
static target alias_to(struct thread *t, context_id from, uintptr_t address, uint32_t to)
{
	struct amon_counter *count = items_counter(t, to);
	target alias = alias_new(t, from, address, 0, count, count->id);

	return alias ? alias : (target)count;
}

static target make_bounded(struct thread *t, context_id from, uintptr_t address, uint32_t item, uint32_t routine)
{
	uint32_t to = context_elided(t, item, routine);

	note(AMON_NOTE_MEMORY_BOUND);
	if (to != AMON_NONE && aliases_are_over_bound(t))
		return (target)items_counter(t, to);
	return to == AMON_NONE ? 0 : alias_to(t, from, address, to);
}

/* ---- making a context while signals may come ----
 *
 * Most contexts are reached by a call that meets no older activation of its routine, and find room in tables and chunks. To
 * change the signal mask twice would take as long as to make one.  So all is looked up first and noted in t->making, and one instruction makes
 * t->version odd if it is still what it was before: nothing was made meanwhile.  Then it is written down, by stores that may be
 * repeated and counts that are raised from what they were known to be: a signal handler that needs a context itself does that for
 * whom it interrupted, who finds it done.  So does a forked child, whose parent does the same. */

/* Write down what M says, all of it or what is left. */
static void making_finish(struct thread *t, const struct making *m)
{
	uint32_t i = m->item - m->span->base;

	*items_at(t, m->item) = (struct item){ m->id, m->parent, m->routine, items_at(t, m->parent)->folded,
					      items_hash_next(t, m->parent, m->routine) };
	m->span->links[i] = (struct amon_link){ m->parent, m->routine };
	m->span->counters[i].id = m->id;
	m->span->counters[i].routine = m->address;
	*recent_place(t, m->id) = m->item;
	if (m->known) {
		count_step(&t->nknown, m->nknown);
		__atomic_store_n(m->known, table_slot(items_at(t, m->item)->hash, m->item + 1), __ATOMIC_RELEASE);
	}
	count_step(&t->ntargets, m->targets);
	count_step(&t->nitems, m->item);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	count_step(&m->span->chunk->count, i);
	__atomic_store_n(m->place, table_slot(full_hash(m->id), m->item + 1), __ATOMIC_RELEASE);
}

/* Is there room for one more item and target without more memory?  There is in the directory: T is not over its bound. */
static bool making_has_room(const struct thread *t)
{
	const struct span *span = t->nspans ? &t->spans[t->nspans - 1] : NULL;

	return span && t->nitems < span->base + span->capacity && t->items[t->nitems / ITEMS_PER_PAGE] &&
	       table_has_room(t->full, t->ntargets) && !front_is_small(t);
}

/* The context of M has an unmarked entry. Is there none with its history (B2), nor one that may have it? */
static bool making_is_new(struct thread *t, struct making *m)
{
	uint64_t *known = __atomic_load_n(&t->known, __ATOMIC_ACQUIRE);
	uint32_t hash = items_hash_next(t, m->parent, m->routine);

	m->nknown = t->nknown;
	if (!table_has_room(known, m->nknown))
		return false;
	m->known = &known[known_next(known, hash, hash)];
	return !*m->known;
}

/* Note in M what makes the context to which a call of the routine at ADDRESS leads from FROM. False: it is not so simple. */
static bool making_plan(struct thread *t, context_id from, uintptr_t address, struct making *m)
{
	uint32_t parent = machine_item_of(t, from), routine = routine_known(address);
	context_id id = context_step(from, address);

	if (parent == AMON_NONE || routine == AMON_NONE || !making_has_room(t) || items_has(t, parent, routine))
		return false;
	*m = (struct making){ .id = id, .address = address, .item = t->nitems, .parent = parent, .routine = routine,
			      .targets = t->ntargets, .place = full_place(t, id), .span = &t->spans[t->nspans - 1] };
	return m->place && (!items_at(t, parent)->folded || making_is_new(t, m));
}

/* The context to which a call of the routine at ADDRESS leads from FROM, made. 0: it is not so simple, or came too late. */
static target make_open(struct thread *t, context_id from, uintptr_t address)
{
	uint32_t version = *(volatile uint32_t *)&t->version;
	struct making m;

	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	if (version % 2 || !making_plan(t, from, address, &m))
		return 0;
	t->making = m;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	if (!count_step(&t->version, version))
		return 0;
	making_finish(t, &m);
	count_step(&t->version, version + 1);
	counter_bump(&t->record->slow);
	if (t->tls->thread != t)		/* a signal handler forked, and this is the child */
		return 0;
	return (target)&m.span->counters[m.item - m.span->base];
}

/* The elided context that make_bounded comes to, if nothing has to be made for it; else 0. */
static target find_bounded(struct thread *t, context_id from, uintptr_t address)
{
	uint32_t item = machine_item_of(t, from), routine = routine_known(address);
	target above, to;

	if (item == AMON_NONE || routine == AMON_NONE || items_at(t, item)->routine == routine ||
	    items_at(t, item)->routine >= AMON_ROUTINE_ROOT || !t->elided)
		return 0;
	above = machine_find(t, items_counter(t, t->elided)->id, items_at(t, item)->routine, 0);
	to = above ? machine_find(t, target_to(above), routine, 0) : 0;
	if (to)
		note(AMON_NOTE_MEMORY_BOUND);
	return to;
}

/* ---- call sites ----
 *
 * The context after a call is the same whatever its site: what is found and made first is the transition from any site, as where sites are not told
 * apart, though no call is counted there.  The first site takes over its item, the others get items of their own beside it, with
 * the same caller and routine; so all that is said of items holds for each site's. */

/* Is there no room to tell more sites apart?  What the bounds leave is for contexts. */
static bool sites_are_over_bound(const struct thread *t)
{
	return is_over_bound(t) || aliases_are_over_bound(t);
}

/* Is TO among the elided contexts, of which items say who called? */
static bool is_elided(struct thread *t, context_id to)
{
	uint32_t item = machine_item(t, to);

	while (item != AMON_NONE && items_at(t, item)->parent != AMON_NONE)
		item = items_at(t, item)->parent;
	return item == AMON_NONE || (t->elided && item == t->elided);
}

/* Calls by ANY, a transition from any site, are counted where it says, though they come from several. */
static target site_untold(struct thread *t, target any)
{
	uint32_t item = items_of(t, target_count(any));

	if (item != AMON_NONE)
		items_share(t, item);
	note(AMON_NOTE_SITES_BOUND);
	return any;
}

/* An item for the calls from SITE by ANY, which leads from FROM. AMON_NONE: no room. */
static uint32_t site_item(struct thread *t, context_id from, uintptr_t site, target any)
{
	uint32_t item = items_of(t, target_count(any)), parent = machine_item_of(t, from), own;

	if (item == AMON_NONE || parent == AMON_NONE)
		return AMON_NONE;
	if (items_at(t, item)->parent == parent && items_claim(t, item, site))
		return item;
	own = items_add(t, parent, items_at(t, item)->routine, items_at(t, item)->folded);
	return own != AMON_NONE && items_claim(t, own, site) ? own : AMON_NONE;
}

/* The transition from SITE by a call of the routine at ADDRESS in FROM; ANY is that from any site. */
static target site_new(struct thread *t, context_id from, uintptr_t address, uintptr_t site, target any)
{
	uint32_t item = AMON_NONE;
	target to = 0;

	if (is_elided(t, target_to(any)))
		return any;
	if (!sites_are_over_bound(t))
		item = site_item(t, from, site, any);
	if (item != AMON_NONE)
		to = alias_new(t, from, address, site, items_counter(t, item), target_to(any));
	return to ? to : site_untold(t, any);
}

/* Beyond the bound: the transition from any site, for one from SITE that is not told apart. 0: there is none yet. */
static target reach_untold(struct thread *t, context_id from, uintptr_t routine)
{
	target any = sites_are_over_bound(t) ? machine_find(t, from, routine, 0) : 0;

	if (!any || is_elided(t, target_to(any)))
		return any;
	return site_untold(t, any);
}

target machine_reach(struct thread *t, context_id from, uintptr_t routine, uintptr_t site)
{
	target to = machine_find(t, from, routine, site);

	if (to) {
		t->record->misses += front_is_shown(t, site != 0);
		t->front[site != 0].fought++;
		if (front_is_fought(t, site != 0))
			return 0;
	} else if (clock_is_tsc() || reset_is_due()) {
		return 0;
	} else if (site) {
		return reach_untold(t, from, routine);
	} else if (is_over_bound(t)) {
		return aliases_are_over_bound(t) ? find_bounded(t, from, routine) : 0;
	} else {
		t->busy = busy_open(from);
		to = make_open(t, from, routine);
		t->busy = 0;
	}
	if (to)
		front_add(t, to);
	return to;
}

/* Before anything is made with signals blocked: do what was interrupted. False: there was nothing. */
static bool making_help(struct thread *t)
{
	if (t->version % 2 == 0)
		return false;
	making_finish(t, &t->making);
	t->version++;
	return true;
}

static target inside_machine_make(struct thread *t, context_id from, uintptr_t address, uint32_t flags)
{
	bool helped = making_help(t);
	uint32_t item = machine_item_of(t, from), shown = monitor.shown, routine = enrol_routine(address, flags);
	uint32_t made = t->nitems, to;
	target again = helped || shown != monitor.shown ? machine_find(t, from, address, 0) : 0;

	if (item == AMON_NONE || routine == AMON_NONE || again)
		return again;
	front_grow(t);
	if (items_at(t, item)->routine == routine)
		return make_recursive(t, from, address, item);
	if (is_over_bound(t))
		return make_bounded(t, from, address, item, routine);
	to = context_next(t, item, routine);
	if (to == AMON_NONE)
		return 0;
	if (to == made || !items_at(t, to)->id)	/* B3: a new context, or one for whose key there was no room; this is it */
		return target_new(t, from, address, to);
	return alias_to(t, from, address, to);
}

target machine_make(struct thread *t, context_id from, uintptr_t address, uint32_t flags, uintptr_t site)
{
	target to = site ? machine_find(t, from, address, 0) : 0;

	if (!to)
		to = inside_machine_make(t, from, address, flags);
	else
		making_help(t);
	if (to && site)
		to = site_new(t, from, address, site, to);

	t->version += 2;
	return to;
}

context_id machine_step(struct thread *t, context_id here, uint32_t routine)
{
	uint32_t flags;
	uintptr_t address = routine_address(routine, &flags);
	target to = machine_find(t, here, address, 0);

	if (!to)
		to = machine_make(t, here, address, flags, 0);
	return to ? target_to(to) : items_counter(t, t->lost)->id;
}

context_id machine_adopt(struct thread *t, struct thread *from, context_id id)
{
	uint32_t item = machine_item(from, id), depth = 0;
	context_id here = ROOT_ID;

	if (item == AMON_NONE)
		return here;
	for (uint32_t i = item; i != AMON_NONE; i = items_at(from, i)->parent)
		depth++;
	while (depth-- > 0) {
		uint32_t step = item;

		for (uint32_t up = 0; up < depth; up++)
			step = items_at(from, step)->parent;
		if (items_at(from, step)->routine < AMON_ROUTINE_ROOT)
			here = machine_step(t, here, items_at(from, step)->routine);
	}
	return here;
}

context_id machine_here(struct thread *t, context_id c)
{
	if (machine_item(t, c) != AMON_NONE)
		return c;
	for (struct thread *from = t->chain.forked_from; from; from = from->chain.forked_from)
		if (machine_item(from, c) != AMON_NONE)
			return machine_adopt(t, from, c);
	return ROOT_ID;
}

bool machine_init(struct thread *t)
{
	t->histories_used = 1;
	t->sites = monitor.sites;
	for (int i = 0; i < 2; i++)		/* a forked child's parent needs its own no more */
		if (!(t->scratch[i] = t->chain.forked_from ? t->chain.forked_from->scratch[i] : sys_memory((MACHINE_LONGEST + 1) * sizeof(history_entry), false)))
			return false;
	if (item_begin(t, AMON_ROUTINE_ROOT) != 0)
		return false;
	t->lost = item_begin(t, AMON_ROUTINE_LOST);
	return t->lost != AMON_NONE && front_begin(t);
}
