/* front.h - the front tables: signals blocked, but for front_add and front_is_small.
 *
 * Where a thread's call sites are told apart, the transitions from each of them have a table of their own, in other words of the thread: hooks that
 * look at the usual one first find it empty, and so come to look at the other.  Code of way inline that tells its call sites looks at the second
 * only, such code that does not at the first only; so beside way inline there are both. */
#ifndef FRONT_H
#define FRONT_H

#include <stdbool.h>
#include <stdint.h>

#include "contract/amon.h"
#include "contract/layout.h"
#include "inside/machine/context.h"
#include "inside/monitor.h"

struct aprof_tls;
struct thread;

bool front_begin(struct thread *t) HIDDEN;	/* let the hooks find what is in it. False: no memory. With clock tsc there is none for ways whose
						 * hooks do not read the counter: their calls all go out of line, as they do where
						 * way inline is in use, which has one */
bool front_is_small(const struct thread *t) HIDDEN; /* should it grow? */
bool front_is_fought(const struct thread *t, bool of_sites) HIDDEN; /* the same of one, for another reason: three targets or more change places in a pair of slots, by luck of
						 * addresses; perhaps */
void front_grow(struct thread *t) HIDDEN;	/* if it should */
void front_add(struct thread *t, target to) HIDDEN; /* if there is one; not of a handler (handler.h) */
void front_drop(struct thread *t, uintptr_t routine) HIDDEN; /* let T's hooks find no transition to ROUTINE, which handler_is says of now. Any thread, any time */
bool front_is_shown(const struct thread *t, bool of_sites) HIDDEN; /* is there one that the hooks look at? */
void front_none(struct aprof_tls *tls) HIDDEN;	/* let the hooks find nothing */
void front_leave(struct aprof_tls *tls) HIDDEN;	/* the same, where a probe that was interrupted may go on */

_Static_assert(sizeof(target) == FRONT_SLOT, "as in layout.h");

/* The hash of the front table, the first slot of two to look at; all code with hooks written into it computes the same. */
static inline uint64_t front_slot(context_id id, uint64_t mask)
{
	return (id >> FRONT_SHIFT & mask) / FRONT_SLOT;
}

#endif
