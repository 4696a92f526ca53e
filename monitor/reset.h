/* reset.h - a new interval: all counters at zero, as header.reset_request asks. */
#ifndef RESET_H
#define RESET_H

#include "monitor/monitor.h"

void reset_all(void) HIDDEN;			/* the sampler calls it, or whoever holds it */
void reset_look(void) HIDDEN;			/* is one asked for?  Where there is no sampler: with signals blocked, when something is made */

#endif
