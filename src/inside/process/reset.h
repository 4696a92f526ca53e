/* reset.h - intervals. */
#ifndef RESET_H
#define RESET_H

#include "inside/monitor.h"

void reset_counters(void) HIDDEN;		/* zero the counters, as header.reset_request asks: with nobody between a look and its charge */
void reset_if_asked(void) HIDDEN;		/* the same where there is no sampler: with signals blocked, when something is made */

#endif
