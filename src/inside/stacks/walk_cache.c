/* walk_cache.c - walks that were made.
 *
 * Invariant: a walk is written with signals blocked, and its version is odd meanwhile; so who reads one while they are not, and finds the same
 * version before and after, has read what belongs together. */
#include "inside/stacks/walk_cache.h"

#include <stdbool.h>

#include "inside/hooks/handler.h"
#include "inside/machine/memory.h"
#include "inside/modules/module.h"
#include "inside/process/thread.h"
#include "inside/stacks/jump.h"
#include "inside/stacks/peek.h"
#include "inside/stacks/unwind.h"
#include "inside/state.h"

enum {
	WALKS = 32,			/* of a thread */
	MEMORY_PART = 8,		/* of the memory that may be taken: what is left is for contexts */
};

struct walk {
	volatile uint32_t version;
	uintptr_t pc, sp, rbp;		/* where it begins */
	uint32_t epoch, routines, handlers; /* what there was then: with more it may be known whose a frame is */
	context_id found;		/* 0: it is of no use */
	struct unwind_notes notes;
};

struct walks { struct walk at[WALKS]; };

static struct walk *walk_cache_place(const struct thread *t, const struct landing *to)
{
	uintptr_t key = to->reg[UNWIND_RIP] ^ to->reg[UNWIND_RSP] << 4;

	return &t->walk.walks->at[(key * UINT64_C(0x9e3779b97f4a7c15) >> 32) % WALKS];
}

static bool is_as_then(const struct walk *w, const struct landing *to)
{
	return w->pc == to->reg[UNWIND_RIP] && w->sp == to->reg[UNWIND_RSP] && w->epoch == module_epoch() &&
	       w->routines == __atomic_load_n(&monitor.nroutines, __ATOMIC_ACQUIRE) &&
	       w->handlers == __atomic_load_n(&handler_count, __ATOMIC_ACQUIRE) &&
	       (!w->notes.needs_rbp || (to->known >> UNWIND_RBP & 1 && w->rbp == to->reg[UNWIND_RBP]));
}

static bool words_hold(const struct unwind_notes *n)
{
	struct unwind u;
	uintptr_t is;

	u.page = (uintptr_t)__builtin_frame_address(0) & -(uintptr_t)PEEK_PAGE;
	for (uint32_t i = 0; i < n->n; i++)
		if (!peek_word(&u, n->words[i].at, &is) || is != n->words[i].is)
			return false;
	return true;
}

context_id walk_cache_before(const struct thread *t, const struct landing *to)
{
	const struct walk *w = t->walk.walks ? walk_cache_place(t, to) : NULL;
	uint32_t version = w ? w->version : 1;
	context_id found;

	if (version % 2 || !is_as_then(w, to) || !words_hold(&w->notes))
		return 0;
	found = w->found;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	return w->version == version ? found : 0;
}

struct unwind_notes *walk_cache_begin(struct thread *t, const struct landing *to)
{
	uint64_t taken = __atomic_load_n(&monitor.memory_private, __ATOMIC_RELAXED);
	struct walk *w;

	if (!t->walk.walks && taken + sizeof *t->walk.walks <= monitor.header->memory_bound / MEMORY_PART)
		t->walk.walks = memory_take(sizeof *t->walk.walks, false);
	if (!t->walk.walks)
		return NULL;
	w = walk_cache_place(t, to);
	w->version |= 1;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	w->pc = to->reg[UNWIND_RIP];
	w->sp = to->reg[UNWIND_RSP];
	w->rbp = to->reg[UNWIND_RBP];
	w->epoch = module_epoch();
	w->routines = monitor.nroutines;
	w->handlers = handler_count;
	w->notes.n = 0;
	w->notes.fails = w->notes.needs_rbp = w->notes.rbp_is_odd = false;
	w->notes.rbp = (struct unwind_word){ 0, w->rbp };
	return &w->notes;
}

void walk_cache_found(struct thread *t, const struct landing *to, context_id found)
{
	struct walk *w = walk_cache_place(t, to);

	w->found = w->notes.fails ? 0 : found;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	w->version++;
}
