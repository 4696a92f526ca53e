/* calibrated.h - what one entry and one exit cost, as it was measured (calibrate.c). */
#ifndef CALIBRATED_H
#define CALIBRATED_H

#include <stdint.h>

#include "monitor/monitor.h"

/* What an entry and an exit take, and the part of it that is charged to the routine entered, 1e-12 s. */
struct hook_cost { uint64_t total, inside; };

extern struct hook_cost hook_costs[3] HIDDEN;	/* of ways fentry or mcount, cyg and inline; total 0: not measured */

void hook_cost_record(void) HIDDEN;		/* in the header, that of the way in use */

#endif
