/* machine.c - a thread's machine: items, aliases, and the tables that find them.
 *
 * Invariants: an item's key and an alias never change and never move once made.  The first item
 * with a history is its context; targets lead to contexts only, so the machine is finite.
 * A history is its nearest folded ancestor's, kept whole in `histories`, and the routines
 * appended since; only a call that meets an older activation of the same routine folds.
 * Steps A1-A5 and B1-B3 are those of J. M. Spivey, Fast, accurate call graph profiling, 2004.
 *
 * Everything here runs with signals blocked, but for machine_find and machine_front_add. */
#include "monitor.h"

#include <errno.h>
#include <sys/mman.h>

enum {
	ALIASES_PER_PAGE = 1024,	/* 48 KB */
	ITEMS_PER_PAGE = 4096,		/* 96 KB */
	FIRST_ITEMS = 504,		/* links that fill a page behind a chunk's head */
	MOST_ITEMS = 65536,		/* in one chunk */
	LONGEST_HISTORY = 16384,	/* entries; longer ones are elided */
};

#ifndef FRONT_FIRST			/* slots; a build with a tiny table tests what evicts */
#define FRONT_FIRST 256
#define FRONT_MOST 1048576
#endif

#define ALIAS UINT32_C(0x80000000)	/* in a slot of the full table */
#define NO_ROUTINE UINTPTR_MAX		/* in the key of a context that no call finds by it */

struct amon_counter aprof_counter_none = { .id = UINT64_MAX, .routine = NO_ROUTINE };	/* no current context has this id, 0 included */
target aprof_front_none[2] = { (target)&aprof_counter_none, (target)&aprof_counter_none };

/* Private memory, counted. */
static void *arena(size_t size, bool populate)
{
	void *memory = sys_memory(size, populate);

	if (!memory)
		note_error(AMON_NOTE_OUT_OF_MEMORY, -ENOMEM);
	else
		__atomic_store_n(&monitor.header->memory_private,
				 __atomic_add_fetch(&monitor.memory_private, size, __ATOMIC_RELAXED), __ATOMIC_RELAXED);
	return memory;
}

static struct alias *alias_at(struct thread *t, uint32_t i)
{
	return &t->aliases[i / ALIASES_PER_PAGE][i % ALIASES_PER_PAGE];
}

static struct item *item_at(struct thread *t, uint32_t i)
{
	return &t->items[i / ITEMS_PER_PAGE][i % ITEMS_PER_PAGE];
}

struct amon_counter *machine_counter(struct thread *t, uint32_t item)
{
	for (uint32_t s = t->nspans; s-- > 0;)
		if (item >= t->spans[s].base)
			return &t->spans[s].counters[item - t->spans[s].base];
	return NULL;
}

void machine_charge(struct thread *t, uint32_t item, uint64_t time)
{
	for (uint32_t s = t->nspans; s-- > 0;)
		if (item >= t->spans[s].base) {
			t->spans[s].counters[item - t->spans[s].base].time += time;
			t->spans[s].ticks[item - t->spans[s].base]++;
			return;
		}
}

uint32_t machine_ticks(struct thread *t, uint32_t item)
{
	for (uint32_t s = t->nspans; s-- > 0;)
		if (item >= t->spans[s].base)
			return t->spans[s].ticks[item - t->spans[s].base];
	return 0;
}

/* ---- items ---- */

static bool items_grow(struct thread *t)
{
	struct span *last = t->nspans ? &t->spans[t->nspans - 1] : NULL;
	uint32_t capacity = last ? last->capacity * 2 + 8 : FIRST_ITEMS;
	struct span *span = &t->spans[t->nspans];

	if (t->nspans == THREAD_SPANS)
		return false;
	if (capacity > MOST_ITEMS)
		capacity = MOST_ITEMS;
	span->chunk = file_chunk(AMON_CONTEXTS, t->index, capacity,
				 sizeof(struct amon_link) + sizeof(struct amon_counter) + sizeof(uint32_t));
	if (!span->chunk)
		return false;
	span->links = (struct amon_link *)((char *)span->chunk + span->chunk->first);
	span->counters = (struct amon_counter *)((char *)span->chunk + span->chunk->counters);
	span->ticks = (uint32_t *)(span->counters + capacity);
	span->capacity = capacity;
	span->base = last ? last->base + last->capacity : 0;
	span->chunk->base = span->base;
	t->nspans++;
	return true;
}

/* Append an item.  AMON_NONE: no room. Published by the chunk's count, last. */
static uint32_t item_new(struct thread *t, uint32_t parent, uint32_t routine, uint32_t folded)
{
	uint32_t i = t->nitems, page = i / ITEMS_PER_PAGE;
	struct span *span;
	struct item *item;

	if (page >= THREAD_DIRECTORY)
		return AMON_NONE;
	if (!t->items[page] && !(t->items[page] = arena(ITEMS_PER_PAGE * sizeof *item, true)))
		return AMON_NONE;
	if ((!t->nspans || i == t->spans[t->nspans - 1].base + t->spans[t->nspans - 1].capacity) && !items_grow(t))
		return AMON_NONE;
	span = &t->spans[t->nspans - 1];
	item = item_at(t, i);
	item->parent = parent;
	item->routine = routine;
	item->folded = folded;
	span->links[i - span->base] = (struct amon_link){ parent, routine };
	t->nitems = i + 1;
	__atomic_store_n(&span->chunk->count, i - span->base + 1, __ATOMIC_RELEASE);
	return i;
}

/* ---- histories ---- */

/* The folded history at PLACE: owner, length, entries. */
static uint32_t *folded_at(struct thread *t, uint32_t place)
{
	return t->histories + place;
}

/* Is ROUTINE active in the context ITEM? */
static bool history_has(struct thread *t, uint32_t item, uint32_t routine)
{
	uint32_t folded = item_at(t, item)->folded;
	uint32_t owner = folded ? folded_at(t, folded)[0] : AMON_NONE;
	uint32_t *entries;

	for (; item != owner && item != AMON_NONE; item = item_at(t, item)->parent)
		if (item_at(t, item)->routine == routine)
			return true;
	if (!folded)
		return false;
	entries = folded_at(t, folded) + 2;
	for (uint32_t i = 0; i < folded_at(t, folded)[1]; i++)
		if (entries[i] == history_marked(routine))
			return true;
	return false;
}

/* Length of ITEM's history. */
static size_t history_length(struct thread *t, uint32_t item)
{
	uint32_t folded = item_at(t, item)->folded;
	uint32_t owner = folded ? folded_at(t, folded)[0] : AMON_NONE;
	size_t n = folded ? folded_at(t, folded)[1] : 0;

	for (; item != owner && item != AMON_NONE; item = item_at(t, item)->parent)
		n += item_at(t, item)->routine != AMON_ROUTINE_ROOT;
	return n;
}

/* Write ITEM's history to S, which has room for it.  Returns its length. */
static size_t history_of(struct thread *t, uint32_t item, history_entry *s)
{
	size_t n = history_length(t, item), i = n;
	uint32_t folded = item_at(t, item)->folded;
	uint32_t owner = folded ? folded_at(t, folded)[0] : AMON_NONE;

	for (; item != owner && item != AMON_NONE; item = item_at(t, item)->parent)
		if (item_at(t, item)->routine != AMON_ROUTINE_ROOT)
			s[--i] = history_marked(item_at(t, item)->routine);
	if (folded)
		mem_copy(s, folded_at(t, folded) + 2, i * sizeof *s);
	return n;
}

/* Keep the history S of N entries as the folded one of item OWNER. 0: no room. */
static uint32_t histories_add(struct thread *t, uint32_t owner, const history_entry *s, size_t n)
{
	uint32_t place = t->histories_used;

	if (place + n + 2 > t->histories_size) {
		size_t words = t->histories_size * 2 + n + 1024;
		uint32_t *grown = arena(words * sizeof *grown, false);

		if (!grown)
			return 0;
		if (t->histories)
			mem_copy(grown, t->histories, t->histories_used * sizeof *grown);
		if (t->histories)
			sys2(munmap, t->histories, t->histories_size * sizeof *grown);
		__atomic_sub_fetch(&monitor.memory_private, t->histories_size * sizeof *grown, __ATOMIC_RELAXED);
		t->histories = grown;
		t->histories_size = (uint32_t)words;
	}
	t->histories[place] = owner;
	t->histories[place + 1] = (uint32_t)n;
	mem_copy(&t->histories[place + 2], s, n * sizeof *s);
	t->histories_used = place + 2 + (uint32_t)n;
	return place;
}

/* ---- contexts with an unmarked entry, by history (step B2) ---- */

static bool same_history(struct thread *t, uint32_t item, const history_entry *s, size_t n)
{
	history_entry *other = t->scratch[1];

	if (history_length(t, item) != n)
		return false;
	history_of(t, item, other);
	for (size_t i = 0; i < n; i++)
		if (s[i] != other[i])
			return false;
	return true;
}

/* The context with history S of N entries and the hash HASH, AMON_NONE if there is none; *SLOT is where it is or goes. */
static uint32_t known_find(struct thread *t, const history_entry *s, size_t n, uint32_t hash, uint32_t *slot)
{
	uint64_t is;

	for (*slot = hash & t->known_mask; (is = t->known[*slot]) != 0; *slot = (*slot + 1) & t->known_mask)
		if (is >> 32 == hash && same_history(t, (uint32_t)is - 1, s, n))
			return (uint32_t)is - 1;
	return AMON_NONE;
}

static bool known_grow(struct thread *t)
{
	uint32_t slots = t->known ? (t->known_mask + 1) * 2 : 1024;
	uint32_t old_slots = t->known ? t->known_mask + 1 : 0;
	uint64_t *old = t->known;

	if (t->known && t->nknown < old_slots - old_slots / 4)
		return true;
	if (!(t->known = arena(slots * sizeof *old, slots <= 65536))) {
		t->known = old;
		return false;
	}
	t->known_mask = slots - 1;
	for (uint32_t i = 0; i < old_slots; i++)
		if (old[i]) {
			uint32_t at = old[i] >> 32 & t->known_mask;

			while (t->known[at])
				at = (at + 1) & t->known_mask;
			t->known[at] = old[i];
		}
	if (old) {
		sys2(munmap, old, old_slots * sizeof *old);
		__atomic_sub_fetch(&monitor.memory_private, old_slots * sizeof *old, __ATOMIC_RELAXED);
	}
	return true;
}

/* ---- targets: the full table ---- */

static target target_of(struct thread *t, uint32_t tag)
{
	if (tag & ALIAS)
		return (target)alias_at(t, (tag & ~ALIAS) - 1) + 1;
	return (target)machine_counter(t, tag - 1);
}

target machine_find(struct thread *t, context_id from, uintptr_t routine)
{
	uint64_t *full = __atomic_load_n(&t->full, __ATOMIC_ACQUIRE);
	context_id id = context_step(from, routine);
	uint64_t hash = full_hash(id), mask = full[-1], slot;

	for (uint64_t i = hash & mask; (slot = full[i]) != 0; i = (i + 1) & mask) {
		target to = slot >> 32 == hash ? target_of(t, (uint32_t)slot) : 0;

		if (to && target_matches(to, id, routine))
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

		if (slot >> 32 == hash && !(tag & ALIAS) && item_at(t, tag - 1)->id == id)
			return tag - 1;
	}
	return AMON_NONE;
}

static void full_add(uint64_t *full, uint64_t slot)
{
	uint64_t mask = full[-1], i = slot >> 32 & mask;

	while (full[i])
		i = (i + 1) & mask;
	__atomic_store_n(&full[i], slot, __ATOMIC_RELEASE);
}

/* A table of SLOTS free ones. Its mask stands before its first slot, in a page of its own. */
static uint64_t *full_new(uint32_t slots)
{
	uint64_t *full = arena(AMON_PAGE + slots * sizeof *full, slots <= 32768);

	if (!full)
		return NULL;
	full += AMON_PAGE / sizeof *full;
	full[-1] = slots - 1;
	return full;
}

/* An outgrown table stays mapped, for a look-up that this thread's signal handler interrupted or that the sampler is
 * at, but its memory is given back: they find nothing there, as if they had come before. */
static void full_forget(uint64_t *full, uint64_t slots)
{
	if (slots * sizeof *full < AMON_PAGE || sys_failed(sys3(madvise, full, slots * sizeof *full, MADV_DONTNEED)))
		return;
	monitor.header->memory_private = __atomic_sub_fetch(&monitor.memory_private, slots * sizeof *full, __ATOMIC_RELAXED);
}

/* Make room for one more target in the full table. */
static bool full_grow(struct thread *t)
{
	uint64_t *old = t->full, *full;
	uint32_t slots = old ? (uint32_t)old[-1] + 1 : 0;

	if (old && t->ntargets < slots - slots / 4)
		return true;
	full = full_new(old ? slots * 2 : 1024);
	if (!full)
		return false;
	for (uint32_t i = 0; i < slots; i++)
		if (old[i])
			full_add(full, old[i]);
	__atomic_store_n(&t->full, full, __ATOMIC_RELEASE);
	if (old)
		full_forget(old, slots);
	return true;
}

/* Call ITEM by ID, and let calls of the routine at ADDRESS that step to ID find it. */
static bool item_call(struct thread *t, uint32_t item, context_id id, uintptr_t address)
{
	struct amon_counter *key = machine_counter(t, item);

	if (!full_grow(t))
		return false;
	key->id = item_at(t, item)->id = id;
	key->routine = address;
	t->ntargets++;
	full_add(t->full, full_hash(id) << 32 | (item + 1));
	return true;
}

/* A new item without a caller: ROUTINE says what it is. AMON_NONE: no room. */
static uint32_t item_begin(struct thread *t, uint32_t routine)
{
	uint32_t item = item_new(t, AMON_NONE, routine, 0);

	return item != AMON_NONE && item_call(t, item, ROOT_ID + routine - AMON_ROUTINE_ROOT, NO_ROUTINE) ? item : AMON_NONE;
}

/* A call of the routine at ADDRESS in FROM leads to TO and is counted in COUNT. */
static target alias_new(struct thread *t, context_id from, uintptr_t address, struct amon_counter *count, context_id to)
{
	uint32_t page = t->naliases / ALIASES_PER_PAGE;
	struct alias *alias;

	if (page >= THREAD_DIRECTORY || !full_grow(t))
		return 0;
	if (!t->aliases[page] && !(t->aliases[page] = arena(ALIASES_PER_PAGE * sizeof *alias, true)))
		return 0;
	alias = alias_at(t, t->naliases);
	*alias = (struct alias){ .key = { .id = context_step(from, address), .routine = address }, .count = count, .to = to };
	if (clock_is_tsc())
		alias->key.time = (uintptr_t)machine_counter(t, machine_item(t, to));
	t->naliases++;
	t->ntargets++;
	t->record->slow++;
	full_add(t->full, full_hash(alias->key.id) << 32 | t->naliases | ALIAS);
	return (target)alias + 1;
}

/* May a new context be called ID?  None is called 0: tls.current. */
static bool is_free(struct thread *t, context_id id)
{
	return id && machine_item(t, id) == AMON_NONE;
}

/* The new context ITEM is reached from FROM by a call of the routine at ADDRESS. */
static target target_new(struct thread *t, context_id from, uintptr_t address, uint32_t item)
{
	context_id id = context_step(from, address);

	if (is_free(t, id)) {
		t->record->slow++;
		return item_call(t, item, id, address) ? (target)machine_counter(t, item) : 0;
	}
	while (!is_free(t, id))
		id = context_step(id, item);
	if (!item_call(t, item, id, NO_ROUTINE))
		return 0;
	return alias_new(t, from, address, machine_counter(t, item), id);
}

/* ---- the front table ---- */

static target *front_new(uint32_t slots)
{
	target *front = arena(slots * sizeof *front, true);

	for (uint32_t i = 0; front && i < slots; i++)
		front[i] = aprof_front_none[0];
	return front;
}

/* Slots are in pairs. TO goes into its own, and what was there into the other one. */
static void front_put(target *front, uint64_t mask, target to)
{
	uint64_t own = front_slot(target_key(to)->id, mask), other = own ^ 1;

	if (front[own] != aprof_front_none[0])
		front[other] = front[own];
	front[own] = to;
}

static void front_grow(struct thread *t)
{
	struct aprof_tls *tls = t->tls;
	uint32_t slots = (uint32_t)(tls->front_mask / sizeof(target)) + 1;
	target *front;

	if (tls->front == aprof_front_none || slots >= FRONT_MOST || t->ntargets < slots / 4)
		return;
	if (slots * 4 * sizeof *front > monitor.header->memory_bound / 16)
		return;
	front = front_new(slots * 4);
	if (!front)
		return;
	for (uint32_t i = 0; i < slots; i++)
		if (tls->front[i] != aprof_front_none[0])
			front_put(front, (slots * 4 - 1) * sizeof(target), tls->front[i]);
	/* Until the mask follows, the old one finds a part of the new table: misses, never errors. */
	tls->front = front;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	tls->front_mask = (slots * 4 - 1) * sizeof(target);
	t->front = front;
	t->front_mask = tls->front_mask;
}

void machine_front_add(struct thread *t, target to)
{
	struct aprof_tls *tls = t->tls;

	if (tls->front != aprof_front_none)
		front_put(tls->front, tls->front_mask, to);
}

/* ---- making contexts ---- */

/* The context with the history S of N entries, one that has an unmarked entry: found (B2) or
 * made (B3) as the transition from PARENT to ROUTINE, FOLDED if the step unmarked an entry. */
static uint32_t context_known(struct thread *t, uint32_t parent, uint32_t routine,
			      const history_entry *s, size_t n, bool folded)
{
	uint32_t slot, item, place = item_at(t, parent)->folded;
	uint32_t hash = (uint32_t)history_hash(s, n);

	if (!known_grow(t))
		return AMON_NONE;
	item = known_find(t, s, n, hash, &slot);
	if (item != AMON_NONE)
		return item;
	if (folded && !(place = histories_add(t, t->nitems, s, n)))
		return AMON_NONE;
	item = item_new(t, parent, routine, place);
	if (item == AMON_NONE)
		return AMON_NONE;
	t->known[slot] = (uint64_t)hash << 32 | (item + 1);
	t->nknown++;
	return item;
}

/* The context to which a call of ROUTINE leads from the context ITEM, another than ITEM itself. */
static uint32_t context_next(struct thread *t, uint32_t item, uint32_t routine)
{
	history_entry *s = t->scratch[0];
	bool met;
	size_t n;

	if (!item_at(t, item)->folded && !history_has(t, item, routine))
		return item_new(t, item, routine, 0);	/* all marked: no other history equals it */
	n = history_length(t, item);
	if (n >= LONGEST_HISTORY)
		return AMON_NONE;
	met = history_has(t, item, routine);
	history_of(t, item, s);
	n = history_next(s, n, routine);
	return context_known(t, item, routine, s, n, met);
}

/* The context of PARENT and ROUTINE among the elided ones, whose keys have the routine's number for its address. */
static uint32_t context_keyed(struct thread *t, uint32_t parent, uint32_t routine)
{
	context_id from = machine_counter(t, parent)->id;
	target to = machine_find(t, from, routine);
	uint32_t item;

	if (to)
		return machine_item(t, target_to(to));
	if (file_over_bound(true))
		return AMON_NONE;
	item = item_new(t, parent, routine, 0);
	return item != AMON_NONE && target_new(t, from, routine, item) ? item : AMON_NONE;
}

/* Beyond the memory bound: <(elided), caller, callee>, one for each arc. */
static uint32_t context_elided(struct thread *t, uint32_t item, uint32_t routine)
{
	uint32_t caller = item_at(t, item)->routine;

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
	uint32_t count = item_new(t, item, item_at(t, item)->routine, item_at(t, item)->folded);

	return count == AMON_NONE ? 0 : alias_new(t, from, address, machine_counter(t, count), from);
}

static target make_bounded(struct thread *t, context_id from, uintptr_t address, uint32_t item, uint32_t routine)
{
	uint32_t to = context_elided(t, item, routine);

	note(AMON_NOTE_MEMORY_BOUND);
	if (to != AMON_NONE && __atomic_load_n(&monitor.memory_private, __ATOMIC_RELAXED) > monitor.header->memory_bound / 2)
		return (target)machine_counter(t, to);	/* found anew at each call: slow, but no memory */
	return to == AMON_NONE ? 0 : alias_new(t, from, address, machine_counter(t, to), machine_counter(t, to)->id);
}

target machine_make(struct thread *t, context_id from, uintptr_t address, uint32_t flags)
{
	uint32_t item = machine_item(t, from), shown = monitor.shown, routine = routine_index(address, flags);
	uint32_t made = t->nitems, to;
	target again = shown != monitor.shown ? machine_find(t, from, address) : 0;

	if (item == AMON_NONE || routine == AMON_NONE || again)
		return again;
	front_grow(t);
	if (item_at(t, item)->routine == routine)
		return make_recursive(t, from, address, item);
	if (file_over_bound(false))
		return make_bounded(t, from, address, item, routine);
	to = context_next(t, item, routine);
	if (to == AMON_NONE)
		return 0;
	if (to == made)			/* B3: a new context, whose key this is */
		return target_new(t, from, address, to);
	return alias_new(t, from, address, machine_counter(t, to), machine_counter(t, to)->id);
}

/* The context of T after the routine of FROM's item STEP is called in HERE. */
static context_id adopt_step(struct thread *t, context_id here, uint32_t routine)
{
	uint32_t flags;
	uintptr_t address = routine_address(routine, &flags);
	target to = machine_find(t, here, address);

	if (!to)
		to = machine_make(t, here, address, flags);
	return to ? target_to(to) : machine_counter(t, t->lost)->id;
}

context_id machine_adopt(struct thread *t, struct thread *from, context_id id)
{
	uint32_t item = machine_item(from, id), depth = 0;
	context_id here = ROOT_ID;

	if (item == AMON_NONE)
		return here;
	for (uint32_t i = item; i != AMON_NONE; i = item_at(from, i)->parent)
		depth++;
	while (depth-- > 0) {
		uint32_t step = item;

		for (uint32_t up = 0; up < depth; up++)
			step = item_at(from, step)->parent;
		if (item_at(from, step)->routine < AMON_ROUTINE_ROOT)
			here = adopt_step(t, here, item_at(from, step)->routine);
	}
	return here;
}

/* Every slot of the tables leads to a key in an item or an alias: what is changed there is changed for all. */
static void each_key(struct thread *t, void (*visit)(uint64_t *routine, const uintptr_t *arg), const uintptr_t *arg)
{
	for (uint32_t s = 0; s < t->nspans; s++)
		for (uint32_t i = 0; i < t->spans[s].chunk->count; i++)
			visit(&t->spans[s].counters[i].routine, arg);
	for (uint32_t i = 0; i < t->naliases; i++)
		visit(&alias_at(t, i)->key.routine, arg);
}

static void key_hide(uint64_t *routine, const uintptr_t *arg)
{
	if (*routine >= arg[0] && *routine < arg[1])
		__atomic_store_n(routine, *routine | arg[2], __ATOMIC_RELAXED);
}

static void key_show(uint64_t *routine, const uintptr_t *arg)
{
	if ((*routine & ~KEY_ADDRESS) == *arg)
		__atomic_store_n(routine, *routine & KEY_ADDRESS, __ATOMIC_RELAXED);
}

void machine_hide(struct thread *t, uintptr_t start, uintptr_t end, uintptr_t tag)
{
	const uintptr_t arg[] = { start, end, tag };

	each_key(t, key_hide, arg);
}

void machine_show(struct thread *t, uintptr_t tag)
{
	each_key(t, key_show, &tag);
}

/* The fast path's table for t->tls. */
static bool front_use(struct thread *t)
{
	if (!t->front) {
		if (!(t->front = front_new(FRONT_FIRST)))
			return false;
		t->front_mask = (FRONT_FIRST - 1) * sizeof(target);
	}
	t->tls->front = t->front;
	t->tls->front_mask = t->front_mask;
	return true;
}

/* With clock tsc there is none for ways whose hooks do not read the counter: their calls all go out of line.  Where way inline
 * is in use they do so in any case, and it has a table. */
static bool front_init(struct thread *t)
{
	return (clock_is_tsc() && !t->tls->current) || front_use(t);
}

void machine_front_begin(struct thread *t)
{
	if (t->tls->front == aprof_front_none)
		front_init(t);
}

bool machine_init(struct thread *t)
{
	t->histories_used = 1;
	for (int i = 0; i < 2; i++)
		if (!(t->scratch[i] = sys_memory((LONGEST_HISTORY + 1) * sizeof(history_entry), false)))
			return false;
	if (item_begin(t, AMON_ROUTINE_ROOT) != 0)
		return false;
	t->lost = item_begin(t, AMON_ROUTINE_LOST);
	return t->lost != AMON_NONE && front_init(t);
}

bool machine_resume(struct thread *t)
{
	return front_init(t);
}
