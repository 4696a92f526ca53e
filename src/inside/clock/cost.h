/* cost.h - the hooks' own cost. */
#ifndef COST_H
#define COST_H

#include <stdint.h>

#include "inside/monitor.h"

/* What an entry and an exit take, and the part of it that is charged to the routine entered. */
struct cost { uint64_t total, inside; };

extern struct cost cost_of_hooks[3] HIDDEN;	/* of ways fentry or mcount, cyg and inline, 1e-12 s; total 0: not measured */

int cost_way(void) HIDDEN;			/* which of these the way in use is; -1: none is, or its hooks' cost is not known */
void cost_record(void) HIDDEN;			/* say in the header what the hooks of the way in use cost */

#endif
