/* items.h - the items of a machine: signals blocked, but for what only reads. */
#ifndef ITEMS_H
#define ITEMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "contract/amon.h"
#include "contract/history.h"
#include "inside/monitor.h"
#include "inside/process/thread.h"

enum {
	ALIASES_PER_PAGE = 1024,	/* 48 KB */
	ITEMS_PER_PAGE = 4096,		/* 96 KB */
	MOST_ITEMS = 65536,		/* in one chunk */
	SMALL_SPANS = 9,		/* of fewer */
};

/* Append an item.  AMON_NONE: no room. Published by the chunk's count, last. */
uint32_t items_add(struct thread *t, uint32_t parent, uint32_t routine, uint32_t folded) HIDDEN;

/* ITEM is of calls from SITE.  Only if nothing else was said of it, and it has no calls yet; false: it is not. */
bool items_claim(struct thread *t, uint32_t item, uintptr_t site) HIDDEN;
/* The samples of ITEM's call site, in the file; NULL: no room, or what is left is for contexts. In the handler that takes them. */
struct amon_spent *items_spent(struct thread *t, uint32_t item) HIDDEN;
/* The bytes that ITEM's calls moved, in the file; NULL: no room. */
uint64_t *items_bytes(struct thread *t, uint32_t item) HIDDEN;
void items_share(struct thread *t, uint32_t item) HIDDEN; /* it is of calls from several, which are not told apart */
uint32_t items_of(struct thread *t, const struct amon_counter *counter) HIDDEN; /* whose counter it is; AMON_NONE */

bool items_has(struct thread *t, uint32_t item, uint32_t routine) HIDDEN; /* is ROUTINE active in the context ITEM? */
size_t items_length(struct thread *t, uint32_t item) HIDDEN; /* of ITEM's history */
size_t items_history(struct thread *t, uint32_t item, history_entry *s) HIDDEN; /* write it to S, which has room for it; its length */
/* Keep the history S of N entries as the folded one of item OWNER. 0: no room. */
uint32_t items_fold(struct thread *t, uint32_t owner, const history_entry *s, size_t n) HIDDEN;

static inline struct alias *items_alias(struct thread *t, uint32_t i)
{
	return &t->aliases[i / ALIASES_PER_PAGE][i % ALIASES_PER_PAGE];
}

static inline struct item *items_at(struct thread *t, uint32_t i)
{
	return &t->items[i / ITEMS_PER_PAGE][i % ITEMS_PER_PAGE];
}

/* The span of ITEM.  Those before the last are of MOST_ITEMS, but for the first SMALL_SPANS, which are of less than twice as many together:
 * so it is the one at which the search begins, or one of the few before. */
static inline struct span *items_span(struct thread *t, uint32_t item)
{
	uint32_t s = item / MOST_ITEMS + SMALL_SPANS - 1;

	if (s >= t->nspans)
		s = t->nspans - 1;
	while (item < t->spans[s].base)
		s--;
	return &t->spans[s];
}

static inline struct amon_counter *items_counter(struct thread *t, uint32_t item)
{
	struct span *span = items_span(t, item);

	return &span->counters[item - span->base];
}

/* A part of the hash of a history that ends in E, behind one whose hash is HASH. */
static inline uint32_t items_hash_add(uint32_t hash, history_entry e)
{
	return (uint32_t)(((uint64_t)hash << 32 | e) * UINT64_C(0xff51afd7ed558ccd) >> 32);
}

/* The hash of what follows PARENT's history if ROUTINE is called and unmarks nothing. */
static inline uint32_t items_hash_next(struct thread *t, uint32_t parent, uint32_t routine)
{
	return items_hash_add(parent == AMON_NONE ? 0 : items_at(t, parent)->hash, history_marked(routine));
}

#endif
