/* call_goal.h - what a call instruction says that it calls. */
#ifndef CALL_GOAL_H
#define CALL_GOAL_H

#include "read/symbols/goals.h"
#include "read/symbols/module.h"

/* What the call that returns to END, a link-time address in M, says: an address or a name in *GOAL, or, with neither, that it goes by a pointer.
 * False: there is no call, or M's code cannot be read.  x86-64. */
bool call_goal_find(struct module *m, uint64_t end, struct goal *goal);

/* What follows the calls of M's code, which M keeps.  NULL: it cannot be read. */
struct goals *call_goals(struct module *m);

#endif
