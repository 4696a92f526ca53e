/* stack.h - shadow stacks. */
#ifndef STACK_H
#define STACK_H

#include <stdbool.h>
#include <stdint.h>

#include "contract/amon.h"
#include "inside/monitor.h"
#include "inside/tls.h"

struct thread;

/* One machine stack and its shadow. */
struct shadow {
	uintptr_t low, high;		/* range of the machine stack as known, addresses */
	struct frame *base;		/* sentinel, never popped: the context that the stack began in */
	struct frame *top;		/* last frame, while another shadow is in use */
	struct shadow *interrupted;	/* of an alternate stack whose handler is at work: what was in use before; else NULL */
	bool is_alternate;		/* it is one of sigaltstack's */
	bool is_announced;		/* its range is told, not found out */
	bool is_fiber;			/* it is one of several in a mapping: its range is what was seen of it, and little more */
	bool has_inner;			/* others lie within its range, or reach into it */
	uintptr_t left;			/* the CFA of the switch that it was left by, to code that nobody knows: below there is none of it. 0: it was not */
	struct frame *end;		/* one past the last frame that fits */
	struct shadow *next;		/* of the same thread */
	struct thread *thread;		/* that thread */
};

/* Does any of WAY, as in the header, push frames? */
static inline bool ways_push(uint32_t way) { return way & ~(1u << AMON_WAY_INLINE | 1u << AMON_WAY_SCRIPT); }

/* The machine with the shadows of the calling thread, whose words are at TLS: in a forked child that has met no hook yet its parent's, to be adopted.  NULL:
 * there is none, or nobody pushes frames. */
struct thread *stack_owner(const struct aprof_tls *tls) HIDDEN;
uintptr_t stack_low(const struct thread *t) HIDDEN; /* down to which address the stack in use is known to go */
void stack_follow_inline(struct thread *t) HIDDEN; /* way inline is met in T for the first time */
bool stack_init(struct thread *t, uintptr_t cfa) HIDDEN; /* first hook of a thread, at CFA */
void stack_push_root(struct thread *t) HIDDEN;	/* what is called from now on is under the root */
/* LOW .. HIGH is a stack of its own, perhaps within another; but if it is HEARSAY, only what is in one mapping, a guard apart.  Its shadow; NULL: it is none, or no memory. */
struct shadow *stack_announce(struct thread *t, uintptr_t low, uintptr_t high, bool hearsay) HIDDEN;
void stack_begins_anew(struct thread *t) HIDDEN; /* the stack in use begins: of what was in its memory before nothing is left */
/* The calling thread T is about to leave the stack in use, by a switch with the frame at CFA, for one that nobody tells.  It may come back, by stack_return.
 * T NULL: nothing. */
void stack_leave(struct thread *t, uintptr_t cfa) HIDDEN;
bool stack_is_nowhere(const struct thread *t) HIDDEN; /* has T left its stack so, and met no hook since? */
/* Is an entry at CFA on another stack than the one in use, or so far down that it may be, and nobody has told of a switch? */
bool stack_is_elsewhere(struct thread *t, uintptr_t cfa) HIDDEN;
/* Then it may be on the stack of the shadow that this returns, further down than what is known of it (stack_bottom). NULL: there is none above. */
struct shadow *stack_above(const struct thread *t, uintptr_t cfa) HIDDEN;
uintptr_t stack_bottom(const struct thread *t, const struct shadow *s) HIDDEN; /* the CFA of the lowest frame that is known to be on it */
void stack_arrive(struct thread *t, uintptr_t cfa, struct shadow *on) HIDDEN; /* it is on that one; NULL: on one that is known there, or that begins */
void stack_shrink(struct thread *t) HIDDEN;	/* give back most of what the shadow of the calling thread T does not use */
/* Back on the machine stack of CFA, of which KNOWN was the shadow, perhaps of another thread; NULL: unknown. */
void stack_return(struct thread *t, uintptr_t cfa, struct shadow *known) HIDDEN;
bool stack_adopt(struct thread *t) HIDDEN;	/* forked child: go on with the parent's frames */
bool stack_sync(struct thread *t, uintptr_t cfa, uint64_t site, uint32_t flags) HIDDEN; /* before an entry, as aprof_entry_slow has it: room for a frame? */
/* Is the routine at CFA inlined into the top frame's?  SITE as in struct frame, FLAGS of the routine. */
bool stack_is_inlined(const struct aprof_tls *tls, uintptr_t cfa, uint64_t site, uint32_t flags) HIDDEN;
bool stack_sync_exit(struct thread *t, uintptr_t cfa, uintptr_t site, uintptr_t routine) HIDDEN; /* before an exit: is top its frame? */
bool stack_begins(const struct thread *t) HIDDEN; /* is the next frame the first one of a handler on an alternate stack? T NULL, as in a child that a handler forked: no */
bool stack_ends(const struct thread *t) HIDDEN;	/* is the top frame the first one of a handler on an alternate stack? */
void stack_pop(struct thread *t) HIDDEN;	/* pop the top frame: an exit, with signals blocked where stack_ends() */

#endif
