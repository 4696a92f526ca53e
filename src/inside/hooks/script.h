/* script.h - entering and leaving routines of scripts in the place: for the libraries that aprof run loads into interpreters (inside/interpreters/), which are
 * built with the monitor.  It is what hooks do that the compiler writes into a program; all else is in contract/aprof.h. */
#ifndef SCRIPT_H
#define SCRIPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "contract/layout.h"
#include "inside/machine/context.h"
#include "inside/monitor.h"
#include "inside/tls.h"
#include "inside/x86_64/count.h"

/* One of the routines that are open. */
struct script_entry {
	context_id before, inside;	/* the context that was left, and the one that was entered */
	uintptr_t routine;		/* key; 0: one that could not be defined, which counts for nothing */
};

enum { SCRIPT_FIRST_ENTRIES = 8 };	/* of a stack, beside it */

struct aprof_stack {
	struct script_entry *entries;	/* `first`, or memory of its own */
	uint32_t depth;			/* routines open, those that found no room included */
	uint32_t room;			/* entries that fit; depth is higher only where no more can be had */
	context_id base;		/* the context that it began in, or was moved to */
	context_id here;		/* while it is put aside: the context in which it goes on */
	struct thread *machine;		/* whose contexts these are; NULL: not begun */
	struct aprof_stack *next;	/* among those that are free */
	struct script_entry first[SCRIPT_FIRST_ENTRIES];
};

extern struct aprof_stack script_none HIDDEN;	/* of threads that have none yet: no room, nothing open */

/* The calling thread's words, for who was built with this LAYOUT of what is used below; NULL: the monitor was not. */
enum { SCRIPT_LAYOUT = sizeof(struct script_entry) << 16 | offsetof(struct aprof_tls, script) << 8 | sizeof(struct alias) };
extern struct aprof_tls *__aprof_script_words(unsigned layout) __attribute__((weak));

/* Where the thread's context stands; NULL: the last frame is on its way. */
static inline __attribute__((always_inline)) context_id *script_place(struct aprof_tls *tls)
{
	if (LIKELY(!tls->current))
		return LIKELY(tls->top->cfa != 0) ? &tls->top->context : NULL;
	return &tls->current;
}

/* Is TO, of the front table, the call of ROUTINE that steps to *INSIDE?  No transition in this table is of a call site.  Then *COUNT is where it is counted and
 * *INSIDE where it leads.  An alias is told apart first, so that the other's key is looked at where TO says. */
static inline __attribute__((always_inline)) bool script_follow(target to, uintptr_t routine, context_id *inside, struct amon_counter **count)
{
	const struct alias *alias;

	if (!target_is_alias(to)) {
		*count = (struct amon_counter *)to;
		return LIKELY((*count)->id == *inside && (*count)->routine == routine);
	}
	alias = target_alias(to);
	if (UNLIKELY(alias->key.id != *inside || alias->key.routine != routine))
		return false;
	*count = alias->count;
	*inside = alias->to;				/* else no load stands between this call and the next */
	return true;
}

/* The same for whatever the front table has in the first slot for *INSIDE, or (not AT_FIRST) in one of both. */
static inline __attribute__((always_inline)) bool script_probe(const struct aprof_tls *tls, uintptr_t routine, bool at_first, context_id *inside,
							      struct amon_counter **count)
{
	uint64_t at = *inside >> FRONT_SHIFT & tls->front_mask;

	if (LIKELY(script_follow(*(const target *)((const char *)tls->front + at), routine, inside, count)))
		return true;
	return !at_first && script_follow(*(const target *)((const char *)tls->front + (at ^ FRONT_SLOT)), routine, inside, count);
}

/* What aprof_enter does, TLS being the calling thread's words.  False: nothing was done, it has to be called.  AT_FIRST: so it is where the first slot of the
 * front table has another call, too; that takes fewer registers. */
static inline __attribute__((always_inline)) bool script_enter(struct aprof_tls *tls, uintptr_t routine, bool at_first)
{
	context_id *here = script_place(tls), inside;
	struct aprof_stack *s = tls->script;
	struct script_entry *entry;
	struct amon_counter *count;

	if (UNLIKELY(tls->inert || !here || s->depth >= s->room))
		return false;
	entry = &s->entries[s->depth];
	entry->before = *here;
	entry->routine = routine;			/* above what is open: nobody reads it yet */
	inside = context_step(*here, routine);
	if (UNLIKELY(!script_probe(tls, routine, at_first, &inside, &count)))
		return false;
	counter_bump(&count->calls);
	entry->inside = inside;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);	/* or the compiler keeps what it had in a register that has to be saved */
	s->depth++;
	__atomic_store_n(here, inside, __ATOMIC_RELAXED);
	return true;
}

/* The same of aprof_leave. */
static inline __attribute__((always_inline)) bool script_leave(struct aprof_tls *tls)
{
	struct aprof_stack *s = tls->script;
	context_id *here = script_place(tls);
	uint32_t depth = s->depth - 1;

	if (UNLIKELY(depth >= s->room || tls->inert || !here))
		return false;
	s->depth = depth;
	__atomic_store_n(here, s->entries[depth].before, __ATOMIC_RELAXED);
	return true;
}

#endif
