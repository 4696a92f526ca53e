/* walk_cache.h - a walk along a machine stack that need not be made again.
 *
 * Where a walk leads depends on the code and on some words of the stack (unwind.h).  When one begins at the same place once more, and these
 * words are what they were, its end is the same: control that lands in one place time and again, as in the loop of an interpreter, costs a
 * look at them. */
#ifndef WALK_CACHE_H
#define WALK_CACHE_H

#include <stdint.h>

#include "inside/machine/context.h"
#include "inside/monitor.h"

struct landing;
struct thread;
struct unwind_notes;

/* The context of T, the calling thread, that a walk from TO on had found, which holds still; 0: there was none. Any time. */
context_id walk_cache_before(const struct thread *t, const struct landing *to) HIDDEN;

/* A walk from TO on begins, and makes notes here; NULL: no memory to spare. Signals are blocked until walk_cache_found. */
struct unwind_notes *walk_cache_begin(struct thread *t, const struct landing *to) HIDDEN;

/* It has FOUND that; 0: nothing for certain. */
void walk_cache_found(struct thread *t, const struct landing *to, context_id found) HIDDEN;

#endif
