/* script.h - entering and leaving routines of scripts in the place: for the libraries that aprof run loads into interpreters (interpreters/), which are
 * built with the monitor.  It is what hooks do that the compiler writes into a program; all else is in include/aprof.h. */
#ifndef SCRIPT_H
#define SCRIPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "monitor/context.h"
#include "monitor/count.h"
#include "monitor/layout.h"
#include "monitor/monitor.h"
#include "monitor/tls.h"

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
	if (!tls->current)
		return LIKELY(tls->top->cfa != 0) ? &tls->top->context : NULL;
	return &tls->current;
}

/* Is T the call of ROUTINE that steps to ID?  No transition in this front table is of a call site. */
static inline __attribute__((always_inline)) bool script_matches(target t, context_id id, uintptr_t routine)
{
	return target_key(t)->id == id && target_key(t)->routine == routine;
}

/* Where the front table has it; 0: nowhere. */
static inline __attribute__((always_inline)) target script_probe(const struct aprof_tls *tls, context_id id, uintptr_t routine)
{
	uint64_t at = id >> FRONT_SHIFT & tls->front_mask;
	target to = *(const target *)((const char *)tls->front + at);

	if (LIKELY(script_matches(to, id, routine)))
		return to;
	to = *(const target *)((const char *)tls->front + (at ^ FRONT_SLOT));
	return script_matches(to, id, routine) ? to : 0;
}

/* What aprof_enter does, TLS being the calling thread's words.  False: nothing was done, it has to be called. */
static inline __attribute__((always_inline)) bool script_enter(struct aprof_tls *tls, uintptr_t routine)
{
	struct aprof_stack *s = tls->script;
	context_id *here = script_place(tls), from, inside;
	uint32_t depth = s->depth;
	target to;

	if (UNLIKELY(depth >= s->room || tls->inert || !here))
		return false;
	from = *here;
	inside = context_step(from, routine);
	to = script_probe(tls, inside, routine);
	if (UNLIKELY(!to))
		return false;
	if (target_is_alias(to))
		inside = target_alias(to)->to;		/* else no load stands between this call and the next */
	counter_bump(&target_count(to)->calls);
	s->entries[depth] = (struct script_entry){ from, inside, routine };
	s->depth = depth + 1;
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
