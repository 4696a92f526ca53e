/* places.h - where allocations are counted (heap.c): of each context that has allocated. */
#ifndef PLACES_H
#define PLACES_H

#include <stddef.h>
#include <stdint.h>

#include "contract/allocations.h"
#include "contract/amon.h"
#include "inside/machine/context.h"
#include "inside/monitor.h"
#include "inside/process/thread.h"

/* A context that has allocated. */

struct heap_place {
	context_id id;			/* of its thread */
	struct amon_amount *amounts[HEAP_VALUES]; /* in the file */
	uint32_t number;
};

enum { PLACES_RECENT = 256 };		/* contexts of a thread whose places are found at once */

/* Where T keeps the place of the context ID, if it was met not long ago, once it keeps any. */
static inline struct heap_place **places_recent(struct thread *t, context_id id) { return &t->heap_recent[id >> 32 & (PLACES_RECENT - 1)]; }

/* The place of the context ID of T, the calling thread's, made if need be, with signals blocked.  NULL: no room. */
struct heap_place *places_make(struct thread *t, context_id id) HIDDEN;

/* The place called NUMBER; NULL: it is that of a process which this one was forked from. */
struct heap_place *places_find(uint32_t number) HIDDEN;

/* At P, SIZE bytes more are live, or less. Any thread, any time. */
void places_grow(struct heap_place *p, uint64_t size) HIDDEN;
void places_shrink(struct heap_place *p, uint64_t size) HIDDEN;

/* A forked child begins: what its parent counted is its parent's. */
void places_forget(void) HIDDEN;

/* A new interval begins: what is live is its first peak. */
void places_reset(void) HIDDEN;

#endif
