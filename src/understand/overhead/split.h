/* split.h - the time of exact contexts split among the plain code below them, as call stacks found it (read/profile/stack_join.h). */
#ifndef OVERHEAD_SPLIT_H
#define OVERHEAD_SPLIT_H

#include "read/profile/stack_join.h"
#include "understand/overhead/overhead.h"

/* Give the contexts of plain code in P, of which O was made before they were there, their parts of the time, samples and evidence of the exact contexts that they are below:
 * of each thread in proportion to the samples of its own stacks there, where these can be told, else to those of all.  An exact context without samples keeps all
 * it has.
 *
 * Nothing is lost: what an exact context has and what its paths have is what it had, to the nanosecond, with the hooks' cost (of all threads together) and without.  Hooks
 * are never of plain code.  Calls do not change.  A part's evidence is what is known of the context, and of a part of its samples: with a variance V of the
 * time M, and n stacks, the share q of these has the time q M with the variance q^2 V + M^2 q (1 - q) / n.  False with *ERR set: out of memory. */
bool overhead_split(struct overhead *o, struct profile *p, const struct stack_join *b, struct error *err);

#endif
