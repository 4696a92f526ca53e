/* items.c - a machine's items, in chunks of the file, and their histories.
 *
 * A history is its nearest folded ancestor's, kept whole in `histories`, and the routines
 * appended since; only a call that meets an older activation of the same routine folds. */
#include "inside/machine/items.h"

#include "contract/amon.h"
#include "contract/history.h"
#include "inside/file/file.h"
#include "inside/machine/memory.h"
#include "inside/process/thread.h"
#include "inside/state.h"
#include "inside/sys.h"

enum {
	FIRST_ITEMS = 504,		/* links that fill a page behind a chunk's head */
	FEW_ITEMS = 104,		/* counters that fill a page: the first of a process in the nursery */
};

static bool spans_grow(struct thread *t)
{
	struct span *last = t->nspans ? &t->spans[t->nspans - 1] : NULL;
	uint32_t capacity = last && last->capacity > FEW_ITEMS ? last->capacity * 2 + 8 : last || !monitor.in_nursery ? FIRST_ITEMS : FEW_ITEMS;
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

/* The sites of SPAN's items, made if need be.  NULL: no room. */
static uint64_t *span_sites(struct thread *t, struct span *span)
{
	struct amon_chunk *chunk;

	if (span->sites)
		return span->sites;
	chunk = file_chunk(AMON_SITES, t->index, span->capacity, sizeof *span->sites);
	if (!chunk)
		return NULL;
	chunk->base = span->base;
	span->sites = (uint64_t *)((char *)chunk + chunk->first);
	__atomic_store_n(&chunk->count, span->capacity, __ATOMIC_RELEASE);
	return span->sites;
}

bool items_claim(struct thread *t, uint32_t item, uintptr_t site)
{
	struct span *span = items_span(t, item);
	uint64_t *sites = span_sites(t, span);
	uint32_t i = item - span->base;

	if (!sites || sites[i] != AMON_SITE_NONE || span->counters[i].calls)
		return false;
	sites[i] = site;
	return true;
}

void items_share(struct thread *t, uint32_t item)
{
	struct span *span = items_span(t, item);

	if (span->sites)
		span->sites[item - span->base] = AMON_SITE_SEVERAL;
}

struct amon_spent *items_spent(struct thread *t, uint32_t item)
{
	struct span *span = items_span(t, item);
	struct amon_chunk *chunk = span->spent || file_over_bound(false) ? NULL : file_chunk(AMON_SPENT, t->index, span->capacity, sizeof *span->spent);

	if (chunk) {
		chunk->base = span->base;
		span->spent = (struct amon_spent *)((char *)chunk + chunk->first);
		__atomic_store_n(&chunk->count, span->capacity, __ATOMIC_RELEASE);
	}
	return span->spent ? &span->spent[item - span->base] : NULL;
}

uint64_t *items_bytes(struct thread *t, uint32_t item)
{
	struct span *span = items_span(t, item);
	struct amon_chunk *chunk = span->bytes ? NULL : file_chunk(AMON_BYTES, t->index, span->capacity, sizeof *span->bytes);

	if (chunk) {
		chunk->base = span->base;
		span->bytes = (uint64_t *)((char *)chunk + chunk->first);
		__atomic_store_n(&chunk->count, span->capacity, __ATOMIC_RELEASE);
	}
	return span->bytes ? &span->bytes[item - span->base] : NULL;
}

uint32_t items_of(struct thread *t, const struct amon_counter *counter)
{
	for (uint32_t s = t->nspans; s-- > 0;) {
		const struct span *span = &t->spans[s];

		if (counter >= span->counters && counter < span->counters + span->capacity)
			return span->base + (uint32_t)(counter - span->counters);
	}
	return AMON_NONE;
}

uint32_t items_add(struct thread *t, uint32_t parent, uint32_t routine, uint32_t folded)
{
	uint32_t i = t->nitems, page = i / ITEMS_PER_PAGE;
	struct span *span;
	struct item *item;

	if (page >= THREAD_DIRECTORY)
		return AMON_NONE;
	if (!t->items[page] && !(t->items[page] = memory_take(ITEMS_PER_PAGE * sizeof *item, page > 0)))	/* most threads have few */
		return AMON_NONE;
	if ((!t->nspans || i == t->spans[t->nspans - 1].base + t->spans[t->nspans - 1].capacity) && !spans_grow(t))
		return AMON_NONE;
	span = &t->spans[t->nspans - 1];
	item = items_at(t, i);
	item->parent = parent;
	item->routine = routine;
	item->folded = folded;
	item->hash = items_hash_next(t, parent, routine);
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

bool items_has(struct thread *t, uint32_t item, uint32_t routine)
{
	uint32_t folded = items_at(t, item)->folded;
	uint32_t owner = folded ? folded_at(t, folded)[0] : AMON_NONE;
	uint32_t *entries;

	for (; item != owner && item != AMON_NONE; item = items_at(t, item)->parent)
		if (items_at(t, item)->routine == routine)
			return true;
	if (!folded)
		return false;
	entries = folded_at(t, folded) + 2;
	for (uint32_t i = 0; i < folded_at(t, folded)[1]; i++)
		if (entries[i] == history_marked(routine))
			return true;
	return false;
}

size_t items_length(struct thread *t, uint32_t item)
{
	uint32_t folded = items_at(t, item)->folded;
	uint32_t owner = folded ? folded_at(t, folded)[0] : AMON_NONE;
	size_t n = folded ? folded_at(t, folded)[1] : 0;

	for (; item != owner && item != AMON_NONE; item = items_at(t, item)->parent)
		n += items_at(t, item)->routine != AMON_ROUTINE_ROOT;
	return n;
}

size_t items_history(struct thread *t, uint32_t item, history_entry *s)
{
	size_t n = items_length(t, item), i = n;
	uint32_t folded = items_at(t, item)->folded;
	uint32_t owner = folded ? folded_at(t, folded)[0] : AMON_NONE;

	for (; item != owner && item != AMON_NONE; item = items_at(t, item)->parent)
		if (items_at(t, item)->routine != AMON_ROUTINE_ROOT)
			s[--i] = history_marked(items_at(t, item)->routine);
	if (folded)
		mem_copy(s, folded_at(t, folded) + 2, i * sizeof *s);
	return n;
}

uint32_t items_fold(struct thread *t, uint32_t owner, const history_entry *s, size_t n)
{
	uint32_t place = t->histories_used;

	if (place + n + 2 > t->histories_size) {
		size_t words = t->histories_size * 2 + n + 1024;
		uint32_t *grown = memory_take(words * sizeof *grown, false);

		if (!grown)
			return 0;
		if (t->histories) {
			mem_copy(grown, t->histories, t->histories_used * sizeof *grown);
			memory_forget(t->histories, t->histories_size * sizeof *grown);
		}
		t->histories = grown;
		t->histories_size = (uint32_t)words;
	}
	t->histories[place] = owner;
	t->histories[place + 1] = (uint32_t)n;
	mem_copy(&t->histories[place + 2], s, n * sizeof *s);
	t->histories_used = place + 2 + (uint32_t)n;
	return place;
}
