/* heap.c - allocations and their bytes, what of these is live, and what was when most were, by context: as the library in front of the allocator tells.
 *
 * Allocations are counted by the thread whose context it is alone, so that one instruction does, and no more is done for one where its place is found at once (places.h). */
#include "inside/heap/heap.h"

#include <stddef.h>

#include "inside/heap/places.h"
#include "inside/hooks/entry.h"
#include "inside/hooks/told.h"
#include "inside/process/thread.h"
#include "inside/state.h"
#include "inside/tls.h"
#include "inside/x86_64/count.h"

#define EXPORTED __attribute__((visibility("default")))

__typeof(__aprof_heap_allocated) __aprof_heap_allocated EXPORTED;
__typeof(__aprof_heap_freed) __aprof_heap_freed EXPORTED;
__typeof(__aprof_heap_untracked) __aprof_heap_untracked EXPORTED;

#ifdef APROF_MCOUNT
static uint32_t heap_allocated_here(uint64_t size) __attribute__((alias("__aprof_heap_allocated")));
EXPORTED uint32_t (*const __aprof_heap_preloaded)(uint64_t size) = heap_allocated_here;
#endif

static uint32_t heap_count(struct heap_place *p, uint64_t size)
{
	counter_bump(&p->amounts[HEAP_ALLOCATIONS]->amount);
	counter_add(&p->amounts[HEAP_ALLOCATED]->amount, size);
	places_grow(p, size);
	return p->number;
}

static __attribute__((noinline)) uint32_t allocated_slow(struct aprof_tls *tls, uint64_t size)
{
	struct heap_place *p;
	struct thread *t;
	uint64_t mask;

	if (told_is_out(tls))
		return 0;
	entry_block(tls, &mask);
	t = told_thread(tls);
	p = t ? places_make(t, told_context(t)) : NULL;
	entry_unblock(tls, &mask);
	return p ? heap_count(p, size) : 0;
}

uint32_t __aprof_heap_allocated(uint64_t size)
{
	struct aprof_tls *tls = &aprof_tls;
	struct thread *t = thread_live(tls);
	struct heap_place *p;
	context_id id;

	if (UNLIKELY(monitor.stopped))
		return 0;
	if (LIKELY(t && t->heap_recent && !tls->inert)) {
		id = tls_context(tls);
		p = *places_recent(t, id);
		if (LIKELY(p && p->id == id))
			return heap_count(p, size);
	}
	return allocated_slow(tls, size);
}

/* In a child that nobody told of its start all that is there is still its parent's. */
void __aprof_heap_freed(uint32_t place, uint64_t size)
{
	struct heap_place *p = places_find(place);

	if (LIKELY(p && *monitor.alive))
		places_shrink(p, size);
}

void __aprof_heap_untracked(uint32_t place, uint64_t size)
{
	note(AMON_NOTE_UNTRACKED);
	__aprof_heap_freed(place, size);
}
